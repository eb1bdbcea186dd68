"""Sums, means and z-scores over the members of a group, for all groups in one pass and without padding.

``group[token]`` says which group a token belongs to, a number from 0 below `groups`; tokens may stand in any order.
Where a group straddles several processes, all of them number the groups alike and pass the same `reduce`; the
results are then those that one process would have found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor

Operation: TypeAlias = Literal["sum", "min"]

Reduce: TypeAlias = Callable[[Tensor, Operation], Tensor]
"""Combines the statistics of groups over processes: returns the tensor summed, or its minimum taken, element by element
over every process. With torch.distributed: all_reduce with ReduceOp.SUM or ReduceOp.MIN. Every process calls it equally
often, in the same order and with the same shapes, also one that holds no token."""


def alone(values: Tensor, operation: Operation) -> Tensor:
    """The reduction over one process: the values as they are."""
    return values


def group_sum(
    values: Float[Tensor, "*variant token"], group: Int[Tensor, " token"], groups: int, *, reduce: Reduce = alone
) -> Float[Tensor, "*variant group"]:
    """The sum of each group's values, zero for a group without members."""
    return reduce(values.new_zeros(*values.shape[:-1], groups).index_add(-1, group, values), "sum")


def group_min(
    values: Float[Tensor, "*variant token"], group: Int[Tensor, " token"], groups: int, *, reduce: Reduce = alone
) -> Float[Tensor, "*variant group"]:
    """The least of each group's values, infinity for a group without members."""
    highest = values.new_full((*values.shape[:-1], groups), torch.inf)
    return reduce(highest.scatter_reduce(-1, group.expand_as(values), values, "amin"), "min")


def group_mean(
    values: Float[Tensor, "*variant token"], group: Int[Tensor, " token"], groups: int, *, reduce: Reduce = alone
) -> Float[Tensor, "*variant group"]:
    """The mean of each group's values, NaN for a group without members."""
    members = torch.ones_like(group, dtype=values.dtype)
    return group_sum(values, group, groups, reduce=reduce) / group_sum(members, group, groups, reduce=reduce)


def group_zscore(
    values: Float[Tensor, "*variant token"],
    group: Int[Tensor, " token"],
    groups: int,
    *,
    member: Bool[Tensor, "*variant token"] | None = None,
    ddof: int = 0,
    eps: float = 1e-6,
    reduce: Reduce = alone,
) -> Float[Tensor, "*variant token"]:
    """(v - mean v) / (std v + eps) within each group (the z-score of eq. 7 and 8, and eq. 2 with `ddof` 1).

    Statistics are taken in fp64, in two passes (the mean, then the squares of what departs from it), after the least
    value of the group has been subtracted. Equal values therefore give exactly zero: their rounding, divided by eps,
    would look like a signal. A group too small for `ddof` has the spread zero, so a group of one gives zero too.

    Args:
        member: who counts. The others do not enter the statistics, may hold NaN, and get zero.
        ddof: what is taken off the count when the squares are averaged: 0 for the population, 1 for the sample.

    Returns:
        In the dtype of `values`.
    """
    if member is None:
        member = torch.ones_like(values, dtype=torch.bool)
    exact = values.double()
    least = group_min(exact.where(member, torch.inf), group, groups, reduce=reduce)
    risen = (exact - of_token(least, group)).where(member, 0)
    count = group_sum(member.double(), group, groups, reduce=reduce)
    mean = group_sum(risen, group, groups, reduce=reduce) / count.clamp(min=1)
    centred = (risen - of_token(mean, group)).where(member, 0)
    squares = group_sum(centred.square(), group, groups, reduce=reduce)
    std = (squares / (count - ddof).clamp(min=1)).sqrt()
    return (centred / of_token(std + eps, group)).to(values.dtype)


def uniform_groups(
    values: Float[Tensor, " response"], group: Int[Tensor, " response"], groups: int, *, reduce: Reduce = alone
) -> Bool[Tensor, " group"]:
    """Which groups hold one value only, as a group does whose rewards are all equal. True for an empty group."""
    least = group_min(values, group, groups, reduce=reduce)
    most = -group_min(-values, group, groups, reduce=reduce)
    return least >= most


def of_token(
    values: Shaped[Tensor, "*variant group"], group: Int[Tensor, " token"]
) -> Shaped[Tensor, "*variant token"]:
    """For every token the value of its group."""
    return values.index_select(-1, group)
