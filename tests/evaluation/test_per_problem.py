from __future__ import annotations

import random
from typing import Any

import pytest

from semifactual.evaluation.per_problem import metric_parts, split_metric
from tests.train.synthetic import evaluation, validation_rows


def row(
    problem: str, kind: str, right: int, *, samples: int = 2, sealed: bool = False, tokens: int = 10
) -> dict[str, Any]:
    return {
        "problem_id": problem,
        "kind": kind,
        "sealed": sealed,
        "right": right,
        "samples": samples,
        "truncated": 1,
        "tokens": tokens,
    }


def test_parts_worked_by_hand() -> None:
    """Kind k asks two questions of a and one of b: it weighs each by 1/(3 * 2). Kind s, sealed, asks b alone: 1/2."""
    rows = [
        row("a", "original", 1),
        row("b", "original", 2),
        row("a", "k", 2),
        row("a", "k", 1),
        row("b", "k", 0),
        row("b", "s", 1, sealed=True),
    ]
    assert metric_parts("accuracy", rows) == {"a": (0.5, 1.0), "b": (1.0, 1.0)}
    assert metric_parts("accuracy/k", rows) == {"a": (1.5, 2.0), "b": (0.0, 1.0)}
    assert metric_parts("sealed", rows) == {"b": (0.5, 1.0)}
    variants = metric_parts("variants", rows)
    assert variants is not None
    assert variants["a"] == pytest.approx((1.5 / 6, 2 / 6))
    assert variants["b"] == pytest.approx((0.5 / 2, 1 / 6 + 1 / 2))
    assert metric_parts("length", rows) == {"a": (10.0, 2.0), "b": (10.0, 2.0)}
    assert metric_parts("truncated", rows) == {"a": (1.0, 2.0), "b": (1.0, 2.0)}
    assert metric_parts("loss", rows) is None


def test_pass_at_k_is_the_unbiased_estimate() -> None:
    """Of 4 samples 1 is right: a draw of 2 misses it in C(3,2)/C(4,2) = 3/6 of the cases."""
    assert metric_parts("pass@2", [row("a", "original", 1, samples=4)]) == {"a": (0.5, 1.0)}


@pytest.mark.parametrize("seed", range(5))
def test_the_ratio_of_sums_is_what_validation_recorded(seed: int) -> None:
    rows = validation_rows(random.Random(seed), 0.5)
    for key, value in evaluation(rows).items():
        measure = key.removeprefix("v/")
        if measure != "problems":
            parts = metric_parts(measure, rows)
            assert parts is not None
            ratio = sum(part[0] for part in parts.values()) / sum(part[1] for part in parts.values())
            assert ratio == pytest.approx(value), key


def test_a_metric_of_no_set_is_none() -> None:
    assert split_metric("loss", ["v"]) is None
    assert split_metric("v/accuracy", ["v"]) == ("v", "accuracy")
