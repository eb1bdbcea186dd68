"""Counterfactuals of problems whose worked solution annotates its steps, as those of GSM8K do: ``<<48/2=24>>``.

One number of the text is exchanged, and every step is computed anew from the numbers that it is bound to. There is none
where it is doubtful what the exchange would do: where a step's number could come from two places, where the text may
say the number in another way too, or where another kind of result comes out.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from semifactual.answers.limits import TooLarge
from semifactual.answers.programs import Literal, Operation, Program, ProgramError, leaves, replaced, written
from semifactual.counterfactual.binding import Bound, bound
from semifactual.counterfactual.mentions import Mention
from semifactual.counterfactual.values import numeral
from semifactual.sources.builtin.counterfactuals import KIND
from semifactual.text.edits import Edit, apply_edits
from semifactual.types import Counterfactual, Problem


def of_worked_solution(problem: Problem, count: int, rng: random.Random) -> list[Counterfactual]:
    """At most `count` versions that differ in one number and in the answer; fewer, or none, where there is doubt."""
    known, form = bound(problem), numeral(problem.answer)
    if known is None or form is None:
        return []
    changes = [(mention, value) for mention in _exchangeable(known) for value in _others(mention, known)]
    rng.shuffle(changes)
    changes.sort(key=_is_far)
    found: list[Counterfactual] = []
    for mention, value in changes:
        if len(found) == count:
            break
        results = _plausible_results(known, mention, value)
        if results is None or results[-1] == known.results[-1]:
            continue
        assert mention.digits is not None
        number, answer = mention.digits.written(value), form.written(results[-1])
        if number is not None and answer is not None:
            text = apply_edits(problem.text, [Edit(mention.start, mention.end, number)])
            found.append(Counterfactual(KIND, text, answer, _derivation(known, mention, value, results)))
    return found


def _is_far(change: tuple[Mention, Fraction]) -> bool:
    """Whether the new value is more than half as large again as the old, or the old as the new."""
    mention, value = change
    return not Fraction(2, 3) <= value / mention.value <= Fraction(3, 2)


def _exchangeable(known: Bound) -> Iterator[Mention]:
    """The numbers that may be exchanged without making the text contradict itself."""
    values = [mention.value for mention in known.mentions]
    for place, mention in enumerate(known.mentions):
        others = values[:place] + values[place + 1 :]
        if mention.digits is None or mention.value <= 1 or mention.value in others:
            continue
        if mention.is_percentage and any(other.is_percentage for other in known.mentions if other is not mention):
            continue
        if not (_is_redundant(mention.value, others, known.constants) or _counts_terms(mention.value, known)):
            yield mention


def _is_redundant(value: Fraction, others: Sequence[Fraction], constants: frozenset[Fraction]) -> bool:
    """Whether the text may say this number twice over: 14 days as two weeks, 5 and 2 of the 7 that it speaks of.

    That is where the number and one more of the text are added or multiplied to a third, in any of their places.
    """
    stated, implied = Counter(others), constants - {1}
    for other in (other for other in others if other > 1):
        wholes = value + other, value * other, value / other, other / value
        if not implied.isdisjoint(wholes):
            return True
        if any(stated[third] > (third == other) for third in (*wholes, abs(value - other))):
            return True
    return False


def _counts_terms(value: Fraction, known: Bound) -> bool:
    """Whether as many numbers are added up somewhere: a change would have to add one more, or leave one out."""
    terms: dict[Fraction, int] = {}
    for step, result in zip(known.steps, known.results, strict=True):
        terms[result] = _terms(step.program, terms)
    return value in terms.values()


def _terms(program: Program, known: Mapping[Fraction, int]) -> int:
    match program:
        case Literal(value):
            return known.get(value, 1)
        case Operation("+", (left, right)):
            return _terms(left, known) + _terms(right, known)
        case _:
            return 1


def _others(mention: Mention, known: Bound) -> Iterator[Fraction]:
    """The values to try: as round as the old one, of the same size, and none that the text or the solution has."""
    taken = {other.value for other in known.mentions} | set(known.results) | known.constants
    taken |= {leaf for step in known.steps for leaf in leaves(step.program)}
    assert mention.digits is not None
    for value in mention.digits.others():
        if value not in taken and not (mention.is_percentage and (value >= 100) != (mention.value >= 100)):
            yield value


def _plausible_results(known: Bound, mention: Mention, value: Fraction) -> list[Fraction] | None:
    """The results of all steps after a change; None where it is ambiguous, or another kind of result comes out.

    No two numbers of the problem and its solution may change their order: a solution that rests on which of two is
    larger says so in words at most, so that its steps would no longer be the right ones.
    """
    try:
        results = known.results_with(mention, value)
    except (ProgramError, TooLarge):
        return None
    if results is None or not all(map(_same_sort, known.results, results)):
        return None
    stated = {other.value for other in known.mentions}
    if any(before != after and before in stated for before, after in zip(known.results, results, strict=True)):
        return None
    before = [*(other.value for other in known.mentions), *known.results]
    after = [*(value if other is mention else other.value for other in known.mentions), *results]
    return results if _same_order(before, after) else None


def _same_sort(before: Fraction, after: Fraction) -> bool:
    """Whether both are whole, or neither; of the same sign; both below one, or neither; and as short as decimals."""
    whole = (before.denominator == 1) == (after.denominator == 1)
    short = before.denominator == 1 or (before * 100).denominator > 1 or (after * 100).denominator == 1
    return whole and short and _size(before) == _size(after)


def _size(value: Fraction) -> tuple[bool, bool, bool]:
    return value > 0, value < 0, abs(value) < 1


def _same_order(before: Sequence[Fraction], after: Sequence[Fraction]) -> bool:
    ranked = sorted(zip(before, after, strict=True))
    return all(one[0] == other[0] or one[1] < other[1] for one, other in pairwise(ranked))


def _derivation(known: Bound, mention: Mention, value: Fraction, results: Sequence[Fraction]) -> str:
    """What was exchanged, and every step with its new numbers."""
    steps = []
    for number, (step, result) in enumerate(zip(known.steps, results, strict=True)):
        moved = known.moved(step, mention, value, results[:number]) or {}
        steps.append(f"{written(replaced(step.program, moved), _shown)} = {_shown(result)}")
    return f"{_shown(mention.value)} -> {_shown(value)}; {'; '.join(steps)}"


def _shown(value: Fraction) -> str:
    """A whole number or short decimal as such, any other value as a quotient."""
    if value.denominator == 1:
        return str(value.numerator)
    places = next((places for places in range(1, 7) if (value * 10**places).denominator == 1), None)
    return str(value) if places is None else f"{float(value):.{places}f}"
