"""Problem templates, read from templates/problems/ and checked as they are read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from semifactual.errors import SourceError
from semifactual.resources import template_yaml
from semifactual.sources.builtin.formulas import Formula, FormulaError, Value, parse
from semifactual.sources.builtin.numbers import Form
from semifactual.sources.builtin.wording import Wording, parse_wording
from semifactual.sources.builtin.words import WORDS, word_list

NAMES = ("word_problems", "algebra")
"""The builtin sources."""

_RANGE = re.compile(r"([\d.]+)\.\.([\d.]+)(?: by ([\d.]+))?\Z")
_KEYS = {"name", "choose", "quantities", "where", "text", "program", "form", "signed", "solution"}


@dataclass(frozen=True, slots=True)
class Draw:
    """How a quantity gets its value: one of `values` by chance, or `formula` from the quantities before it."""

    name: str
    values: tuple[Value, ...] = ()
    formula: Formula | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """One template. `visible` names the quantities that stand in every one of its texts."""

    name: str
    texts: tuple[Wording, ...]
    choose: tuple[tuple[str, tuple[str, ...]], ...]
    draws: tuple[Draw, ...]
    visible: frozenset[str]
    where: tuple[Formula, ...]
    program: Formula
    form: Form
    signed: bool
    solution: Wording

    def results(self, quantities: Mapping[str, Value]) -> list[Value] | None:
        """The results of the program's steps, the answer last; None where the quantities do not make a problem.

        They do if every constraint holds, and every result has the template's form and is positive (for a signed
        template, of any sign).
        """
        try:
            if not all(condition.value(quantities) for condition in self.where):
                return None
            results = self.program.trace(quantities)
        except FormulaError:
            return None
        sound = all(self.form.admits(result) and (self.signed or result > 0) for result in results)
        return results if sound else None


def template_files(source: str) -> tuple[str, ...]:
    """The files below templates/ that decide what the builtin source `source` makes."""
    return (WORDS, f"problems/{source}.yaml")


@cache
def load_templates(source: str) -> tuple[Template, ...]:
    """The templates of the builtin source `source`, in the order of its file.

    Raises:
        SourceError: a template is wrong; the message names it.
    """
    templates: list[Template] = []
    for entry in template_yaml(f"problems/{source}.yaml"):
        name = str(entry.get("name"))
        try:
            templates.append(_template(entry))
        except (ValueError, KeyError) as error:
            raise SourceError(f"the template {name!r} of {source} is wrong: {error}") from error
    return tuple(templates)


def _template(entry: Mapping[str, Any]) -> Template:
    if unknown := entry.keys() - _KEYS:
        raise ValueError(f"unknown keys {sorted(unknown)}")
    choose = tuple((slot, _options(options)) for slot, options in entry.get("choose", {}).items())
    slots = frozenset(slot for slot, _ in choose)
    texts = tuple(parse_wording(text, slots) for text in entry["text"])
    template = Template(
        name=entry["name"],
        texts=texts,
        choose=choose,
        draws=tuple(_draw(name, rule) for name, rule in entry["quantities"].items()),
        visible=frozenset(texts[0].quantities()),
        where=tuple(parse(condition) for condition in entry.get("where", ())),
        program=parse(entry["program"]),
        form=Form(entry.get("form", "whole")),
        signed=entry.get("signed", False),
        solution=parse_wording(" ".join(entry["solution"]), slots),
    )
    _refuse_contradictions(template)
    return template


def _options(options: str | list[str]) -> tuple[str, ...]:
    return word_list(options) if isinstance(options, str) else tuple(options)


def _draw(name: str, rule: str | list[Value]) -> Draw:
    if isinstance(rule, list):
        return Draw(name, tuple(_exact(value) for value in rule))
    if rule.startswith("="):
        return Draw(name, formula=parse(rule[1:]))
    match = _RANGE.match(rule)
    if match is None:
        raise ValueError(f"{name}: {rule!r} is no range, list or formula")
    low, high, step = (Fraction(part or 1) for part in match.groups())
    return Draw(name, tuple(_exact(low + step * index) for index in range(int((high - low) / step) + 1)))


def _exact(value: Value | float) -> Value:
    exact = Fraction(str(value))
    return exact.numerator if exact.denominator == 1 else exact


def _refuse_contradictions(template: Template) -> None:
    for text in template.texts:
        names = text.quantities()
        if len(set(names)) < len(names) or frozenset(names) != template.visible:
            raise ValueError("each of its texts must name the same quantities, each once")
    for formula in (template.program, *template.where):
        if hidden := formula.names - template.visible:
            raise ValueError(f"{formula.source!r} uses {sorted(hidden)}, which no text shows")
    if missing := template.visible - {draw.name for draw in template.draws}:
        raise ValueError(f"nothing gives a value to {sorted(missing)}")
    if not template.solution.workings():
        raise ValueError("its solution calculates nothing")
