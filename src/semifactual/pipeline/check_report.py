"""What a check of many rows found, added up row by row."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from semifactual.pipeline.agreement import Agreement, is_rejected
from semifactual.validate.verdict import Outcome


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check of many rows found."""

    rows: int
    outcomes: dict[str, dict[str, int]]
    """Per kind, how many rows had each outcome."""
    failed_checks: dict[str, dict[str, int]]
    """Per kind, how many rows each check did not pass: it failed, or could not decide."""
    answer_checks: dict[str, int]
    rejected: int
    """How many rows a dataset may not hold: not valid, or with a refuted answer."""
    skipped: int = 0
    """Rows that could not be used and were left out on request."""
    traffic: dict[str, Any] | None = None
    """What was sent to models and paid for; None where none was asked."""
    agreement: Agreement = field(default_factory=Agreement)
    """The verdicts by a column and against labels, where these were asked for."""

    def to_json(self) -> dict[str, Any]:
        """The report as `check --json` prints it."""
        plain = asdict(replace(self, agreement=Agreement()))
        del plain["agreement"]
        if self.traffic is None:
            del plain["traffic"]
        return {**plain, **self.agreement.to_json()}

    @property
    def valid(self) -> int:
        """How many rows obey their kind's contract, whatever is known of their answer."""
        return sum(counts.get(Outcome.VALID, 0) for counts in self.outcomes.values())


@dataclass(slots=True)
class CheckTally:
    """The counts of a check, added up row by row."""

    agreement: Agreement
    rows: int = 0
    rejected: int = 0
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    failed_checks: dict[str, Counter[str]] = field(default_factory=dict)
    answer_checks: Counter[str] = field(default_factory=Counter)

    def add(self, verdict: dict[str, Any]) -> None:
        """Count one verdict row."""
        self.rows += 1
        self.rejected += is_rejected(verdict)
        kind = verdict["kind"]
        self.outcomes.setdefault(kind, Counter())[verdict["outcome"]] += 1
        failed = (check["name"] for check in verdict["checks"] if not check["passed"])
        self.failed_checks.setdefault(kind, Counter()).update(failed)
        self.answer_checks[verdict["answer_check"]] += 1

    def report(self, skipped: int) -> CheckReport:
        """What was found, beside so many rows that were left out."""
        return CheckReport(
            rows=self.rows,
            outcomes={kind: dict(sorted(counts.items())) for kind, counts in sorted(self.outcomes.items())},
            failed_checks={kind: dict(counts.most_common()) for kind, counts in sorted(self.failed_checks.items())},
            answer_checks=dict(sorted(self.answer_checks.items())),
            rejected=self.rejected,
            skipped=skipped,
            agreement=self.agreement,
        )
