"""Drift of tokens between the original prompt and its variants, from log-probs: equations 1 and 6, and signed forms.

A log-prob is that of one fixed token, in nats. Probabilities are never formed: 2 tanh of half a difference of
log-probs neither overflows nor cancels, however small they are.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from semifactual.tensor.groups import group_mean


def signed_drift(
    logp_original: Float[Tensor, "*#axes"], logp_variant: Float[Tensor, "*#axes"]
) -> Float[Tensor, "*axes"]:
    """ds = (p0 - pk) / ((p0 + pk) / 2) = 2 tanh((log p0 - log pk) / 2), in [-2, 2].

    Positive where the original prompt makes the token more probable than the variant does. Equal log-probs give
    exactly zero, minus infinity on both sides too: a token that neither prompt allows does not move. NaN stays NaN.
    Both tensors broadcast, so that one original [token] meets variants [variant, token].

    Raises:
        ValueError: log-probs of fewer than 32 bits: their rounding would pass for drift.
    """
    for logp in (logp_original, logp_variant):
        if logp.dtype not in (torch.float32, torch.float64):
            raise ValueError(f"drift needs log-probs in fp32 or fp64, not {logp.dtype}: rounding would pass for drift")
    moved = torch.where(logp_original == logp_variant, 0, logp_original - logp_variant)
    return 2 * torch.tanh(moved / 2)


def drift(logp_original: Float[Tensor, "*#axes"], logp_variant: Float[Tensor, "*#axes"]) -> Float[Tensor, "*axes"]:
    """d = |p0 - pk| / ((p0 + pk) / 2) = 2 tanh(|log p0 - log pk| / 2), in [0, 2] (eq. 1 and 6).

    See `signed_drift` for shapes and edge cases.

    >>> drift(torch.tensor([0.5, 0.2]).log(), torch.tensor([[0.25, 0.2]]).log())
    tensor([[0.6667, 0.0000]])
    """
    return signed_drift(logp_original, logp_variant).abs()


def signed_contrast(
    logp_original: Float[Tensor, " token"],
    logp_variants: Float[Tensor, "variant token"],
    response: Int[Tensor, " token"],
    responses: int,
) -> Float[Tensor, "variant response"]:
    """mean_t (log p0 - log pk) over the tokens of each response, in nats a token.

    Its absolute value, averaged over the variants, is the one-sided form of POSIX. NaN for a response without tokens.

    Args:
        response: the number of each token's response, below `responses`.
    """
    moved = torch.where(logp_original == logp_variants, 0, logp_original - logp_variants)
    return group_mean(moved, response, responses)


def floored(
    drift_by_variant: Float[Tensor, "variant token"], floor: Float[Tensor, " variant"]
) -> Float[Tensor, "variant token"]:
    """Drift, signed or not, with zero where its size is below the floor of its variant.

    A variant that moves nothing but rounding then has no vote: all its drift is zero, and so is its z-score.
    """
    return torch.where(drift_by_variant.abs() < floor.unsqueeze(1), 0, drift_by_variant)


def kind_means(
    drift_by_variant: Float[Tensor, "variant token"], kind: Int[Tensor, "variant token"], kinds: int
) -> tuple[Float[Tensor, "kind token"], Bool[Tensor, "kind token"]]:
    """The mean drift of each kind over its rewrites, where a problem has several of one kind, and where it has any.

    Args:
        kind: the number of each row's kind for each token, below `kinds`; a negative number where that variant does
            not exist. What stands there in `drift_by_variant` is not read.

    Returns:
        The means, zero where a kind is absent, and where it is present.
    """
    exists = kind >= 0
    row = kind.clamp(min=0)
    empty = drift_by_variant.new_zeros(kinds, drift_by_variant.shape[1])
    totals = empty.scatter_add(0, row, drift_by_variant.where(exists, 0))
    counts = empty.scatter_add(0, row, exists.to(empty.dtype))
    return totals / counts.clamp(min=1), counts > 0
