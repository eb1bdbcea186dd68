from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from semifactual.train.advantages import in_loss, response_advantages, spread, token_advantages
from semifactual.train.recipe import LossRecipe
from tests.train.rollouts import completion, rollout


def test_groups_are_compared_within_themselves() -> None:
    # Rewards 1, 0 | 1, 1: mean 0.5, sample std sqrt(0.5) = 0.7071, so +-0.5/0.7071 = +-0.7071; equal rewards give 0.
    made = rollout([[1.0, 0.0], [1.0, 1.0]])
    found = response_advantages(LossRecipe(), made)
    torch.testing.assert_close(found, torch.tensor([0.7071, -0.7071, 0.0, 0.0]), atol=1e-4, rtol=0)


def test_a_response_without_a_reward_is_left_out_of_its_group() -> None:
    found = response_advantages(LossRecipe(advantage="dr_grpo"), rollout([[1.0, float("nan"), 0.0]]))
    assert found[1].isnan()
    torch.testing.assert_close(found[[0, 2]], torch.tensor([0.5, -0.5]))


def test_a_group_of_one_has_no_advantage() -> None:
    assert response_advantages(LossRecipe(), rollout([[1.0, float("nan")]]))[0] == 0.0


@pytest.mark.parametrize(
    ("made", "learnt"),
    [
        (completion(0, 0, 1.0), True),
        (completion(0, 0, float("nan")), False),
        (completion(0, 0, 1.0, tokens=0), False),
        (completion(0, 0, 1.0, truncated=True), False),
    ],
)
def test_what_is_learnt_from(made: object, learnt: bool) -> None:
    assert in_loss(LossRecipe(mask_truncated=True), made) is learnt  # type: ignore[arg-type]
    assert in_loss(LossRecipe(), completion(0, 0, 1.0, truncated=True))


def test_credit_lowers_tokens_and_lambda_zero_changes_no_bit() -> None:
    advantage, u = torch.tensor(0.3), torch.tensor([0.0, -2.0, -0.5])
    torch.testing.assert_close(token_advantages(advantage, u, 3, 0.1), torch.tensor([0.3, 0.1, 0.25]))
    plain = token_advantages(advantage, None, 3, 0.1)
    assert torch.equal(token_advantages(advantage, u, 3, 0.0), plain)
    assert torch.equal(plain, torch.full((3,), 0.3))


def test_spread_by_hand() -> None:
    # |A| = 1, 1, 2: (4)^2 / (3 * 6) = 16/18. Ranked 1, 1, 2: 2 (1*1 + 2*1 + 3*2) / (3*4) - 4/3 = 18/12 - 16/12 = 1/6.
    found = spread([torch.tensor([1.0, -1.0]), torch.tensor([2.0])])
    assert found["advantage/mean"] == pytest.approx(2 / 3)
    assert found["advantage/abs"] == pytest.approx(4 / 3)
    assert found["advantage/effective_tokens"] == pytest.approx(16 / 18)
    assert found["advantage/gini"] == pytest.approx(1 / 6)


def test_spread_of_nothing() -> None:
    assert spread([]) == {}
    zeros = spread([torch.zeros(4)])
    assert (zeros["advantage/effective_tokens"], zeros["advantage/gini"]) == (0.0, 0.0)


@given(st.lists(st.floats(-10, 10, width=32), min_size=1, max_size=30))
def test_spread_is_within_its_bounds(values: list[float]) -> None:
    found = spread([torch.tensor(values)])
    assert -1e-9 <= found["advantage/gini"] <= 1 - 1 / len(values) + 1e-9
    assert 0 <= found["advantage/effective_tokens"] <= 1 + 1e-9
