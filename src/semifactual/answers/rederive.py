"""Re-derivation: does what is known of a problem's solution still lead to its answer?

`rederived` shows that the quantities the reference solution uses still stand in the text and that its arithmetic comes
to the answer. It does not show that the prose still relates them as before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from .limits import TooLarge
from .numerals import decimal
from .programs import Program, ProgramError, leaves, parse_program, replaced, value_of

COMMON_CONSTANTS = frozenset(Fraction(n) for n in (0, 1, 2, 4, 7, 10, 12, 24, 30, 52, 60, 100, 365, 1000, 3600)) | {
    Fraction(1, 2),
    Fraction(1, 4),
    Fraction(1, 100),
}
"""What a solution may use although the text does not say it: units of time, dozens, percent, halves and quarters."""

_ANNOTATION = re.compile(r"<<([^<>=]+)=([^<>=]+)>>")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)%(?!\s*[\d(])")


class Rederivation(StrEnum):
    """What following a reference solution showed."""

    REDERIVED = "rederived"
    """All leaves stand in the text, every step computes, and the last one is the answer."""
    UNBOUND = "unbound"
    """A number that the solution uses is not in the text."""
    BROKEN = "broken"
    """A step does not compute to what it says, or the last one is not the answer."""
    NO_STEPS = "no_steps"
    """The solution has no steps that can be followed."""


@dataclass(frozen=True, slots=True)
class RederiveResult:
    """The outcome, and what it rests on."""

    outcome: Rederivation
    evidence: str

    @property
    def rederived(self) -> bool:
        return self.outcome is Rederivation.REDERIVED


@dataclass(frozen=True, slots=True)
class Step:
    """One annotated step: ``<<48/2=24>>``. `printed` is the result as written, which may be rounded."""

    expression: str
    program: Program
    printed: str


def exact_text(value: Fraction) -> str:
    """An integer, or ``p/q`` in lowest terms."""
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def exact_value(text: str) -> Fraction | None:
    """The rational that a plain answer stands for: ``1,234``, ``$5``, ``2.50``, ``3/4``, ``-7``, ``20%`` (as 20).

    Units and words are not read: None.
    """
    plain = text.strip().replace(",", "").replace("\\$", "").replace("$", "").rstrip("%").strip().rstrip(".")
    match = re.fullmatch(r"([+-]?)(\d+(?:\.\d+)?|\.\d+)(?:\s*/\s*(\d+(?:\.\d+)?))?", plain)
    if match is None:
        return None
    bottom = decimal(match[3]) if match[3] else Fraction(1)
    if bottom == 0:
        return None
    value = decimal(match[2]) / bottom
    return -value if match[1] == "-" else value


def evaluate_program(expression: str, quantities: Mapping[str, Fraction | int | str]) -> str:
    """The answer that a program gives for these quantities: an integer, ``p/q``, or an expression with roots.

    Raises ProgramError for anything outside the language of `programs`, an unknown name or a value that does not
    exist, and TooLarge for a value beyond the limits.

    >>> evaluate_program("(a + b) * price / 2", {"a": 3, "b": "4.5", "price": Fraction(2)})
    '15/2'
    """
    known: dict[str, Fraction] = {}
    for name, given in quantities.items():
        value = exact_value(given) if isinstance(given, str) else Fraction(given)
        if value is None:
            raise ProgramError(f"the quantity {name!r} is {given!r}, which is no number")
        known[name] = value
    result = value_of(parse_program(expression), known)
    return exact_text(Fraction(int(result.p), int(result.q))) if result.is_Rational else str(result)


def solution_steps(solution: str) -> tuple[Step, ...]:
    """The annotated steps of a worked solution, in order. Steps outside the language are an error: ProgramError.

    >>> [step.printed for step in solution_steps("She sold 48/2 = <<48/2=24>>24 clips.")]
    ['24']
    """
    steps = []
    for left, right in _ANNOTATION.findall(solution):
        expression = _PERCENT.sub(r"(\1/100)", left.replace("$", "").replace(",", "").replace("x", "*"))
        steps.append(Step(left, parse_program(expression), right.strip()))
    return tuple(steps)


def rederive_solution(solution: str, numbers_found: Iterable[Fraction], answer: str) -> RederiveResult:
    """Follow a solution's annotated steps with the numbers that stand in a text.

    Every number in a step must be the result of an earlier step, a number found in the text (or its hundredth, for a
    percentage; its reciprocal, for "a third"; the numerator or denominator of a fraction found), or one of
    `COMMON_CONSTANTS`. A printed result that is rounded stands for the exact one. The last step must be the answer.
    """
    try:
        steps = solution_steps(solution)
        return _follow(steps, _bindable(numbers_found), exact_value(answer))
    except (ProgramError, TooLarge) as error:
        return RederiveResult(Rederivation.BROKEN, str(error))


def _bindable(numbers: Iterable[Fraction]) -> frozenset[Fraction]:
    values = set(COMMON_CONSTANTS)
    for number in numbers:
        values |= {abs(number), abs(number) / 100}
        if number.denominator != 1 or number == 0:
            values |= {Fraction(abs(number.numerator)), Fraction(number.denominator)}
        if number:
            values.add(1 / abs(number))
    return frozenset(values)


def _follow(steps: tuple[Step, ...], bindable: frozenset[Fraction], answer: Fraction | None) -> RederiveResult:
    if not steps or answer is None:
        why = "the answer is no plain number" if steps else "the solution has no annotated steps"
        return RederiveResult(Rederivation.NO_STEPS, why)
    results: dict[Fraction, Fraction] = {}
    value = Fraction(0)
    for step in steps:
        for leaf in leaves(step.program):
            if leaf not in bindable and leaf not in results:
                return RederiveResult(
                    Rederivation.UNBOUND, f"{exact_text(leaf)} in {step.expression!r} is not in the text"
                )
        number = value_of(replaced(step.program, results), {})
        printed = exact_value(step.printed)
        if not number.is_Rational or printed is None:
            return RederiveResult(Rederivation.BROKEN, f"{step.expression} = {step.printed} is not exact")
        value = Fraction(int(number.p), int(number.q))
        if not _rounds_to(value, printed, step.printed):
            return RederiveResult(Rederivation.BROKEN, f"{step.expression} is {exact_text(value)}, not {step.printed}")
        results[printed] = value
    if value != answer:
        return RederiveResult(
            Rederivation.BROKEN, f"the last step is {exact_text(value)}, the answer {exact_text(answer)}"
        )
    return RederiveResult(Rederivation.REDERIVED, f"{len(steps)} steps lead to {exact_text(value)}")


def _rounds_to(value: Fraction, printed: Fraction, text: str) -> bool:
    if value == printed:
        return True
    places = len(text.partition(".")[2].rstrip("%"))
    return places > 0 and abs(value - printed) <= Fraction(1, 2 * 10**places)
