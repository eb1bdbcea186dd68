"""Drawing the quantities and words of one problem, and writing it out."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from semifactual.answers.rederive import evaluate_program
from semifactual.sources.builtin.formulas import FormulaError, Value
from semifactual.sources.builtin.numbers import number_text
from semifactual.sources.builtin.options import Options
from semifactual.sources.builtin.templates import Draw, Template
from semifactual.sources.builtin.wording import render

_ATTEMPTS = 400
"""Draws before a template counts as impossible under the options; constraints are made to need a few."""


@dataclass(frozen=True)
class Instance:
    """A template with its words and quantities chosen."""

    template: Template
    wording: int
    words: Mapping[str, str]
    quantities: Mapping[str, Value]

    @cached_property
    def text(self) -> str:
        """The problem's text."""
        return render(self.template.texts[self.wording], self.words, self.quantities, self.template.form)

    @cached_property
    def shown(self) -> dict[str, str]:
        """The quantities as they stand in the text, in order of appearance."""
        names = self.template.texts[self.wording].quantities()
        return {name: number_text(self.quantities[name], self.template.form) for name in names}

    def answer(self) -> str:
        """The value of the program, from the numbers that the text shows."""
        value = Fraction(evaluate_program(self.template.program.source, self.shown))
        return number_text(value, self.template.form)

    def metadata(self, answer: str) -> dict[str, Any]:
        """What a row records beside text and answer; enough to write the problem again with other quantities."""
        worked = render(self.template.solution, self.words, self.quantities, self.template.form)
        return {
            "program": {"expression": self.template.program.source, "quantities": self.shown},
            "solution": f"{worked} The answer is \\boxed{{{answer}}}.",
            "template": self.template.name,
            "steps": self.template.program.steps(self.quantities),
            "wording": self.wording,
            "words": dict(self.words),
        }


def draw_instance(template: Template, options: Options, rng: random.Random) -> Instance | None:
    """A random problem from the template that keeps to the options; None where none was found."""
    for _ in range(_ATTEMPTS):
        quantities = _draw_quantities(template, options, rng)
        if quantities is not None:
            wording = rng.randrange(len(template.texts))
            return Instance(template, wording, _draw_words(template, rng), quantities)
    return None


def keeps_to(template: Template, quantities: Mapping[str, Value], options: Options) -> bool:
    """Whether the quantities make a problem of the template within the options' number range."""
    shown = [quantities[name] for name in template.visible]
    if options.min is not None and min(shown) < options.min:
        return False
    results = template.results(quantities)
    return results is not None and (
        options.max is None or all(-options.max <= value <= options.max for value in (*shown, *results))
    )


def admitted(draw: Draw, template: Template, options: Options) -> tuple[Value, ...]:
    """The values that the options leave to a quantity that is drawn."""
    low = options.min if options.min is not None and draw.name in template.visible else 0
    return tuple(v for v in draw.values if low <= v and (options.max is None or v <= options.max))


def _draw_quantities(template: Template, options: Options, rng: random.Random) -> dict[str, Value] | None:
    quantities: dict[str, Value] = {}
    for draw in template.draws:
        if draw.formula is None:
            values = admitted(draw, template, options)
            if not values:
                return None
            quantities[draw.name] = rng.choice(values)
            continue
        try:
            value = draw.formula.value(quantities)
        except FormulaError:
            return None
        if value <= 0 or not template.form.admits(value):
            return None
        quantities[draw.name] = value
    return quantities if keeps_to(template, quantities, options) else None


def _draw_words(template: Template, rng: random.Random) -> dict[str, str]:
    """A word for each slot, no word twice."""
    words: dict[str, str] = {}
    for slot, options in template.choose:
        words[slot] = rng.choice([word for word in options if word not in words.values()])
    return words
