"""A worked solution bound to its problem's text: which number of which step comes from where.

A number of a step may come from a number of the text, from the result of an earlier step, or from a word such as
*week*. Where two could have brought it in that would not change alike, or none, nothing is said of what a change does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from semifactual.answers.limits import TooLarge
from semifactual.answers.programs import ProgramError, fraction_of, leaves, replaced
from semifactual.answers.rederive import Step, exact_value, solution_steps
from semifactual.counterfactual.mentions import Mention, implied_constants, mentions
from semifactual.text.document import Document
from semifactual.types import Problem

_ANNOTATION = re.compile(r"<<[^<>]{0,500}>>")
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?")
_FINAL = "####"
MOST_NUMBERS = 60
"""Of a text, or steps of a solution. Beyond, the work would grow faster than the text."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A worked solution whose numbers are bound to a text: the numbers of the text, and every step with its result."""

    mentions: tuple[Mention, ...]
    steps: tuple[Step, ...]
    results: tuple[Fraction, ...]
    constants: frozenset[Fraction]

    def results_with(self, changed: Mention, value: Fraction) -> list[Fraction] | None:
        """The result of every step where `changed` has another value; None where a number is bound to two things.

        Raises:
            ProgramError: a step has no value then.
        """
        new: list[Fraction] = []
        for step in self.steps:
            moved = self.moved(step, changed, value, new)
            if moved is None:
                return None
            new.append(fraction_of(replaced(step.program, moved)))
        return new

    def moved(
        self, step: Step, changed: Mention, value: Fraction, new: Sequence[Fraction]
    ) -> dict[Fraction, Fraction] | None:
        """What each number of a step becomes, `new` being the results before it."""
        moved: dict[Fraction, Fraction] = {}
        for leaf in leaves(step.program):
            options = {after for before, after in zip(self.results, new, strict=False) if before == leaf}
            for mention in self.mentions:
                after = value if mention is changed else mention.value
                options |= {then for now, then in _forms(mention.value, after) if now == leaf}
            if leaf in self.constants:
                options.add(leaf)
            if len(options) != 1:
                return None
            moved[leaf] = options.pop()
        return moved


def bound(problem: Problem) -> Bound | None:
    """The problem's worked solution, bound to its text; None where there is none, or it does not lead to the answer."""
    solution = problem.metadata.get("solution")
    if not isinstance(solution, str) or "<<" not in solution:
        return None
    document = Document(problem.text)
    try:
        steps = solution_steps(solution)
        results = tuple(fraction_of(step.program) for step in steps)
    except (ProgramError, TooLarge):
        return None
    made = Bound(mentions(document), steps, results, implied_constants(document))
    if max(len(made.mentions), len(steps)) > MOST_NUMBERS:
        return None
    exact = all(exact_value(step.printed) == result for step, result in zip(steps, results, strict=True))
    if not exact or not results or results[-1] != exact_value(problem.answer) or not _says_only(solution, made):
        return None
    return made


def _says_only(solution: str, known: Bound) -> bool:
    """Whether the solution's prose has no equation of its own, and no number that the text and the steps lack."""
    told = {form for mention in known.mentions for form, _ in _forms(mention.value, mention.value)}
    told |= {leaf for step in known.steps for leaf in leaves(step.program)} | set(known.results) | known.constants
    prose = _ANNOTATION.sub("", solution.partition(_FINAL)[0])
    if prose.count("=") > len(known.steps):
        return False
    return all(exact_value(number) in told for number in _NUMBER.findall(prose))


def _forms(now: Fraction, then: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
    """A number of a text as a solution may write it, before and after a change: 20 as 0.2, a third as 3."""
    yield now, then
    yield now / 100, then / 100
    if now.denominator != 1 and then.denominator != 1:
        yield 1 / now, 1 / then
        yield Fraction(now.numerator), Fraction(then.numerator)
        yield Fraction(now.denominator), Fraction(then.denominator)
