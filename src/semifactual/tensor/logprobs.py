"""Log-probs of given tokens from hidden states, without the (token x vocab) logits that they come from.

The vocabulary projection runs in tiles, a block of the vocabulary by a chunk of tokens, and only four numbers a token
outlive a tile: the largest logit so far, the sum of exponentials relative to it, that sum weighted by the logits (for
the entropy) and the logit of the target. The backward pass makes the same tiles again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable

VOCAB_BLOCK = 4096
"""The widest tile. A block of a bf16 weight is cast once and then meets every chunk of tokens."""

TILE_ELEMENTS = 2**21
"""The largest tile: 8 MB in fp32."""


def chunked_logprobs(
    hidden: Float[Tensor, "token width"],
    weight: Float[Tensor, "vocab width"],
    targets: Int[Tensor, " token"],
    *,
    bias: Float[Tensor, " vocab"] | None = None,
    temperature: float = 1.0,
    scale: float = 1.0,
    softcap: float | None = None,
    with_entropy: bool = False,
    head_dtype: torch.dtype | None = None,
    tile_elements: int = TILE_ELEMENTS,
) -> tuple[Float[Tensor, " token"], Float[Tensor, " token"] | None]:
    """log softmax(z)[target] of every token, in nats, and the entropy of softmax(z) where it is asked for.

    z = cap(scale * (hidden weight^T + bias)) / temperature, with cap(x) = softcap * tanh(x / softcap), or x where
    there is no softcap. No tensor is larger than `tile_elements`, a block of the weight or the inputs.

    Differentiable in `hidden`, `weight` and `bias`, once. The entropy carries no gradient.

    Args:
        scale: the model's own factor on its logits (Granite divides by `logits_scaling`, Cohere multiplies by
            `logit_scale`).
        softcap: the model's own bound on its logits (Gemma's `final_logit_softcapping`).
        head_dtype: what the projection is computed in. By default fp32, whatever the weights are stored in, or fp64
            where an input is fp64. Sums of exponentials are fp32 at least.

    Returns:
        Both in fp32, or in fp64 where an input is fp64.

    Raises:
        ValueError: the temperature is not above zero.
        IndexError: a target is not in the vocabulary.
    """
    if temperature <= 0:
        raise ValueError(f"a temperature of {temperature} has no log-probs: it must be above zero")
    if targets.numel() and not 0 <= int(targets.min()) <= int(targets.max()) < weight.shape[0]:
        raise IndexError(f"a target is outside the vocabulary of {weight.shape[0]:,} tokens")
    wide = torch.promote_types(torch.promote_types(hidden.dtype, weight.dtype), torch.float32)
    head = _Head(
        factor=scale if softcap else scale / temperature,
        softcap=softcap,
        after_cap=1 / temperature,
        dtype=head_dtype or wide,
        wide=wide,
        tile_elements=tile_elements,
    )
    logps, entropy = _ChunkedLogprobs.apply(hidden, weight, bias, targets, head, with_entropy)  # type: ignore[no-untyped-call]
    return logps, entropy if with_entropy else None


@dataclass(frozen=True)
class _Head:
    """How logits come from hidden states, and how the work is cut into tiles."""

    factor: float
    softcap: float | None
    after_cap: float
    dtype: torch.dtype
    wide: torch.dtype
    tile_elements: int

    def logits(self, hidden: Tensor, weight: Tensor, bias: Tensor | None) -> tuple[Tensor, Tensor | None]:
        """One tile of logits, and tanh of its capped part, which the backward pass needs."""
        z = hidden @ weight.T if bias is None else torch.addmm(bias, hidden, weight.T)
        z = z.to(self.wide)
        if self.factor != 1.0:
            z *= self.factor
        if not self.softcap:
            return z, None
        tanh = z.div_(self.softcap).tanh_()
        return tanh * (self.softcap * self.after_cap), tanh

    def to_raw(self, gradient: Tensor, tanh: Tensor | None) -> Tensor:
        """The gradient to hidden weight^T + bias, in place, from that to the logits."""
        if tanh is not None:
            gradient *= tanh.square_().neg_().add_(1).mul_(self.after_cap)
        if self.factor != 1.0:
            gradient *= self.factor
        return gradient

    def blocks(self, vocab: int) -> Iterator[slice]:
        size = max(1, min(vocab, VOCAB_BLOCK, self.tile_elements))
        return (slice(start, min(start + size, vocab)) for start in range(0, vocab, size))

    def chunks(self, tokens: int, block: slice) -> Iterator[slice]:
        size = max(1, self.tile_elements // (block.stop - block.start))
        return (slice(start, min(start + size, tokens)) for start in range(0, tokens, size))


class _ChunkedLogprobs(torch.autograd.Function):
    """Blocks of the vocabulary outside, chunks of tokens inside: each block of the weight is read and cast once."""

    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        targets: Tensor,
        head: _Head,
        with_entropy: bool,
    ) -> tuple[Tensor, Tensor]:
        # A surrounding autocast would quietly turn the fp32 projection into a bf16 one.
        with torch.autocast(hidden.device.type, enabled=False):
            logps, entropy, log_normalizer = _reduce(hidden, weight, bias, targets, head, with_entropy)
        ctx.save_for_backward(hidden, weight, bias, targets, log_normalizer)
        ctx.head = head
        ctx.mark_non_differentiable(entropy)
        return logps, entropy

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor, _entropy: Tensor) -> tuple[Tensor | None, ...]:
        hidden, weight, bias, targets, log_normalizer = ctx.saved_tensors
        wanted = ctx.needs_input_grad[:3]
        with torch.autocast(hidden.device.type, enabled=False):
            return (
                *_gradients(hidden, weight, bias, targets, log_normalizer, gradient, ctx.head, wanted),
                None,
                None,
                None,
            )


def _reduce(
    hidden: Tensor, weight: Tensor, bias: Tensor | None, targets: Tensor, head: _Head, with_entropy: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """For every token: its target's log-prob, the entropy (worthless unless it is wanted), and log sum exp(z)."""
    tokens = len(targets)
    peak = hidden.new_full((tokens,), -torch.inf, dtype=head.wide)
    total, weighted, target_logits = (hidden.new_zeros(tokens, dtype=head.wide) for _ in range(3))
    for block in head.blocks(weight.shape[0]):
        block_weight, block_bias = _cast(weight, bias, block, head)
        for chunk in head.chunks(tokens, block):
            z, _ = head.logits(hidden[chunk].to(head.dtype), block_weight, block_bias)
            _take_targets(target_logits[chunk], z, targets[chunk] - block.start)
            higher = torch.maximum(peak[chunk], z.amax(dim=1))
            shrink = (peak[chunk] - higher).exp_()
            peak[chunk] = higher
            exponentials = (z - higher[:, None]).exp_() if with_entropy else z.sub_(higher[:, None]).exp_()
            total[chunk] = total[chunk] * shrink + exponentials.sum(dim=1)
            if with_entropy:
                weighted[chunk] = weighted[chunk] * shrink + exponentials.mul_(z).sum(dim=1)
    log_total = total.log()
    log_normalizer = peak + log_total
    # In this order large logits cancel before the small logarithm is added, so that it keeps all its digits.
    return (target_logits - peak) - log_total, log_normalizer - weighted / total, log_normalizer


def _gradients(
    hidden: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    targets: Tensor,
    log_normalizer: Tensor,
    gradient: Tensor,
    head: _Head,
    wanted: tuple[bool, bool, bool],
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """The gradients to hidden, weight and bias: d logp / dz = 1[target] - softmax(z), tile by tile."""
    to_hidden = torch.zeros_like(hidden, dtype=head.wide) if wanted[0] else None
    to_weight = torch.empty_like(weight) if wanted[1] else None
    to_bias = torch.empty_like(bias) if bias is not None and wanted[2] else None
    for block in head.blocks(weight.shape[0]):
        block_weight, block_bias = _cast(weight, bias, block, head)
        # Summed over the chunks in the wide type, and rounded to the weight's own type once.
        block_to_weight = torch.zeros_like(block_weight, dtype=head.wide)
        block_to_bias = block_to_weight.new_zeros(len(block_weight))
        for chunk in head.chunks(len(targets), block):
            chunk_hidden = hidden[chunk].to(head.dtype)
            z, tanh = head.logits(chunk_hidden, block_weight, block_bias)
            z.sub_(log_normalizer[chunk, None]).exp_().neg_()
            _add_at_targets(z, targets[chunk] - block.start)
            raw = head.to_raw(z.mul_(gradient[chunk, None]), tanh)
            if to_bias is not None:
                block_to_bias += raw.sum(dim=0)
            raw = raw.to(head.dtype)
            if to_hidden is not None:
                to_hidden[chunk] += raw @ block_weight
            if to_weight is not None:
                block_to_weight += raw.T @ chunk_hidden
        if to_weight is not None:
            to_weight[block] = block_to_weight
        if to_bias is not None:
            to_bias[block] = block_to_bias
    return None if to_hidden is None else to_hidden.to(hidden.dtype), to_weight, to_bias


def _cast(weight: Tensor, bias: Tensor | None, block: slice, head: _Head) -> tuple[Tensor, Tensor | None]:
    return weight[block].to(head.dtype), None if bias is None else bias[block].to(head.dtype)


def _take_targets(into: Tensor, z: Tensor, targets: Tensor) -> None:
    """Write the logits of those targets that lie in this tile."""
    inside = (targets >= 0) & (targets < z.shape[1])
    found = z.gather(1, targets.clamp(0, z.shape[1] - 1)[:, None])[:, 0]
    into.copy_(torch.where(inside, found, into))


def _add_at_targets(z: Tensor, targets: Tensor) -> None:
    """Add one at those targets that lie in this tile."""
    inside = (targets >= 0) & (targets < z.shape[1])
    z.scatter_add_(1, targets.clamp(0, z.shape[1] - 1)[:, None], inside[:, None].to(z.dtype))
