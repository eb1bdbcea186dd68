"""Tokens are drawn with the right probabilities, from streams that the seed alone decides."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import TopPLogitsWarper

from semifactual.errors import SemifactualError
from semifactual.policy.policy import Sampling
from semifactual.policy.sampling import Streams, draw_tokens, response_seed


def spread(rows: int) -> torch.Tensor:
    """Uniform numbers that divide [0, 1) evenly, so that counts of tokens are their probabilities to 1 / rows."""
    return (torch.arange(rows, dtype=torch.float64) + 0.5) / rows


def shares(logits: torch.Tensor, sampling: Sampling, rows: int = 4_000) -> torch.Tensor:
    tokens = draw_tokens(logits[None].expand(rows, -1), spread(rows), sampling)
    return torch.bincount(tokens, minlength=len(logits)).double() / rows


def test_by_hand() -> None:
    # Probabilities 1/2, 1/4, 1/4: the borders are 0.5 and 0.75, and a number on a border belongs to the token above it.
    logits = torch.tensor([2.0, 1.0, 1.0]).log()
    numbers = torch.tensor([0.0, 0.4999, 0.5, 0.7499, 0.75, 0.9999], dtype=torch.float64)
    assert draw_tokens(logits.expand(6, 3), numbers, Sampling()).tolist() == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("vocabulary", [1, 5, 64, 65, 300])
@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.0])
def test_shares_are_the_probabilities(vocabulary: int, temperature: float) -> None:
    logits = torch.randn(vocabulary, generator=torch.Generator().manual_seed(vocabulary)) * 2
    expected = (logits.double() / temperature).softmax(dim=0)
    found = shares(logits, Sampling(temperature=temperature))
    torch.testing.assert_close(found, expected, atol=3e-4, rtol=0)


@pytest.mark.parametrize("top_p", [0.05, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("vocabulary", [5, 300, 2_000])
def test_the_nucleus_is_that_of_transformers(top_p: float, vocabulary: int) -> None:
    logits = torch.randn(vocabulary, generator=torch.Generator().manual_seed(vocabulary)) * 2
    expected = TopPLogitsWarper(top_p)(None, logits[None])[0].double().softmax(dim=0)  # type: ignore[arg-type]
    torch.testing.assert_close(shares(logits, Sampling(top_p=top_p)), expected, atol=3e-4, rtol=0)


def test_rows_whose_nuclei_differ_in_size_share_a_batch() -> None:
    # One row is nearly certain, one is flat, so that its nucleus is wider than the first look.
    logits = torch.stack([torch.arange(1000.0), torch.zeros(1000) + torch.arange(1000) * 1e-6])
    numbers = torch.full((2,), 0.5, dtype=torch.float64)
    both = draw_tokens(logits, numbers, Sampling(top_p=0.8))
    alone = [int(draw_tokens(logits[row : row + 1], numbers[:1], Sampling(top_p=0.8))) for row in range(2)]
    assert both.tolist() == alone
    assert 500 < alone[1] < 700


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 200), st.integers(0, 2**32 - 1), st.floats(0.05, 1.0))
def test_no_token_without_weight_is_drawn(vocabulary: int, seed: int, top_p: float) -> None:
    draw = torch.Generator().manual_seed(seed)
    logits = torch.randn(8, vocabulary, generator=draw) * 20
    logits[torch.rand(8, vocabulary, generator=draw) < 0.5] = -torch.inf
    logits[:, 0] = 0
    numbers = torch.tensor([0.0, 1e-300, 0.1, 0.5, 0.9, 1 - 1e-12, 1 - 2**-53, 1 - 2**-52], dtype=torch.float64)
    tokens = draw_tokens(logits, numbers, Sampling(top_p=top_p))
    assert bool(logits.gather(1, tokens[:, None]).isfinite().all())


def test_temperature_zero_takes_the_most_probable() -> None:
    assert draw_tokens(torch.tensor([[0.0, 3.0, 1.0]]), torch.zeros(1), Sampling(temperature=0)).tolist() == [1]


def test_logits_that_are_not_numbers_are_said() -> None:
    with pytest.raises(SemifactualError, match="not numbers"):
        draw_tokens(torch.tensor([[0.0, torch.nan]]), torch.zeros(1, dtype=torch.float64), Sampling())


def test_a_stream_depends_on_its_seed_alone() -> None:
    streams = Streams([7, 8, 9])
    first, second = streams.draw([0, 1, 2], 3), streams.draw([2, 0], 2)
    alone = np.random.Generator(np.random.Philox(7)).random(5)
    assert [*first[0].tolist(), *second[1].tolist()] == alone.tolist()
    assert len(set(first.flatten().tolist())) == 9


def test_seeds_of_responses_are_fixed_numbers() -> None:
    # sha256('[0,"p-1",0]'), first eight bytes: the value must never change, or old runs could not be repeated.
    assert response_seed(0, "p-1", 0) == 5151709877849378725
    assert len({response_seed(s, p, i) for s in range(3) for p in ("a", "b") for i in range(3)}) == 18
