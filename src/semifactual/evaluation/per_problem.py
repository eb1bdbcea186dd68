"""A validation metric as a ratio of two sums over problems, so that intervals can be drawn by drawing problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import comb
from typing import Any, TypeAlias

Row: TypeAlias = Mapping[str, Any]
"""A row of validation/step-N.parquet."""
Parts: TypeAlias = dict[str, tuple[float, float]]
"""A numerator and a denominator by problem id."""

ORIGINAL = "original"


def split_metric(metric: str, sets: Sequence[str]) -> tuple[str, str] | None:
    """A key of eval.jsonl as the set's name and what is measured on it; None where it is none of a set's.

    >>> split_metric("a/b/accuracy/typo_noise", ["a", "a/b"])
    ('a/b', 'accuracy/typo_noise')
    """
    for name in sorted(sets, key=len, reverse=True):
        if metric.startswith(f"{name}/"):
            return name, metric.removeprefix(f"{name}/")
    return None


def metric_parts(measure: str, rows: Sequence[Row]) -> Parts | None:
    """The parts of one measure, from the rows of one set; None where it is not of a kind that problems make up.

    The sum of the numerators over that of the denominators is the value in eval.jsonl. A mean over kinds weighs each
    question by one over the number of questions of its kind, which gives every kind the same say.
    """
    originals = [row for row in rows if row["kind"] == ORIGINAL]
    variants = [row for row in rows if row["kind"] != ORIGINAL]
    if measure == "accuracy":
        return _summed(originals, _share_right)
    if measure.startswith("accuracy/"):
        return _summed([row for row in variants if row["kind"] == measure.removeprefix("accuracy/")], _share_right)
    if measure == "variants":
        return _over_kinds(variants)
    if measure == "sealed":
        return _over_kinds([row for row in variants if row["sealed"]])
    if measure.startswith("pass@"):
        return _summed(originals, lambda row: (_pass(row, int(measure.removeprefix("pass@"))), 1.0))
    if measure == "truncated":
        return _summed(originals, lambda row: (row["truncated"], row["samples"]))
    if measure == "length":
        return _summed(originals, lambda row: (row["tokens"], row["samples"]))
    return None


def _over_kinds(rows: Sequence[Row]) -> Parts:
    questions = Counter(row["kind"] for row in rows)

    def weighed(row: Row) -> tuple[float, float]:
        weight = 1.0 / (questions[row["kind"]] * len(questions))
        return weight * row["right"] / row["samples"], weight

    return _summed(rows, weighed)


def _share_right(row: Row) -> tuple[float, float]:
    return row["right"] / row["samples"], 1.0


def _pass(row: Row, k: int) -> float:
    """The unbiased estimate of pass@k: 1 - C(n - c, k) / C(n, k)."""
    return 1.0 - comb(row["samples"] - row["right"], k) / comb(row["samples"], k)


def _summed(rows: Sequence[Row], parts: Callable[[Row], tuple[float, float]]) -> Parts:
    found: Parts = {}
    for row in rows:
        numerator, denominator = parts(row)
        before = found.get(row["problem_id"], (0.0, 0.0))
        found[row["problem_id"]] = (before[0] + numerator, before[1] + denominator)
    return found
