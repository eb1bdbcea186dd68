"""What holds for stability whatever the drift: bounds, symmetries, absent variants, ties, precision."""

from __future__ import annotations

from random import Random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from semifactual.tensor.groups import group_mean
from semifactual.tensor.ragged import flatten, response_numbers, token_owners, unflatten
from semifactual.tensor.stability import stability
from tests.tensor.batches import Batch, batches
from tests.tensor.test_groups import naive_zscore

AGGREGATES = ("zscore", "magnitude")
either = st.sampled_from(AGGREGATES)


def u_of(batch: Batch, **options: object) -> Tensor:
    return stability(batch.drift, batch.group, batch.groups, **options)  # type: ignore[arg-type]


@given(batches())
def test_is_two_nested_zscores(batch: Batch) -> None:
    inner = naive_zscore(-batch.drift, batch.group)
    assert torch.allclose(u_of(batch), naive_zscore(inner.mean(0, keepdim=True), batch.group)[0], atol=1e-5)


@given(batches(), either)
def test_at_most_half_is_taken_on_average(batch: Batch, aggregate: str) -> None:
    taken = group_mean(-u_of(batch, aggregate=aggregate).clamp(max=0), batch.group, batch.groups)
    assert (taken.nan_to_num(0) <= 0.5 + 1e-9).all()


@given(batches(), either, st.randoms(use_true_random=False))
def test_order_of_tokens_and_groups_does_not_matter(batch: Batch, aggregate: str, random: Random) -> None:
    tokens = torch.tensor(random.sample(range(len(batch.response)), len(batch.response)), dtype=torch.long)
    names = torch.tensor(random.sample(range(batch.groups), batch.groups))
    moved = stability(batch.drift[:, tokens], names[batch.group[tokens]], batch.groups, aggregate=aggregate)
    assert torch.allclose(moved, u_of(batch, aggregate=aggregate)[tokens], atol=1e-6)


@given(batches(), either)
def test_order_and_repetition_of_variants_do_not_matter(batch: Batch, aggregate: str) -> None:
    u = u_of(batch, aggregate=aggregate)
    for variants in (batch.drift.flip(0), batch.drift.repeat(2, 1), batch.drift.repeat_interleave(3, 0)):
        assert torch.allclose(stability(variants, batch.group, batch.groups, aggregate=aggregate), u, atol=1e-6)


@given(batches(), either)
def test_absent_variants_are_as_if_they_had_not_been(batch: Batch, aggregate: str) -> None:
    """Even groups lack a variant that is put in front; odd ones have it, as a copy of their first."""
    lacking = batch.group % 2 == 0
    extra = batch.drift[0].where(~lacking, torch.nan)
    present = torch.ones(len(batch.drift) + 1, len(batch.group), dtype=torch.bool)
    present[0] = ~lacking
    found = stability(
        torch.cat([extra[None], batch.drift]), batch.group, batch.groups, present=present, aggregate=aggregate
    )
    copied = stability(torch.cat([batch.drift[:1], batch.drift]), batch.group, batch.groups, aggregate=aggregate)
    assert torch.allclose(found, u_of(batch, aggregate=aggregate).where(lacking, copied), atol=1e-6)


@given(batches(torch.float32), either)
def test_single_precision_agrees_with_double(batch: Batch, aggregate: str) -> None:
    single = u_of(batch, aggregate=aggregate)
    double = stability(batch.drift.double(), batch.group, batch.groups, aggregate=aggregate)
    assert single.dtype == torch.float32
    assert torch.allclose(single.double(), double, atol=1e-5)


@given(batches(), either)
def test_padded_equals_ragged(batch: Batch, aggregate: str) -> None:
    """Masked positions hold NaN and infinity; a response without tokens is among them now and then."""
    mask = torch.arange(6) < torch.tensor(batch.lengths).unsqueeze(1)
    padded = unflatten(batch.drift, mask).masked_fill(~mask, torch.nan)
    padded[..., -1] = torch.inf
    u = stability(flatten(padded, mask), token_owners(batch.owner, mask), batch.groups, aggregate=aggregate)
    assert torch.equal(u, u_of(batch, aggregate=aggregate))
    assert torch.equal(response_numbers(mask), batch.response)


@pytest.mark.parametrize("aggregate", AGGREGATES)
@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3])
def test_equal_drift_gives_exactly_zero(aggregate: str, value: float) -> None:
    drift = torch.full((3, 9_999), value)
    drift[1] *= 0.7
    assert not stability(drift, torch.arange(9_999) % 4, 4, aggregate=aggregate).any()


def test_variants_that_contradict_each_other_cancel() -> None:
    drift = torch.rand(1, 500, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    u = stability(torch.cat([drift, 1 - drift]), torch.zeros(500, dtype=torch.long), 1)
    assert u.abs().max() < 1e-6


def test_an_idle_variant_has_no_vote() -> None:
    drift = torch.rand(2, 50, generator=torch.Generator().manual_seed(0))
    group = torch.arange(50) % 2
    idle = torch.cat([drift, torch.full((1, 50), 0.3)])
    assert torch.allclose(stability(idle, group, 2), stability(drift, group, 2), atol=1e-5)


def test_a_token_without_variants_is_neutral() -> None:
    present = torch.tensor([[True, True, False], [True, True, False]])
    drift = torch.tensor([[0.0, 1.0, torch.nan], [0.0, 1.0, torch.inf]])
    assert stability(drift, torch.tensor([0, 0, 0]), 1, present=present).tolist() == pytest.approx([1, -1, 0], abs=1e-5)
