"""The d-filter: the next token without those candidates that drift most between prompts (the paper's appendix C)."""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from semifactual.tensor.drift import drift


class Filtered(NamedTuple):
    """The next token's distribution after the d-filter. Axes: row, vocab."""

    logps: Tensor
    """[row, vocab]: log-probs of what is left, renormalised; minus infinity where masked."""
    masked: Tensor
    """[row, vocab], bool: the tokens that the filter took out."""
    masked_mass: Tensor
    """[row]: the clean policy's probability of all of them, which is the chance that a proposal is rejected."""


def mean_drift(
    logp_clean: Float[Tensor, "row vocab"], logp_variants: Float[Tensor, "variant vocab"], row: Int[Tensor, " variant"]
) -> Float[Tensor, "row vocab"]:
    """d of every vocabulary token, averaged over the variants that each row has; zero where it has none (eq. 6).

    Args:
        logp_clean: log-probs of the next token under the original prompts, in nats.
        logp_variants: the same under each variant of each of them.
        row: to which row of `logp_clean` a variant belongs.
    """
    moved = drift(logp_clean.index_select(0, row), logp_variants)
    total = torch.zeros_like(logp_clean).index_add(0, row, moved)
    variants = row.bincount(minlength=len(logp_clean))
    return total / variants.clamp(min=1).unsqueeze(1)


def d_filter(
    logp_clean: Float[Tensor, "row vocab"],
    token_drift: Float[Tensor, "row vocab"],
    end_of_sequence: Bool[Tensor, " vocab"],
    *,
    cap: float = 0.8,
) -> Filtered:
    """Mask tokens by falling drift until the next would push the masked probability above `cap`.

    The probability is that of the clean policy, the one under the original prompt. End-of-sequence tokens are always
    kept. Of tokens that drift equally, the less probable goes first, and of those the one with the lower number. The
    support is never empty: where rounding leaves nothing, the most probable token stays.

    Args:
        logp_clean: normalised log-probs under the original prompt, after temperature and nucleus, where used.
        token_drift: what `mean_drift` returns.
        end_of_sequence: which tokens end a response.
        cap: the most probability that may be masked, 0 or more and below 1. Zero masks nothing that could be drawn.

    Raises:
        ValueError: the cap is out of its range.

    >>> clean = torch.tensor([[0.5, 0.3, 0.1, 0.1]]).log()
    >>> moved = torch.tensor([[0.2, 0.9, 1.5, 2.0]])
    >>> found = d_filter(clean, moved, torch.tensor([False, False, False, True]), cap=0.45)
    >>> found.masked.tolist(), round(found.masked_mass.item(), 3), found.logps.exp()
    ([[False, True, True, False]], 0.4, tensor([[0.8333, 0.0000, 0.0000, 0.1667]]))
    """
    if not 0 <= cap < 1:
        raise ValueError(f"the cap is {cap}: it must be 0 or more and below 1, or nothing could be left")
    clean = logp_clean.double().exp()
    order = _by_falling_drift(token_drift, clean)
    candidate_mass = clean.masked_fill(end_of_sequence, 0).gather(1, order)
    goes = candidate_mass.cumsum(1) <= cap
    masked = torch.zeros_like(goes).scatter(1, order, goes) & ~end_of_sequence
    masked = _with_something_left(masked, clean)
    kept = logp_clean.masked_fill(masked, -torch.inf)
    logps = kept - kept.logsumexp(1, keepdim=True)
    return Filtered(logps, masked, clean.where(masked, 0).sum(1).to(logp_clean.dtype))


def _by_falling_drift(token_drift: Float[Tensor, "row vocab"], clean: Float[Tensor, "row vocab"]) -> Tensor:
    """Token numbers by falling drift, then by rising probability, then by number."""
    by_probability = clean.argsort(dim=1, stable=True)
    by_drift = token_drift.gather(1, by_probability).argsort(dim=1, stable=True, descending=True)
    return by_probability.gather(1, by_drift)


def _with_something_left(
    masked: Bool[Tensor, "row vocab"], clean: Float[Tensor, "row vocab"]
) -> Bool[Tensor, "row vocab"]:
    """The mask, with the most probable token taken out of it in rows that keep no probability at all."""
    empty = clean.where(~masked, 0).sum(1, keepdim=True) == 0
    best = torch.zeros_like(masked).scatter(1, clean.argmax(1, keepdim=True), True)
    return masked & ~(empty & best)
