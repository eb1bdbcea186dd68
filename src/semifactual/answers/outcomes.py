"""What the verifier says: enums and the evidence that goes with them, never a bare boolean."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """Are the two answers the same?"""

    EQUAL = "equal"
    DIFFERENT = "different"
    UNPARSABLE = "unparsable"
    """At least one side is not an answer that the grammar admits, or it is too large to decide."""
    TIMED_OUT = "timed_out"
    """The worker did not decide before the deadline."""


class Method(StrEnum):
    """The strongest means that a verdict needed, weakest first."""

    POLICY = "policy"
    """A guard decided before anything was read."""
    TEXT = "text"
    """Same text, up to notation."""
    EXACT = "exact"
    """Typed comparison in exact rational arithmetic."""
    NORMAL_FORM = "normal_form"
    """Expressions brought to one polynomial normal form over radicals, constants and functions."""
    NUMERIC = "numeric"
    """Values at sample points that clearly differ, or agree within a tolerance that the caller allowed."""
    SYMBOLIC = "symbolic"
    """Sympy in a worker: evaluated, then compared to 60 digits at several points."""
    LAST_RESORT = "math_verify"
    """math-verify in a worker, for notation outside our own grammar."""


METHODS = tuple(Method)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome, how it was reached, and both normal forms as evidence."""

    outcome: Outcome
    method: Method
    reason: str
    gold_form: str
    answer_form: str
    milliseconds: float = 0.0

    @property
    def equal(self) -> bool:
        """Whether the answers are the same. Everything short of proof counts as no."""
        return self.outcome is Outcome.EQUAL


class Found(StrEnum):
    """Where `extract` found an answer, or why there is none."""

    BOXED = "boxed"
    PHRASE = "phrase"
    """A phrase such as "the answer is ...", a `####` line or a lone final line; only if asked for."""
    NONE = "none"
    EMPTY = "empty"
    """The last box holds nothing."""
    TRUNCATED = "truncated"
    """The last box is not closed."""
    SEVERAL = "several"
    """Boxes side by side that disagree."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """An answer cut out of a response. `text` is empty unless `found` is boxed or phrase."""

    found: Found
    text: str = ""
