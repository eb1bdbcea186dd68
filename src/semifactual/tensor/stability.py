"""Stability of tokens within their group: equations 7 and 8."""

from __future__ import annotations

from typing import Literal, TypeAlias

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from semifactual.tensor.groups import Reduce, alone, group_zscore

Aggregate: TypeAlias = Literal["zscore", "magnitude"]


def stability(
    drift: Float[Tensor, "variant token"],
    group: Int[Tensor, " token"],
    groups: int,
    *,
    present: Bool[Tensor, "variant token"] | None = None,
    aggregate: Aggregate = "zscore",
    eps: float = 1e-6,
    reduce: Reduce = alone,
) -> Float[Tensor, " token"]:
    """u = zscore( mean_k zscore(-d_k) ) over all valid tokens of each group (eq. 7 and 8); low where drift is high.

    The standard deviation is that of the population. Drift that is equal all over a group gives exactly zero, and
    mean(-min(u, 0)) is at most 1/2 in every group.

    Args:
        drift: one row for each of the K variants, the original left out. Only valid tokens are passed: those of
            truncated or masked responses stay out of the statistics.
        group: each token's group; see `semifactual.tensor.groups`.
        present: which variants a token has; by default all. The inner mean runs over those that are present. A token
            without any has u = 0 and no part in the statistics.
        aggregate: ``zscore`` gives every variant an equal vote, as eq. 7 does; ``magnitude`` averages the drift itself
            before the one z-score, u = zscore(-mean_k d_k), so a variant that moves little also says little.
        eps: added to both standard deviations. The paper does not give it.
        reduce: combines the statistics of groups that straddle processes.

    Returns:
        In the dtype of `drift`.
    """
    if present is None:
        present = torch.ones_like(drift, dtype=torch.bool)
    votes = -drift.double().where(present, 0)
    if aggregate == "zscore":
        votes = group_zscore(votes, group, groups, member=present, eps=eps, reduce=reduce)
    mean = votes.sum(0) / present.sum(0).clamp(min=1)
    return group_zscore(mean, group, groups, member=present.any(0), eps=eps, reduce=reduce).to(drift.dtype)
