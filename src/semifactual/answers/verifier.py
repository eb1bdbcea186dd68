"""The verifier: one answer against another, or a whole response against a gold answer."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from types import TracebackType
from typing import Any

from .comparison import Comparer
from .display import MAX_SHOWN, show
from .extraction import extract
from .last_resort import is_admitted
from .limits import TooLarge
from .outcomes import Extraction, Found, Method, Outcome, Verdict
from .pool import WorkerPool, WorkerTimeout
from .reading import Reading, Unreadable, read, squeezed
from .scalars import Scalars, is_undefined
from .tree import Expression, is_expression
from .wire import encode

DEADLINE_SECONDS = 3.0
"""What the workers may spend on one verdict by default, their start included."""


@dataclass(frozen=True, slots=True)
class Graded:
    """A response's extraction and the verdict on what was extracted."""

    extraction: Extraction
    verdict: Verdict


class Verifier:
    r"""Decides whether two answers are the same. Thread-safe; starts workers only when a verdict needs sympy.

    `deadline`: seconds that workers may spend on one verdict. `workers`: how many may run at once. `memory_mb`: the
    address space of each. `tolerance`: a relative difference of constants that still counts as equal; 0 by default.
    `counts` holds the number of verdicts by outcome.

    >>> with Verifier() as verifier:
    ...     verifier.equivalent(r"\frac{1}{2}", "0.50").outcome
    <Outcome.EQUAL: 'equal'>
    """

    def __init__(
        self, *, deadline: float = DEADLINE_SECONDS, workers: int = 1, memory_mb: int = 1024, tolerance: float | str = 0
    ) -> None:
        self.deadline = deadline
        self.tolerance = Fraction(tolerance)
        if not 0 <= self.tolerance < 1:
            raise ValueError("a tolerance is a relative difference: at least 0 and below 1")
        self.counts: Counter[Outcome] = Counter()
        self._pool = WorkerPool(workers, memory_mb)

    def equivalent(self, gold: str, answer: str) -> Verdict:
        """The verdict on two answers. Never raises for what they hold."""
        started = time.perf_counter()
        verdict = _Session(self._pool, self.deadline, self.tolerance).verdict(gold, answer)
        self.counts[verdict.outcome] += 1
        return replace(verdict, milliseconds=(time.perf_counter() - started) * 1000)

    async def aequivalent(self, gold: str, answer: str) -> Verdict:
        """`equivalent` for asyncio: runs in a thread, so that the event loop goes on."""
        import asyncio

        return await asyncio.to_thread(self.equivalent, gold, answer)

    def grade(self, gold: str, response: str, *, strict: bool = True, prompt: str | None = None) -> Graded:
        """Extract the answer of a response and compare it with the gold. No answer found is UNPARSABLE."""
        extraction = extract(response, strict=strict, prompt=prompt)
        if extraction.found in {Found.BOXED, Found.PHRASE}:
            return Graded(extraction, self.equivalent(gold, extraction.text))
        self.counts[Outcome.UNPARSABLE] += 1
        return Graded(extraction, _refused(f"no answer in the response: {extraction.found.value}", gold, ""))

    def check_gold(self, gold: str) -> Verdict:
        """The verdict on a gold answer against itself: anything but equal means that it can reward nobody."""
        return self.equivalent(gold, gold)

    def solve(self, trees: Sequence[Any], variables: Sequence[str]) -> str | None:
        """What a worker makes of encoded trees: the value of one, or the roots of pairs of sides. None in doubt."""
        session = _Session(self._pool, self.deadline, self.tolerance)
        result = session.ask({"task": "solve", "trees": list(trees), "variables": list(variables)}).get("result")
        return result if isinstance(result, str) else None

    def warm_up(self) -> None:
        """Start a worker now, so that the first verdict that needs sympy does not wait for its import."""
        self._pool.warm_up()

    def close(self) -> None:
        """Kill the workers."""
        self._pool.close()

    def __enter__(self) -> Verifier:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Session:
    """One verdict: its time budget and what its comparisons needed."""

    def __init__(self, pool: WorkerPool, deadline: float, tolerance: Fraction) -> None:
        self.pool = pool
        self.seconds_left = deadline
        self.scalars = Scalars(self.decide, tolerance)
        self.trouble = ""

    def verdict(self, gold: str, answer: str) -> Verdict:
        sides: list[Reading] = []
        for name, text in (("gold", gold), ("answer", answer)):
            try:
                sides.append(read(text))
            except (Unreadable, TooLarge) as error:
                return _refused(f"{name}: {error}", gold, answer)
        left, right = sides
        outcome = self.outcome(left, right)
        if outcome is Outcome.UNPARSABLE and left.is_foreign and right.is_foreign:
            outcome = self.last_resort(left.text, right.text)
        method = self.scalars.method
        if (
            outcome is Outcome.UNPARSABLE
            and squeezed(left.text) == squeezed(right.text)
            and not self.has_no_value(left)
        ):
            outcome, method = Outcome.EQUAL, Method.TEXT
        return Verdict(outcome, method, self.reason(outcome, left, right), _form(left), _form(right))

    def outcome(self, left: Reading, right: Reading) -> Outcome:
        """The best outcome over all pairs of readings."""
        comparer = Comparer(self.scalars)
        found: list[Outcome] = []
        for first in left.nodes:
            for second in right.nodes:
                try:
                    found.append(comparer.compare(first, second))
                except (TooLarge, ArithmeticError, ValueError) as error:
                    self.trouble = str(error)
                    found.append(Outcome.UNPARSABLE)
                if found[-1] is Outcome.EQUAL:
                    return Outcome.EQUAL
        for outcome in (Outcome.TIMED_OUT, Outcome.DIFFERENT):
            if outcome in found:
                return outcome
        return Outcome.UNPARSABLE

    def last_resort(self, gold: str, answer: str) -> Outcome:
        """math-verify's outcome where both sides are in notation outside our grammar and it may be asked at all.

        Where only one side is, math-verify would skip whatever it does not know ("17 or more" read as 17).
        """
        if not (is_admitted(gold) and is_admitted(answer)):
            return Outcome.UNPARSABLE
        outcome = _outcome(self.ask({"task": "math_verify", "gold": gold, "answer": answer}))
        if outcome is not Outcome.UNPARSABLE:
            self.scalars.used(Method.LAST_RESORT)
        return outcome

    def has_no_value(self, side: Reading) -> bool:
        """Whether a side was read but stands for nothing: 0/0."""
        return any(is_expression(node) and is_undefined(node) for node in side.nodes)

    def reason(self, outcome: Outcome, left: Reading, right: Reading) -> str:
        match outcome:
            case Outcome.UNPARSABLE:
                for name, side in (("gold", left), ("answer", right)):
                    if side.problem:
                        return f"{name}: {side.problem}"
                return self.trouble or "an expression without a value, or too large to decide"
            case Outcome.TIMED_OUT:
                return self.trouble or "no decision before the deadline"
            case _:
                return self.trouble

    def decide(self, first: Expression, second: Expression) -> Outcome:
        """The worker's outcome for two expressions, within what is left of the deadline."""
        return _outcome(self.ask({"task": "decide", "first": encode(first), "second": encode(second)}))

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        if self.seconds_left <= 0:
            return {"outcome": Outcome.TIMED_OUT.value}
        started = time.monotonic()
        try:
            reply = self.pool.ask(request, self.seconds_left)
        except WorkerTimeout as error:
            self.trouble = str(error)
            reply = {"outcome": Outcome.TIMED_OUT.value}
        self.seconds_left -= time.monotonic() - started
        if "error" in reply:
            self.trouble = reply["error"]
            return {"outcome": Outcome.UNPARSABLE.value}
        return reply


def _outcome(reply: dict[str, Any]) -> Outcome:
    return Outcome(reply["result"] if "result" in reply else reply["outcome"])


def _refused(reason: str, gold: str, answer: str) -> Verdict:
    return Verdict(Outcome.UNPARSABLE, Method.POLICY, reason, _escaped(gold), _escaped(answer))


def _escaped(text: str) -> str:
    """The start of a refused text, with what cannot be written to a file as escapes."""
    return text[:MAX_SHOWN].encode("utf-8", "backslashreplace").decode("utf-8")


def _form(side: Reading) -> str:
    return show(side.nodes[0]) if side.nodes else side.text[:MAX_SHOWN]


@cache
def _shared() -> Verifier:
    return Verifier()


def equivalent(gold: str, answer: str) -> Verdict:
    """The verdict of a verifier with default settings that the whole process shares.

    >>> equivalent("1/2", "0.5").outcome
    <Outcome.EQUAL: 'equal'>
    """
    return _shared().equivalent(gold, answer)
