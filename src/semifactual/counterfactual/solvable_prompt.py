"""Counterfactuals of prompts that are an expression or an equation for sympy: one number changed, and solved anew."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import islice

from semifactual.answers.limits import TooLarge
from semifactual.answers.outcomes import Outcome
from semifactual.answers.reading import Unreadable, read
from semifactual.answers.solving import Task, read_prompt, solve
from semifactual.answers.tree import Apply, Expression, Listing, Node, Number
from semifactual.answers.verifier import Verifier
from semifactual.sources.builtin.counterfactuals import KIND
from semifactual.text.document import Document
from semifactual.text.edits import Edit, apply_edits
from semifactual.text.spans import SpanType
from semifactual.types import Counterfactual, Problem

_INTEGER = re.compile(r"(?<![\d.,])\d{1,4}(?![\d.,]\d|\d)")
_HUGE = re.compile(r"\d{7}")
_REACH = 5
"""How far a number of the formula moves at most."""
_TRIES = 12
_FAILURES = 3
"""How many changed prompts of one problem are solved, and how many of them may resist the solver."""
_SECONDS = 5.0
"""What a solution may take. Long, so that whether one is found does not hang on what else the machine does."""


def of_solvable_prompt(problem: Problem, count: int, rng: random.Random) -> list[Counterfactual]:
    """At most `count` versions with another number in the formula, and an answer of the same sort as the old one.

    There is none where the solver does not find the problem's own answer, in the form in which it is given.
    """
    task = None if _HUGE.search(problem.text) else read_prompt(problem.text)
    solved = None if task is None else solve(task, _verifier())
    if task is None or solved is None or not _same_form(solved, problem.answer):
        return []
    changes = list(_changes(problem.text, task))
    rng.shuffle(changes)
    found: list[Counterfactual] = []
    failures = 0
    for text, changed, difference in islice(changes, _TRIES):
        if len(found) == count or failures == _FAILURES:
            break
        answer = solve(changed, _verifier())
        failures += answer is None
        if answer is not None and _same_sort(solved, answer) and _differ(solved, answer):
            found.append(Counterfactual(KIND, text, answer, f"{difference}; sympy solves the new prompt to {answer}"))
    return found


def _changes(text: str, task: Task) -> Iterator[tuple[str, Task, str]]:
    """Each text with one number of the formula changed, its task, and what became of what."""
    for edit in _exchanges(text):
        changed = apply_edits(text, [edit])
        other = read_prompt(changed)
        moved = None if other is None else _difference(task, other)
        if other is not None and moved is not None:
            yield changed, other, f"{moved[0]} -> {moved[1]}"


def _exchanges(text: str) -> Iterator[Edit]:
    """Every whole number of the mathematics, from two on, with each near one that does not stand there yet.

    The new one has as many digits, because TeX may read only the first of them: ``2^8`` is not to become ``2^12``.
    """
    spans = list(Document(text).of_type(SpanType.MATH))
    places = [(span.start, match) for span in spans for match in _INTEGER.finditer(span.of(text))]
    there = {int(match[0]) for _, match in places}
    for start, match in places:
        old = int(match[0])
        for new in range(max(2, -(-old // 2), old - _REACH), min(2 * old, old + _REACH) + 1):
            if old >= 2 and new not in there and len(str(new)) == len(match[0]):
                yield Edit(start + match.start(), start + match.end(), str(new))


def _difference(task: Task, other: Task) -> tuple[Fraction, Fraction] | None:
    """The one number in which two tasks differ; None where there is more between them."""
    if task.variables != other.variables or len(task.expressions) != len(other.expressions):
        return None
    found: list[tuple[Fraction, Fraction]] = []
    for one, two in zip(task.expressions, other.expressions, strict=True):
        if not _collect(one, two, found):
            return None
    return found[0] if len(found) == 1 else None


def _collect(one: Expression, two: Expression, found: list[tuple[Fraction, Fraction]]) -> bool:
    """Put the numbers in which two trees differ by; False where their structure differs."""
    match one, two:
        case Number(before), Number(after):
            if before != after:
                found.append((before, after))
            return True
        case Apply(name, args), Apply(other, others):
            same = name == other and len(args) == len(others)
            return same and all(_collect(a, b, found) for a, b in zip(args, others, strict=True))
    return one == two


def _same_form(solved: str, answer: str) -> bool:
    """Whether the solver writes the very answer that is given, white space and braces aside."""
    try:
        return read(solved).nodes == read(answer).nodes
    except (Unreadable, TooLarge):
        return False


def _same_sort(before: str, after: str) -> bool:
    """Whether two answers are read as the same structure, of numbers of the same sort."""
    try:
        return list(map(_sort, read(before).nodes)) == list(map(_sort, read(after).nodes))
    except (Unreadable, TooLarge):
        return False


def _sort(node: Node) -> object:
    """The structure of an answer, each number reduced to its sign and whether it is whole."""
    match node:
        case Number(value):
            return value.denominator == 1, value > 0, value < 0
        case Apply(name, args):
            return name, tuple(map(_sort, args))
        case Listing(items):
            return tuple(map(_sort, items))
    return node


def _differ(before: str, after: str) -> bool:
    return _verifier().equivalent(before, after).outcome is Outcome.DIFFERENT


@cache
def _verifier() -> Verifier:
    verifier = Verifier(deadline=_SECONDS)
    verifier.warm_up()  # so that no solution pays for the start of its worker
    return verifier
