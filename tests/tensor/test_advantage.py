"""Advantages of responses: against a loop over groups, their symmetries, and groups that say nothing."""

from __future__ import annotations

import statistics
from random import Random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from semifactual.tensor.advantage import group_advantages

ESTIMATORS = ("grpo", "dr_grpo", "rloo")
either = st.sampled_from(ESTIMATORS)
scored = st.lists(
    st.tuples(st.integers(0, 3), st.one_of(st.sampled_from([0.0, 1.0]), st.floats(-3, 3, width=32))),
    min_size=1,
    max_size=12,
)


def naive(rewards: list[float], groups: list[int], estimator: str, ddof: int, eps: float) -> list[float]:
    found = []
    for reward, group in zip(rewards, groups, strict=True):
        inside = [other for other, owner in zip(rewards, groups, strict=True) if owner == group]
        mean = statistics.fmean(inside)
        if len(inside) == 1 or min(inside) == max(inside):
            found.append(0.0)
        elif estimator == "grpo":
            std = statistics.stdev(inside) if ddof else statistics.pstdev(inside)
            found.append((reward - mean) / (std + eps))
        elif estimator == "dr_grpo":
            found.append(reward - mean)
        else:
            found.append(reward - (sum(inside) - reward) / (len(inside) - 1))
    return found


@given(scored, either, st.sampled_from([0, 1]))
def test_is_that_of_a_loop(pairs: list[tuple[int, float]], estimator: str, ddof: int) -> None:
    groups, rewards = zip(*pairs, strict=True)
    found = group_advantages(
        torch.tensor(rewards, dtype=torch.float64), torch.tensor(groups), 4, estimator=estimator, ddof=ddof, eps=1e-4
    )
    assert found.tolist() == pytest.approx(naive(list(rewards), list(groups), estimator, ddof, 1e-4), abs=1e-6)


@given(scored, either, st.randoms(use_true_random=False))
def test_order_does_not_matter(pairs: list[tuple[int, float]], estimator: str, random: Random) -> None:
    groups, rewards = (torch.tensor(column) for column in zip(*pairs, strict=True))
    order = torch.tensor(random.sample(range(len(pairs)), len(pairs)))
    names = torch.tensor(random.sample(range(4), 4))
    moved = group_advantages(rewards[order], names[groups[order]], 4, estimator=estimator)
    assert torch.allclose(moved, group_advantages(rewards, groups, 4, estimator=estimator)[order], atol=1e-6)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_uniform_groups_and_groups_of_one_give_exactly_zero(estimator: str) -> None:
    rewards = torch.tensor([0.1] * 7 + [0.3])
    group = torch.tensor([0] * 7 + [1])
    assert not group_advantages(rewards, group, 2, estimator=estimator, eps=1e-12).any()


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_rewards_that_are_no_numbers_are_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match=r"responses \[1\]"):
        group_advantages(torch.tensor([0.0, wrong]), torch.tensor([0, 0]), 1)
