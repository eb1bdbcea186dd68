"""pass@k against exact fractions and against every possible draw."""

from __future__ import annotations

from itertools import combinations
from math import comb

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from semifactual.tensor.passes import pass_at_k


@given(st.integers(1, 300), st.data())
def test_is_the_ratio_of_binomials(samples: int, data: st.DataObject) -> None:
    right, k = data.draw(st.integers(0, samples)), data.draw(st.integers(1, samples))
    wanted = 1 - comb(samples - right, k) / comb(samples, k)
    assert pass_at_k(torch.tensor([right]), torch.tensor([samples]), k).item() == pytest.approx(wanted, abs=1e-9)


def test_is_the_share_of_draws_that_hold_a_right_one() -> None:
    outcomes = [True, False, False, True, False]
    draws = list(combinations(outcomes, 2))
    share = sum(any(draw) for draw in draws) / len(draws)
    assert pass_at_k(torch.tensor([2]), torch.tensor([5]), 2).item() == pytest.approx(share)


def test_none_right_is_exactly_zero_and_too_few_wrong_exactly_one() -> None:
    assert pass_at_k(torch.tensor([0, 125]), torch.tensor([128, 128]), 4).tolist() == [0, 1]


@pytest.mark.parametrize(("right", "samples", "k"), [(0, 3, 4), (0, 3, 0), (4, 3, 1)])
def test_impossible_counts_are_refused(right: int, samples: int, k: int) -> None:
    with pytest.raises(ValueError, match="sample"):
        pass_at_k(torch.tensor([right]), torch.tensor([samples]), k)
