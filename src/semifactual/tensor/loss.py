"""The clipped surrogate, token by token: equations 3, 4 and 10. Everything here is minimised."""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

LOG_RATIO_BOUND = 20.0
"""Log ratios are cut to this size before they are exponentiated, so that a ratio is never infinite."""


class Surrogate(NamedTuple):
    """The loss of every token, and what happened to it. Axis: token."""

    loss: Tensor
    """[token]: to be averaged by `semifactual.tensor.aggregation`, then minimised."""
    ratio: Tensor
    """[token], without gradient: r, before any clipping."""
    clipped_low: Tensor
    """[token], bool: the lower clip decides, so the token has no gradient."""
    clipped_high: Tensor
    """[token], bool: the upper clip decides, so the token has no gradient."""
    dual_clipped: Tensor
    """[token], bool: the dual clip decides, so the token has no gradient."""


def clipped_surrogate(
    logp: Float[Tensor, " token"],
    logp_old: Float[Tensor, " token"],
    advantages: Float[Tensor, " token"],
    *,
    clip_low: float = 0.20,
    clip_high: float = 0.28,
    dual_clip: float | None = 10.0,
) -> Surrogate:
    """-min(r A~, clip(r, 1 - clip_low, 1 + clip_high) A~), and with the dual clip at most -dual_clip A~ if A~ < 0.

    r = exp(logp - logp_old), both under the original prompt (eq. 3). The sign of the token's own A~ chooses the branch,
    not that of its response: a token with A = 0 that credit has pushed below zero is a negative token.

    Args:
        logp: log-probs under the policy that learns, in nats, divided by the sampling temperature; has the gradient.
        logp_old: the same under the policy that sampled the response.
        advantages: A~, one a token (eq. 9).
        dual_clip: the largest ratio that counts where A~ < 0, above 1 + clip_high; None for no such bound.
    """
    log_ratio = (logp - logp_old.detach()).clamp(-LOG_RATIO_BOUND, LOG_RATIO_BOUND)
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - clip_low, 1 + clip_high)
    advantages = advantages.detach()
    loss = torch.maximum(-ratio * advantages, -clipped * advantages)
    negative, raw = advantages < 0, ratio.detach()
    dual_clipped = torch.zeros_like(negative)
    if dual_clip is not None:
        dual_clipped = negative & (raw > dual_clip)
        loss = torch.where(dual_clipped, -dual_clip * advantages, loss)
    return Surrogate(
        loss=loss,
        ratio=raw,
        clipped_low=negative & (raw < 1 - clip_low),
        clipped_high=(advantages > 0) & (raw > 1 + clip_high),
        dual_clipped=dual_clipped,
    )
