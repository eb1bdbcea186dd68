"""Statistics of ragged groups: against a loop over groups, and where rounding would pass for a signal."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
import torch
from hypothesis import given
from torch import Tensor

from semifactual.tensor.groups import Reduce, group_mean, group_min, group_sum, group_zscore, uniform_groups
from tests.tensor.batches import Batch, batches


class Processes:
    """An all-reduce between threads that stand for processes."""

    def __init__(self, count: int) -> None:
        self._barrier = Barrier(count)
        self._given: dict[int, Tensor] = {}

    def of(self, rank: int) -> Reduce:
        def reduce(values: Tensor, operation: str) -> Tensor:
            self._given[rank] = values
            self._barrier.wait()
            every = torch.stack([self._given[other] for other in sorted(self._given)])
            self._barrier.wait()
            return every.sum(0) if operation == "sum" else every.amin(0)

        return reduce


def naive_zscore(values: Tensor, group: Tensor, *, ddof: int = 0, eps: float = 1e-6) -> Tensor:
    result = np.zeros(values.shape)
    for number in group.unique().tolist():
        member = (group == number).numpy()
        for row, numbers in enumerate(values.numpy()):
            inside = numbers[member]
            std = np.std(inside, ddof=ddof) if len(inside) > ddof else 0.0
            result[row, member] = 0 if np.ptp(inside) == 0 else (inside - inside.mean()) / (std + eps)
    return torch.tensor(result)


@given(batches())
def test_zscore_is_that_of_a_loop(batch: Batch) -> None:
    for ddof in (0, 1):
        found = group_zscore(batch.drift, batch.group, batch.groups, ddof=ddof)
        assert torch.allclose(found, naive_zscore(batch.drift, batch.group, ddof=ddof), atol=1e-6)


@given(batches())
def test_groups_that_straddle_processes_give_the_same(batch: Batch) -> None:
    """Two processes take every other token; one may hold none."""
    processes = Processes(2)

    def share(rank: int) -> Tensor:
        part = slice(rank, None, 2)
        return group_zscore(batch.drift[:, part], batch.group[part], batch.groups, reduce=processes.of(rank))

    with ThreadPoolExecutor(2) as pool:
        halves = list(pool.map(share, (0, 1)))
    together = group_zscore(batch.drift, batch.group, batch.groups)
    for rank, half in enumerate(halves):
        assert torch.allclose(half, together[:, rank::2], atol=1e-9)


@pytest.mark.parametrize("value", [0.1, 1.3, 1 / 3, 2e-9])
def test_equal_values_give_exactly_zero(value: float) -> None:
    values = torch.full((1, 70_001), value)
    assert not group_zscore(values, torch.zeros(70_001, dtype=torch.long), 1).any()


def test_those_who_are_no_members_leave_no_trace() -> None:
    values = torch.tensor([[1.0, torch.nan, 3.0, torch.inf], [1.0, 1.0, 1.0, 1.0]])
    member = torch.tensor([[True, False, True, False], [False, False, False, False]])
    found = group_zscore(values, torch.tensor([0, 0, 0, 1]), 2, member=member)
    assert found[0].tolist() == pytest.approx([-1, 0, 1, 0], abs=1e-5)
    assert found[1].tolist() == [0, 0, 0, 0]


def test_a_nan_stays_in_its_group() -> None:
    found = group_zscore(torch.tensor([[torch.nan, 1.0, 2.0, 4.0]]), torch.tensor([0, 0, 1, 1]), 2)
    assert found.isnan().tolist() == [[True, True, False, False]]


def test_large_values_with_a_small_spread_keep_it() -> None:
    """A sum of squares minus the square of the sum would lose all of it."""
    values = torch.tensor([[1e6, 1e6 + 1, 1e6 + 2]])
    found = group_zscore(values, torch.zeros(3, dtype=torch.long), 1)
    assert found[0].tolist() == pytest.approx([-1.224744, 0, 1.224744], abs=1e-5)


def test_sums_means_and_least_of_empty_groups() -> None:
    values, group = torch.tensor([1.0, 2.0, 6.0]), torch.tensor([2, 0, 2])
    assert group_sum(values, group, 4).tolist() == [2, 0, 7, 0]
    assert group_min(values, group, 4).tolist() == [2, torch.inf, 1, torch.inf]
    assert group_mean(values, group, 4).nan_to_num(-1).tolist() == [2, -1, 3.5, -1]


def test_uniform_groups() -> None:
    rewards, group = torch.tensor([1.0, 0.0, 1.0, 1.0, 0.0]), torch.tensor([0, 0, 1, 1, 2])
    assert uniform_groups(rewards, group, 4).tolist() == [False, True, True, True]
