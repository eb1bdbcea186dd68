"""The clipped surrogate and its gradient: against float64 formulas, branch by branch, and with values at the limits."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from semifactual.tensor.aggregation import constant_mean, sequence_mean, token_mean
from semifactual.tensor.loss import clipped_surrogate
from semifactual.tensor.ragged import flatten, response_numbers


def formula(ratio: float, advantage: float, low: float, high: float, dual: float) -> tuple[float, float]:
    """The loss, and its derivative with respect to the log-prob, one case after the other."""
    if advantage >= 0:
        return (-ratio * advantage,) * 2 if ratio <= 1 + high else (-(1 + high) * advantage, 0)
    if ratio < 1 - low:
        return -(1 - low) * advantage, 0
    return (-ratio * advantage,) * 2 if ratio <= dual else (-dual * advantage, 0)


@given(st.floats(-6, 6), st.one_of(st.just(0.0), st.floats(-3, 3)), st.floats(-5, 0))
def test_value_and_gradient_are_those_of_the_formula(log_ratio: float, advantage: float, old: float) -> None:
    logp = torch.tensor([old + log_ratio], dtype=torch.float64, requires_grad=True)
    logp_old = torch.tensor([old], dtype=torch.float64)
    result = clipped_surrogate(logp, logp_old, torch.tensor([advantage], dtype=torch.float64))
    ratio = math.exp(logp.item() - old)
    loss, slope = formula(ratio, advantage, 0.20, 0.28, 10.0)
    result.loss.sum().backward()
    assert result.loss.item() == pytest.approx(loss, abs=1e-9)
    assert logp.grad.item() == pytest.approx(slope, abs=1e-9)
    frozen = bool(result.clipped_low | result.clipped_high | result.dual_clipped)
    assert frozen == (slope == 0 and loss != 0)


def test_single_precision_agrees_with_double() -> None:
    generator = torch.Generator().manual_seed(2)
    logp, old = -3 * torch.rand(2, 400, generator=generator, dtype=torch.float64)
    advantages = torch.randn(400, generator=generator, dtype=torch.float64)
    found = clipped_surrogate(logp.float(), old.float(), advantages.float())
    assert torch.allclose(found.loss.double(), clipped_surrogate(logp, old, advantages).loss, rtol=1e-5, atol=1e-6)


def test_the_branch_follows_the_sign_of_the_token() -> None:
    """Two tokens of a response with A = 0; credit has made one of them negative."""
    result = clipped_surrogate(torch.tensor([3.0, 3.0]), torch.zeros(2), torch.tensor([0.0, -0.5]))
    assert result.dual_clipped.tolist() == [False, True]
    assert result.loss.tolist() == [0, 5]


def test_without_dual_clip_a_ratio_is_bounded_by_its_logarithm_only() -> None:
    result = clipped_surrogate(torch.tensor([0.0]), torch.tensor([-1e4]), torch.tensor([-1.0]), dual_clip=None)
    assert result.loss.item() == pytest.approx(math.exp(20), rel=1e-6)


def test_a_token_that_became_impossible_is_harmless() -> None:
    logp = torch.tensor([-torch.inf, -1.0], requires_grad=True)
    result = clipped_surrogate(logp, torch.tensor([-1.0, -torch.inf]), torch.tensor([1.0, 1.0]))
    result.loss.sum().backward()
    assert result.loss.isfinite().all()
    assert logp.grad.tolist() == [0, 0]


def step_loss(logp: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, mode: str, whole: Tensor) -> Tensor:
    """The share of a (micro-)batch in the loss of the step whose mask is `whole`."""
    flat = clipped_surrogate(flatten(logp, mask), flatten(old, mask), flatten(advantages, mask)).loss
    sequences = int(whole.any(1).sum())
    if mode == "token":
        return token_mean(flat, int(whole.sum()))
    if mode == "sequence":
        return sequence_mean(flat, response_numbers(mask), len(mask), sequences)
    return constant_mean(flat, sequences, 12)


def padded_batch() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Six ragged responses, one of them without a valid token; NaN wherever the mask forbids to look."""
    generator = torch.Generator().manual_seed(11)
    logp, old = -2 * torch.rand(2, 6, 9, generator=generator, dtype=torch.float64)
    advantages = torch.randn(6, 9, generator=generator, dtype=torch.float64)
    mask = torch.arange(9) < torch.tensor([9, 1, 0, 5, 7, 3]).unsqueeze(1)
    logp, old, advantages = (values.masked_fill(~mask, torch.nan) for values in (logp, old, advantages))
    return logp.requires_grad_(), old, advantages, mask


MODES = pytest.mark.parametrize("mode", ["token", "sequence", "constant"])


@MODES
def test_masked_positions_reach_neither_loss_nor_gradient(mode: str) -> None:
    logp, old, advantages, mask = padded_batch()
    loss = step_loss(logp, old, advantages, mask, mode, mask)
    loss.backward()
    assert loss.isfinite()
    assert (logp.grad[~mask] == 0).all()
    assert (logp.grad[mask] != 0).any()


@MODES
@pytest.mark.parametrize("size", [1, 2, 4])
def test_size_of_micro_batches_does_not_change_the_gradient(mode: str, size: int) -> None:
    logp, old, advantages, mask = padded_batch()
    step_loss(logp, old, advantages, mask, mode, mask).backward()
    wanted, logp.grad = logp.grad, None
    for start in range(0, len(mask), size):
        part = slice(start, start + size)
        step_loss(logp[part], old[part], advantages[part], mask[part], mode, mask).backward()
    assert torch.allclose(logp.grad, wanted, atol=1e-12)


@MODES
def test_padding_changes_nothing(mode: str) -> None:
    logp, old, advantages, mask = padded_batch()
    wide = [torch.cat([values, torch.full((6, 4), torch.nan)], 1) for values in (logp, old, advantages)]
    wide_mask = torch.cat([mask, torch.zeros(6, 4, dtype=torch.bool)], 1)
    assert torch.equal(step_loss(*wide, wide_mask, mode, wide_mask), step_loss(logp, old, advantages, mask, mode, mask))


@MODES
def test_nothing_valid_gives_zero(mode: str) -> None:
    logp, old, advantages, mask = padded_batch()
    nothing = torch.zeros_like(mask)
    step_loss(logp, old, advantages, nothing, mode, nothing).backward()
    assert not logp.grad.any()


def test_means_are_what_their_names_say() -> None:
    logp, old, advantages, mask = padded_batch()
    losses = clipped_surrogate(flatten(logp, mask), flatten(old, mask), flatten(advantages, mask)).loss
    by_response = losses.split(mask.sum(1).tolist())
    found = {
        mode: step_loss(logp, old, advantages, mask, mode, mask).item() for mode in ("token", "sequence", "constant")
    }
    assert found["token"] == pytest.approx(losses.mean().item())
    assert found["sequence"] == pytest.approx(sum(own.mean().item() for own in by_response if len(own)) / 5)
    assert found["constant"] == pytest.approx(losses.sum().item() / 5 / 12)


def test_only_the_policy_that_learns_has_a_gradient() -> None:
    logp, old, advantages = (torch.tensor([value], requires_grad=True) for value in (-1.0, -1.1, 0.5))
    clipped_surrogate(logp, old, advantages).loss.sum().backward()
    assert logp.grad is not None
    assert old.grad is None and advantages.grad is None
