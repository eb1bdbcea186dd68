"""Counterfactuals of builtin problems: one quantity changed in text and program, and the answer evaluated anew."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from fractions import Fraction

from semifactual.sources.builtin.drawing import Instance, admitted, keeps_to
from semifactual.sources.builtin.formulas import Value
from semifactual.sources.builtin.options import PREFIX, Options, parse_options
from semifactual.sources.builtin.templates import Draw, Template, load_templates
from semifactual.types import Counterfactual, Problem

KIND = "quantity_change"
"""The kind of every counterfactual so far: one number of the problem is another."""
_REACH = 10
"""How far a quantity that its template derives from others may move, at the least."""


def counterfactuals(problem: Problem, count: int, rng: random.Random) -> list[Counterfactual]:
    """At most `count` versions of a builtin problem that differ in one number and in the answer.

    Fewer come back where the template's constraints leave fewer; the answers may coincide with each other, never
    with the problem's. Any problem that has no template in its metadata has none.
    """
    original = _instance(problem)
    if original is None:
        return []
    options = parse_options(problem.source.removeprefix(PREFIX), problem.metadata.get("options", ""))
    changes = list(_changes(original, options))
    rng.shuffle(changes)
    found: list[Counterfactual] = []
    for name, value in changes:
        if len(found) == count:
            break
        quantities = {**original.quantities, name: value}
        if not keeps_to(original.template, quantities, options):
            continue
        changed = Instance(original.template, original.wording, original.words, quantities)
        answer = changed.answer()
        if answer != problem.answer:
            found.append(Counterfactual(KIND, changed.text, answer, _derivation(original, changed, name, answer)))
    return found


def _instance(problem: Problem) -> Instance | None:
    name = problem.metadata.get("template")
    if not problem.source.startswith(PREFIX) or name is None:
        return None
    template = next(entry for entry in load_templates(problem.source.removeprefix(PREFIX)) if entry.name == name)
    quantities = _values(problem.metadata["program"]["quantities"])
    return Instance(template, problem.metadata["wording"], problem.metadata["words"], quantities)


def _values(shown: Mapping[str, str]) -> dict[str, Value]:
    exact = {name: Fraction(text) for name, text in shown.items()}
    return {name: value.numerator if value.denominator == 1 else value for name, value in exact.items()}


def _changes(original: Instance, options: Options) -> Iterator[tuple[str, Value]]:
    """Every quantity with every other value that it might take."""
    for draw in original.template.draws:
        if draw.name in original.quantities:
            now = original.quantities[draw.name]
            yield from (
                (draw.name, value) for value in _candidates(draw, original.template, options, now) if value != now
            )


def _candidates(draw: Draw, template: Template, options: Options, now: Value) -> tuple[Value, ...]:
    if draw.formula is None:
        return admitted(draw, template, options)
    reach = max(_REACH, int(now) // 2)
    return tuple(now + shift for shift in range(-reach, reach + 1) if now + shift > 0)


def _derivation(original: Instance, changed: Instance, name: str, answer: str) -> str:
    before, after = original.shown[name], changed.shown[name]
    return f"{name}: {before} -> {after}; {original.template.program.source} = {answer}"
