"""Counted shares and their intervals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.pipeline.proportions import Proportion, wilson


@pytest.mark.parametrize(
    ("successes", "trials", "interval"),
    [(0, 10, (0.0, 0.2775)), (10, 10, (0.7225, 1.0)), (15, 148, (0.0624, 0.1605)), (0, 0, (0.0, 1.0))],
)
def test_intervals_are_those_of_the_textbook(successes: int, trials: int, interval: tuple[float, float]) -> None:
    assert wilson(successes, trials) == pytest.approx(interval, abs=5e-5)


@given(st.integers(1, 5000).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))))
def test_an_interval_holds_its_share_and_mirrors_that_of_the_rest(counts: tuple[int, int]) -> None:
    count, of = counts
    low, high = wilson(count, of)
    assert 0 <= low <= count / of <= high <= 1
    assert wilson(of - count, of) == pytest.approx((1 - high, 1 - low))
    assert high - low > wilson(4 * count, 4 * of)[1] - wilson(4 * count, 4 * of)[0]


def test_nothing_has_no_share() -> None:
    assert Proportion(0, 0).to_json() == {"count": 0, "of": 0, "share": None, "interval": None}
    assert Proportion(1, 4).to_json()["share"] == 0.25
