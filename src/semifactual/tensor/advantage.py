"""Advantages of whole responses, from the rewards of their group: equation 2 and its relatives."""

from __future__ import annotations

from typing import Literal, TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor

from semifactual.tensor.groups import Reduce, alone, group_min, group_sum, group_zscore, of_token

Estimator: TypeAlias = Literal["grpo", "dr_grpo", "rloo"]


def group_advantages(
    rewards: Float[Tensor, " response"],
    group: Int[Tensor, " response"],
    groups: int,
    *,
    estimator: Estimator = "grpo",
    ddof: int = 1,
    eps: float = 1e-6,
    reduce: Reduce = alone,
) -> Float[Tensor, " response"]:
    """How much better each response is than its group.

    ========  ==========================================  ======================
    grpo      A_i = (R_i - mean R) / (std R + eps)        eq. 2
    dr_grpo   A_i = R_i - mean R
    rloo      A_i = R_i - mean of the others' rewards     = n / (n - 1) (R_i - mean R)
    ========  ==========================================  ======================

    Equal rewards give exactly zero, whatever eps is, and so does a group of one: there is nothing to compare it with.
    (verl sets the mean of a group of one to 0, and so its advantage to R.)

    Args:
        group: each response's group; see `semifactual.tensor.groups`.
        ddof: what grpo takes off the count when it averages squares. 1 as in TRL, verl and EasyR1; 0 makes the
            advantages of a group of 8 larger by a factor of 1.07.
        eps: added to grpo's standard deviation. 1e-6 as in verl and EasyR1; TRL has 1e-4.
        reduce: combines the statistics of groups that straddle processes.

    Raises:
        ValueError: a reward is NaN or infinite, or the estimator is unknown.
    """
    if not rewards.isfinite().all():
        wrong = (~rewards.isfinite()).nonzero().flatten().tolist()
        raise ValueError(f"rewards must be finite numbers, and those of responses {wrong} are not")
    if estimator == "grpo":
        return group_zscore(rewards, group, groups, ddof=ddof, eps=eps, reduce=reduce)
    if estimator not in ("dr_grpo", "rloo"):
        raise ValueError(f"there is no estimator {estimator!r}: use grpo, dr_grpo or rloo")
    exact = rewards.double()
    risen = exact - of_token(group_min(exact, group, groups, reduce=reduce), group)
    count = group_sum(torch.ones_like(exact), group, groups, reduce=reduce)
    total = group_sum(risen, group, groups, reduce=reduce)
    others = count - 1 if estimator == "rloo" else count
    return ((of_token(count, group) * risen - of_token(total, group)) / of_token(others.clamp(min=1), group)).to(
        rewards.dtype
    )
