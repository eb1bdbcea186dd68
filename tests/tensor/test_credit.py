"""Credit: what it may do to an advantage, the control that shuffles it, and the divergence behind the signed form."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from semifactual.tensor.credit import credited_advantages, shuffled_within_responses, signed_credit, stability_credit
from semifactual.tensor.drift import drift, floored, signed_drift
from semifactual.tensor.stability import stability
from tests.tensor.batches import Batch, batches


def advantages_of(batch: Batch) -> Tensor:
    return torch.linspace(-1, 1, len(batch.lengths), dtype=torch.float64)


@given(batches(), st.floats(0, 4))
def test_credit_takes_and_never_gives(batch: Batch, weight: float) -> None:
    u = stability(batch.drift, batch.group, batch.groups)
    credited = credited_advantages(advantages_of(batch), stability_credit(u), batch.response, weight)
    plain = advantages_of(batch)[batch.response]
    assert (credited <= plain).all()
    assert torch.equal(credited[u >= 0], plain[u >= 0])


@given(batches())
def test_without_weight_it_is_the_plain_advantage_bit_for_bit(batch: Batch) -> None:
    u = stability(batch.drift, batch.group, batch.groups)
    plain = advantages_of(batch)
    assert torch.equal(credited_advantages(plain, u, batch.response, 0.0), plain[batch.response])


@given(batches())
def test_the_signs_are_parts_of_one(batch: Batch) -> None:
    u = stability(batch.drift, batch.group, batch.groups)
    assert torch.equal(stability_credit(u, "negative") + stability_credit(u, "positive"), stability_credit(u, "all"))


def test_zero_drift_gives_zero_credit() -> None:
    logps = -torch.rand(6, generator=torch.Generator().manual_seed(0))
    same = logps.repeat(3, 1)
    u = stability(drift(logps, same), torch.tensor([0, 0, 0, 1, 1, 1]), 2)
    assert not stability_credit(u).any()
    assert not signed_credit(signed_drift(logps, same)).any()


def test_drift_below_the_floor_gives_no_credit() -> None:
    signed = torch.tensor([[0.01, 0.5], [-0.6, 0.02]])
    assert signed_credit(floored(signed, torch.tensor([0.05, 0.05]))).tolist() == [0, -0.25]


def test_credit_carries_no_gradient() -> None:
    credit = torch.tensor([-1.0, 0.0], requires_grad=True)
    assert not credited_advantages(torch.tensor([1.0]), credit, torch.tensor([0, 0]), 0.5).requires_grad


@given(batches(), st.integers(0, 9))
def test_shuffling_keeps_what_each_response_has(batch: Batch, seed: int) -> None:
    credit = batch.drift[0]
    shuffled = shuffled_within_responses(credit, batch.response, torch.Generator().manual_seed(seed))
    again = shuffled_within_responses(credit, batch.response, torch.Generator().manual_seed(seed))
    assert torch.equal(shuffled, again)
    for number in range(len(batch.lengths)):
        own = batch.response == number
        assert torch.equal(shuffled[own].sort().values, credit[own].sort().values)


def test_shuffling_reaches_every_order() -> None:
    generator = torch.Generator().manual_seed(0)
    response = torch.tensor([1, 0, 1, 0, 1])
    seen = {tuple(shuffled_within_responses(torch.arange(5.0), response, generator).tolist()) for _ in range(300)}
    assert len(seen) == 3 * 2 * 2


def test_absent_variants_do_not_count() -> None:
    signed = torch.tensor([[0.4, 0.4, 0.4], [0.8, torch.nan, torch.nan]])
    present = torch.tensor([[True, True, False], [True, False, False]])
    assert signed_credit(signed, present).tolist() == pytest.approx([-0.6, -0.4, 0])


def one_sided_divergence(p0: Tensor, pk: Tensor) -> Tensor:
    r = p0 / pk
    return (pk * torch.where(r > 1, 2 * (r - 1) - 4 * ((r + 1) / 2).log(), 0)).sum(-1)


def middle_divergence(p0: Tensor, pk: Tensor) -> Tensor:
    middle = (p0 + pk) / 2
    return 4 * (pk * (pk / middle).log()).sum(-1)


def policies() -> tuple[Tensor, Tensor]:
    """The logits of one policy, and what three variants make of it, over a vocabulary of seven."""
    generator = torch.Generator().manual_seed(5)
    logits = torch.randn(7, generator=generator, dtype=torch.float64)
    variants = logits + torch.randn(3, 7, generator=generator, dtype=torch.float64)
    return logits.requires_grad_(), variants.log_softmax(-1)


def expected_gradient(logits: Tensor, credit: Tensor) -> Tensor:
    """The gradient of the expected credit over every token that the policy may draw, credit held fixed."""
    logps = logits.log_softmax(-1)
    (gradient,) = torch.autograd.grad((logps.exp().detach() * credit.detach() * logps).sum(), logits)
    return gradient


def test_signed_credit_descends_its_divergence() -> None:
    logits, variants = policies()
    found = expected_gradient(logits, signed_credit(signed_drift(logits.log_softmax(-1), variants)))
    divergence = one_sided_divergence(logits.softmax(-1), variants.exp()).mean()
    (wanted,) = torch.autograd.grad(divergence, logits)
    assert found.abs().max() > 0.01
    assert torch.allclose(found, -wanted, atol=1e-6)


def test_without_the_maximum_it_descends_the_divergence_to_the_middle() -> None:
    logits, variants = policies()
    found = expected_gradient(logits, -signed_drift(logits.log_softmax(-1), variants).mean(0))
    (wanted,) = torch.autograd.grad(middle_divergence(logits.softmax(-1), variants.exp()).mean(), logits)
    assert torch.allclose(found, -wanted, atol=1e-6)


def test_the_one_sided_divergence_is_one() -> None:
    logits, variants = policies()
    p0 = logits.softmax(-1)
    assert (one_sided_divergence(p0, variants.exp()) > 0).all()
    assert one_sided_divergence(p0, p0) == 0
