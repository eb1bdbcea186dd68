"""Chunked log-probs against the full logits, in value and gradient, and what they cost in memory."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from semifactual.tensor import logprobs
from semifactual.tensor.logprobs import chunked_logprobs
from tests.tensor.memory import LargestTensor


def full(hidden, weight, targets, bias=None, temperature=1.0, scale=1.0, softcap=None):
    """The definition: all logits, one log_softmax, one gather; and the entropy."""
    z = hidden @ weight.T
    z = (z if bias is None else z + bias) * scale
    z = (softcap * torch.tanh(z / softcap) if softcap else z) / temperature
    logps = z.log_softmax(dim=-1)
    return logps.gather(1, targets[:, None])[:, 0], -(logps.exp() * logps).sum(dim=-1)


def inputs(tokens: int, width: int, vocab: int, *, seed: int = 0, dtype: torch.dtype = torch.float64):
    generator = torch.Generator().manual_seed(seed)
    hidden, weight = (torch.randn(n, width, generator=generator, dtype=dtype) for n in (tokens, vocab))
    return hidden, weight, torch.randint(vocab, (tokens,), generator=generator)


def test_worked_by_hand():
    # Logits (ln 1, ln 2, ln 5) and (ln 4, ln 2, ln 2): probabilities 1/8, 2/8, 5/8 and 1/2, 1/4, 1/4.
    hidden = torch.tensor([[1.0, 2.0, 5.0], [4.0, 2.0, 2.0]]).log()
    logps, entropy = chunked_logprobs(hidden, torch.eye(3), torch.tensor([2, 0]), with_entropy=True)
    assert logps.tolist() == pytest.approx([math.log(5 / 8), math.log(1 / 2)])
    assert entropy.tolist() == pytest.approx(
        [-sum(p * math.log(p) for p in (1 / 8, 2 / 8, 5 / 8)), 0.5 * math.log(2) + 0.5 * math.log(4)]
    )


@settings(max_examples=60, deadline=None)
@given(
    tokens=st.integers(0, 9),
    vocab=st.integers(1, 40),
    block=st.integers(1, 41),
    tile=st.integers(1, 400),
    temperature=st.sampled_from([1.0, 0.3, 2.0]),
    scale=st.sampled_from([1.0, 0.25]),
    softcap=st.sampled_from([None, 2.0]),
    biased=st.booleans(),
)
def test_value_and_gradient_are_those_of_the_full_logits(
    tokens, vocab, block, tile, temperature, scale, softcap, biased
):
    hidden, weight, targets = inputs(tokens, 5, vocab)
    leaves = [hidden, weight, *([torch.linspace(-1, 1, vocab, dtype=torch.float64)] if biased else [])]
    for leaf in leaves:
        leaf.requires_grad_()
    options: dict[str, Any] = {"temperature": temperature, "scale": scale, "softcap": softcap}
    options["bias"] = leaves[2] if biased else None
    upstream = torch.linspace(0.5, 2, tokens, dtype=torch.float64)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logprobs, "VOCAB_BLOCK", block)
        ours, entropy = chunked_logprobs(hidden, weight, targets, with_entropy=True, tile_elements=tile, **options)
        gradients = torch.autograd.grad(ours, leaves, upstream)
    theirs, their_entropy = full(hidden, weight, targets, **options)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-11)
    torch.testing.assert_close(entropy, their_entropy, rtol=0, atol=1e-11)
    assert not entropy.requires_grad
    for gradient, expected in zip(gradients, torch.autograd.grad(theirs, leaves, upstream), strict=True):
        torch.testing.assert_close(gradient, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("softcap", [None, 1.5])
def test_gradcheck(softcap):
    hidden, weight, targets = inputs(4, 3, 7)
    bias = torch.linspace(-1, 1, 7, dtype=torch.float64)
    leaves = [leaf.requires_grad_() for leaf in (hidden, weight, bias)]

    def function(hidden, weight, bias):
        return chunked_logprobs(
            hidden, weight, targets, bias=bias, softcap=softcap, temperature=0.7, scale=1.3, tile_elements=6
        )[0]

    assert torch.autograd.gradcheck(function, leaves)


@pytest.mark.parametrize("frozen", ["hidden", "weight"])
def test_what_is_frozen_gets_no_gradient(frozen):
    hidden, weight, targets = inputs(3, 4, 6)
    (weight if frozen == "hidden" else hidden).requires_grad_()
    chunked_logprobs(hidden, weight, targets)[0].sum().backward()
    assert (hidden.grad is None, weight.grad is None) == (frozen == "hidden", frozen == "weight")


def test_extreme_logits_stay_finite():
    # exp(1e4) overflows in every float type; a constant added to all logits changes no probability.
    weight, targets = torch.eye(2), torch.tensor([0, 1])
    for shift in (-1e4, 0.0, 1e4):
        logps, _ = chunked_logprobs(torch.tensor([[1.0, 0.0], [1.0, 0.0]]) + shift, weight, targets, tile_elements=1)
        assert logps.tolist() == pytest.approx([-0.31326, -1.31326], abs=1e-4)


def test_bf16_inputs_meet_an_fp32_head():
    hidden, weight, targets = inputs(50, 32, 500, dtype=torch.float32)
    hidden, weight = hidden.bfloat16(), weight.bfloat16()
    exact, _ = full(hidden.double(), weight.double(), targets)
    ours, _ = chunked_logprobs(hidden, weight, targets)
    coarse, _ = chunked_logprobs(hidden, weight, targets, head_dtype=torch.bfloat16)
    assert ours.dtype == coarse.dtype == torch.float32
    assert (ours - exact).abs().max() < 1e-4 < (coarse - exact).abs().max()


def test_autocast_does_not_lower_the_head():
    hidden, weight, targets = inputs(20, 16, 60, dtype=torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        inside, _ = chunked_logprobs(hidden, weight, targets)
    assert torch.equal(inside, chunked_logprobs(hidden, weight, targets)[0])


def test_bf16_gradients_keep_the_type_of_what_they_belong_to():
    hidden, weight, targets = inputs(40, 8, 30, dtype=torch.float32)
    hidden, weight = (leaf.bfloat16().requires_grad_() for leaf in (hidden, weight))
    chunked_logprobs(hidden, weight, targets, tile_elements=60)[0].sum().backward()
    exact = [leaf.detach().double().requires_grad_() for leaf in (hidden, weight)]
    full(*exact, targets)[0].sum().backward()
    for leaf, reference in zip((hidden, weight), exact, strict=True):
        assert leaf.grad.dtype == torch.bfloat16
        # One rounding to eight bits, whatever the number of chunks.
        torch.testing.assert_close(leaf.grad.double(), reference.grad, rtol=2**-8, atol=1e-4)


def test_no_tensor_of_tokens_by_vocab_is_made():
    hidden, weight, targets = inputs(300, 4, 2000, dtype=torch.float32)
    hidden.requires_grad_()
    with LargestTensor() as ours:
        chunked_logprobs(hidden, weight, targets, with_entropy=True, tile_elements=5000)[0].sum().backward()
    assert ours.elements <= max(5000, weight.numel())
    with LargestTensor() as theirs:
        full(hidden, weight, targets)
    assert theirs.elements == 300 * 2000


def test_a_bf16_weight_is_never_copied_whole():
    hidden, weight, targets = inputs(2, 8, 3 * logprobs.VOCAB_BLOCK, dtype=torch.float32)
    weight = weight.bfloat16()
    with LargestTensor() as ours:
        chunked_logprobs(hidden, weight, targets)
    assert ours.elements == logprobs.VOCAB_BLOCK * 8


def test_impossible_calls_are_refused():
    hidden, weight, targets = inputs(2, 3, 4)
    with pytest.raises(ValueError, match="above zero"):
        chunked_logprobs(hidden, weight, targets, temperature=0)
    for wrong in (-1, 4):
        with pytest.raises(IndexError, match="outside the vocabulary"):
            chunked_logprobs(hidden, weight, torch.tensor([0, wrong]))
