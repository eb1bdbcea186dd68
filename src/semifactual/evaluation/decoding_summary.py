"""summary.json of a decoding run: accuracy by method, paired differences, and what the filter rejected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semifactual.drift.bootstrap import paired_intervals, ratio_intervals
from semifactual.evaluation.decoders import Method
from semifactual.policy.policy import StopReason

SCHEMA_VERSION = 1
FEW_PROBLEMS = 20
MANY_TRUNCATED = 0.1
NOTHING_RIGHT = "No method has a right response: nothing is compared here, and there are no intervals."

Grades = NDArray[np.float64]
"""[problem, sample]: 1 where a response is right."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the summary needs of one row of decode.jsonl."""

    problem_id: str
    method: Method
    correct: bool
    tokens: int
    truncated: bool
    rejected: int
    masked_mass: float

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Outcome:
        """From the row; what only the filter counts is zero for other methods."""
        return cls(
            problem_id=row["problem_id"],
            method=Method(row["method"]),
            correct=row["correct"],
            tokens=len(row["token_ids"]),
            truncated=row["stop"] == StopReason.LENGTH,
            rejected=row.get("rejected", 0),
            masked_mass=row.get("masked_mass", 0.0),
        )


def summarise(
    outcomes: Sequence[Outcome], identity: Mapping[str, Any], *, without_rewrites: int, notes: Sequence[str] = ()
) -> dict[str, Any]:
    """The summary of a run.

    Accuracy is the mean over problems of the share of right responses; its interval comes from drawing problems anew,
    and is None for a single problem, and where no response at all is right. A difference is paired: both methods
    answer the same drawn problems.
    `turned_right` and `turned_wrong` count pairs of responses with the same seed (greedy's only response is paired with
    each), the first method's wrong and the second's right, or the other way round.

    Args:
        outcomes: of all rows, problem by problem, those of a method in the order of its samples.
        identity: what decided the run.
        without_rewrites: problems that were left out.
        notes: what a reader should hear before the warnings.
    """
    by_method = {method: [outcome for outcome in outcomes if outcome.method is method] for method in Method}
    problems = len({outcome.problem_id for outcome in outcomes})
    grades = {
        method: np.array([outcome.correct for outcome in own], dtype=np.float64).reshape(problems, -1)
        for method, own in by_method.items()
    }
    informed = any(outcome.correct for outcome in outcomes)
    draws = _Draws(identity["config"]["resamples"], identity["config"]["seed"], informed)
    return {
        "schema": SCHEMA_VERSION,
        **identity,
        "counts": {"problems": problems, "problems_without_rewrites": without_rewrites, "responses": len(outcomes)},
        "methods": {method.value: _method(own, grades[method], draws) for method, own in by_method.items()},
        "differences": [
            {"from": first.value, "to": second.value, **_difference(grades[first], grades[second], draws)}
            for first, second in combinations(Method, 2)
        ],
        "filter": _filter(by_method[Method.FILTERED]),
        "warnings": [*notes, *([] if informed else [NOTHING_RIGHT]), *_warnings(problems, by_method)],
    }


@dataclass(frozen=True, slots=True)
class _Draws:
    """How problems are drawn anew for the intervals."""

    resamples: int
    seed: int
    informed: bool
    """Any response of any method is right. If none is, drawing anew gives 0 each time, which is no interval."""


def _method(outcomes: Sequence[Outcome], grades: Grades, draws: _Draws) -> dict[str, Any]:
    found = ratio_intervals(*_ratio(grades), resamples=draws.resamples, seed=draws.seed)
    return {
        "accuracy": float(grades.mean()),
        "interval": _interval(found, len(grades)) if draws.informed else None,
        "responses": len(outcomes),
        "tokens": sum(outcome.tokens for outcome in outcomes),
        "truncated": sum(outcome.truncated for outcome in outcomes),
    }


def _difference(first: Grades, second: Grades, draws: _Draws) -> dict[str, Any]:
    found = paired_intervals(_ratio(first), _ratio(second), resamples=draws.resamples, seed=draws.seed)
    change, rates = second - first, second.mean(1) - first.mean(1)
    return {
        "mean": float(second.mean() - first.mean()),
        "interval": _interval(found, len(first)) if draws.informed else None,
        "turned_right": int((change > 0).sum()),
        "turned_wrong": int((change < 0).sum()),
        "problems_better": int((rates > 0).sum()),
        "problems_worse": int((rates < 0).sum()),
    }


def _ratio(grades: Grades) -> tuple[Grades, Grades]:
    """Right responses and all responses of each problem, [problem, 1] each."""
    return grades.sum(1, keepdims=True), np.full((len(grades), 1), grades.shape[1], dtype=np.float64)


def _interval(found: Grades, problems: int) -> list[float] | None:
    """The one interval found; None where a single problem says nothing of others."""
    return None if problems < 2 else [float(bound) for bound in found[0]]


def _filter(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    proposals = sum(outcome.tokens for outcome in outcomes)
    rejected = sum(outcome.rejected for outcome in outcomes)
    return {
        "proposals": proposals,
        "rejected": rejected,
        "share_rejected": rejected / proposals,
        "masked_mass": sum(outcome.masked_mass * outcome.tokens for outcome in outcomes) / proposals,
        "responses_unchanged": sum(outcome.rejected == 0 for outcome in outcomes),
    }


def _warnings(problems: int, by_method: Mapping[Method, Sequence[Outcome]]) -> list[str]:
    found = [
        f"{truncated:,} of {len(own):,} {method} responses reached the longest allowed length and are cut off; most "
        "of them have no answer."
        for method, own in by_method.items()
        if (truncated := sum(outcome.truncated for outcome in own)) > MANY_TRUNCATED * len(own)
    ]
    if problems == 1:
        found.append("There is one problem, and so there are no intervals.")
    elif problems < FEW_PROBLEMS:
        found.append(f"The intervals rest on {problems:,} problems, which is few: read them with care.")
    return found
