from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semifactual.drift import bootstrap
from semifactual.drift.bootstrap import paired_intervals, ratio_intervals, ratios


def column(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)[:, None]


def naive_intervals(numerators: np.ndarray, denominators: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """The same with one draw at a time and plain sums."""
    picks = np.random.default_rng(seed).integers(0, len(numerators), (resamples, len(numerators)))
    drawn = [
        [
            sum(numerators[p, f] for p in pick) / sum(denominators[p, f] for p in pick)
            for f in range(numerators.shape[1])
        ]
        for pick in picks
    ]
    return np.quantile(np.array(drawn), [0.025, 0.975], axis=0).T


def test_a_ratio_of_sums_is_no_mean_of_ratios() -> None:
    assert ratios(column(1, 9), column(1, 3)).tolist() == [2.5]
    assert np.isnan(ratios(column(0, 0), column(0, 0)))[0]


def test_intervals_are_those_of_one_draw_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(3)
    numerators, denominators = generator.random((7, 2)), generator.integers(1, 9, (7, 2)).astype(np.float64)
    expected = naive_intervals(numerators, denominators, 150, seed=11)
    found = ratio_intervals(numerators, denominators, resamples=150, seed=11)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    monkeypatch.setattr(bootstrap, "_DRAWS_AT_ONCE", 7 * 40)  # four blocks instead of one
    np.testing.assert_allclose(ratio_intervals(numerators, denominators, resamples=150, seed=11), expected, rtol=1e-12)


def test_equal_problems_leave_no_doubt_and_one_problem_tells_nothing() -> None:
    assert ratio_intervals(column(2, 2, 2), column(4, 4, 4)).tolist() == [[0.5, 0.5]]
    assert ratio_intervals(column(3), column(4)).tolist() == [[0.75, 0.75]]


def test_a_figure_that_few_problems_have_keeps_an_interval_and_one_that_none_has_gets_none() -> None:
    numerators, denominators = np.zeros((5, 2)), np.zeros((5, 2))
    numerators[2, 0], denominators[2, 0] = 3, 2
    found = ratio_intervals(numerators, denominators)
    assert found[0].tolist() == [1.5, 1.5]
    assert np.isnan(found[1]).all()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0, 10), min_size=2, max_size=12), st.integers(0, 1000))
def test_an_interval_lies_within_the_values_and_follows_the_seed(values: list[float], seed: int) -> None:
    data = column(*values), np.ones((len(values), 1))
    low, high = ratio_intervals(*data, seed=seed, resamples=200)[0]
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
    assert (ratio_intervals(*data, seed=seed, resamples=200)[0] == [low, high]).all()


def test_95_percent_intervals_cover_the_truth_about_95_times_in_100() -> None:
    generator = np.random.default_rng(0)
    covered = 0
    for trial in range(200):
        sample = generator.normal(1.0, 2.0, (60, 1))
        low, high = ratio_intervals(sample, np.ones_like(sample), resamples=400, seed=trial)[0]
        covered += low <= 1.0 <= high
    assert 180 <= covered <= 199


def test_a_paired_difference_is_narrower_than_the_figures_apart() -> None:
    generator = np.random.default_rng(1)
    hardness = generator.normal(0, 5, (80, 1))
    ones = np.ones_like(hardness)
    first, second = (hardness, ones), (hardness + 0.5, ones)
    low, high = paired_intervals(first, second)[0]
    assert (low, high) == (pytest.approx(0.5), pytest.approx(0.5))
    apart = ratio_intervals(*first)[0]
    assert apart[1] - apart[0] > 1
    with pytest.raises(ValueError, match="the same problems"):
        paired_intervals(first, (ones[:-1], ones[:-1]))
