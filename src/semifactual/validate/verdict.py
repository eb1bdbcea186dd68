"""Check results and the verdict they make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from semifactual.types import AnswerCheck


class Mode(StrEnum):
    """How strictly frozen spans are compared."""

    FROZEN = "frozen"
    """Byte for byte."""
    SEMANTIC = "semantic"
    """By value and role (three = 3), for rewrites made by others."""


class Outcome(StrEnum):
    """Does the rewrite obey its kind's contract?"""

    VALID = "valid"
    """Every check passed."""
    INVALID = "invalid"
    """At least one check failed."""
    UNSURE = "unsure"
    """No check failed, but at least one could not decide."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found. `passed` is None where the check cannot decide; `evidence` says what it saw."""

    passed: bool | None
    evidence: str = ""


def passed(evidence: str = "") -> Finding:
    """The rule holds."""
    return Finding(True, evidence)


def failed(evidence: str) -> Finding:
    """The rule is broken, and this shows where."""
    return Finding(False, evidence)


def undecided(evidence: str) -> Finding:
    """Neither could be shown, and this is why."""
    return Finding(None, evidence)


def first_fault(findings: Iterable[Finding]) -> Finding:
    """The first finding that did not pass; a pass where all did."""
    return next((finding for finding in findings if not finding.passed), passed())


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One named check's finding, as `check --out` writes it."""

    name: str
    passed: bool | None
    evidence: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a contract on one rewrite, with every check's result and evidence."""

    checks: tuple[CheckResult, ...]
    answer_check: AnswerCheck = AnswerCheck.UNKNOWN

    @property
    def outcome(self) -> Outcome:
        """Invalid if any check failed, else unsure if any could not decide, else valid."""
        results = {check.passed for check in self.checks}
        if False in results:
            return Outcome.INVALID
        return Outcome.UNSURE if None in results else Outcome.VALID

    @property
    def failures(self) -> tuple[CheckResult, ...]:
        """The checks that did not pass: failed ones and undecided ones."""
        return tuple(check for check in self.checks if not check.passed)

    @property
    def enters_dataset(self) -> bool:
        """Whether a dataset may hold this rewrite: valid, and its answer not refuted."""
        return self.outcome is Outcome.VALID and self.answer_check is not AnswerCheck.REFUTED

    def to_json(self) -> Mapping[str, Any]:
        """The JSON object of this verdict, without the row's own fields."""
        return {
            "outcome": self.outcome.value,
            "answer_check": self.answer_check.value,
            "checks": [{"name": c.name, "passed": c.passed, "evidence": c.evidence} for c in self.checks],
        }
