"""Drift from log-probs: bounds, symmetry, extreme values, floors, and means over the rewrites of a kind."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from semifactual.tensor.drift import drift, floored, kind_means, signed_contrast, signed_drift

logps = st.floats(-60, 0)


@given(logps, logps)
def test_is_the_relative_difference_of_probabilities(first: float, second: float) -> None:
    p, q = math.exp(first), math.exp(second)
    found = signed_drift(torch.tensor(first, dtype=torch.float64), torch.tensor(second, dtype=torch.float64)).item()
    assert found == pytest.approx((p - q) / ((p + q) / 2), abs=1e-12)
    assert -2 <= found <= 2


@given(logps, logps)
def test_is_symmetric_and_zero_only_for_equals(first: float, second: float) -> None:
    a, b = torch.tensor(first), torch.tensor(second)
    assert drift(a, b) == drift(b, a) == signed_drift(a, b).abs()
    assert (drift(a, a) == 0).all()
    assert signed_drift(a, b) == -signed_drift(b, a)


def test_log_probs_far_below_the_smallest_probability() -> None:
    assert drift(torch.tensor(-5000.0), torch.tensor(-5000.0 + math.log(3))).item() == pytest.approx(1, abs=1e-3)
    assert drift(torch.tensor(-5000.0), torch.tensor(0.0)) == 2


def test_a_token_that_neither_allows_does_not_move() -> None:
    never = torch.tensor([-torch.inf, -torch.inf, 0.0])
    assert signed_drift(never, torch.tensor([-torch.inf, 0.0, -torch.inf])).tolist() == [0, -2, 2]


def test_half_precision_is_refused() -> None:
    with pytest.raises(ValueError, match="bfloat16"):
        drift(torch.zeros(2), torch.zeros(2, dtype=torch.bfloat16))


def test_single_precision_agrees_with_double() -> None:
    generator = torch.Generator().manual_seed(1)
    first, second = -8 * torch.rand(2, 500, generator=generator, dtype=torch.float64)
    found = drift(first.float(), second.float())
    assert found.dtype == torch.float32
    assert torch.allclose(found.double(), drift(first, second), atol=2e-6)


def test_contrast_of_a_response_without_tokens_is_unknown() -> None:
    contrast = signed_contrast(torch.tensor([-1.0]), torch.tensor([[-3.0]]), torch.tensor([1]), 2)
    assert contrast.isnan().tolist() == [[True, False]]
    assert contrast[0, 1] == 2


def test_floor_silences_what_lies_below_it_and_keeps_what_reaches_it() -> None:
    by_variant = torch.tensor([[0.1, 0.2, -0.1], [0.1, 0.2, -0.3]])
    assert floored(by_variant, torch.tensor([0.2, 0.0])).tolist() == [
        [0, by_variant[0, 1], 0],
        by_variant[1].tolist(),
    ]


def test_kind_means_average_rewrites_of_a_kind_first() -> None:
    """Token 0 has two rewrites of kind 0 and one of kind 1; token 1 has one of kind 1, and NaN where there is none."""
    by_variant = torch.tensor([[1.0, torch.nan], [0.5, 0.3], [0.2, torch.nan]])
    means, present = kind_means(by_variant, torch.tensor([[0, -1], [0, 1], [1, -1]]), 2)
    assert means.tolist() == [[0.75, 0], pytest.approx([0.2, 0.3])]
    assert present.tolist() == [[True, False], [True, True]]
