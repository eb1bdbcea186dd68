"""Groups that straddle two real processes: statistics reduced by gloo are those that one process finds."""

from __future__ import annotations

from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing
from torch import Tensor

from semifactual.tensor.advantage import group_advantages
from semifactual.tensor.groups import Reduce, alone, uniform_groups
from semifactual.tensor.stability import stability

GROUPS, RESPONSES, LENGTH = 3, 9, 7
ROWS = (slice(0, 4), slice(4, RESPONSES))
"""The responses of each process; all groups straddle the border."""


def over_processes(values: Tensor, operation: str) -> Tensor:
    reduced = values.clone()
    dist.all_reduce(reduced, op=dist.ReduceOp.SUM if operation == "sum" else dist.ReduceOp.MIN)
    return reduced


def results(rows: slice, reduce: Reduce) -> list[Tensor]:
    """Everything that takes `reduce`, on some of the responses."""
    generator = torch.Generator().manual_seed(7)
    drift = torch.rand(2, RESPONSES, LENGTH, generator=generator)[:, rows].flatten(1)
    rewards = torch.rand(RESPONSES, generator=generator).round()
    group = torch.arange(RESPONSES) % GROUPS
    rewards = torch.where(group == 0, 1.0, rewards)[rows]
    group = group[rows]
    tokens = group.repeat_interleave(LENGTH)
    return [
        stability(drift, tokens, GROUPS, reduce=reduce),
        stability(drift, tokens, GROUPS, aggregate="magnitude", reduce=reduce),
        *(
            group_advantages(rewards, group, GROUPS, estimator=name, reduce=reduce)
            for name in ("grpo", "dr_grpo", "rloo")
        ),
        uniform_groups(rewards, group, GROUPS, reduce=reduce)[group],
    ]


def work(rank: int, folder: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.save(results(ROWS[rank], over_processes), f"{folder}/{rank}.pt")
    dist.destroy_process_group()


def test_two_processes_find_what_one_does(tmp_path: Path) -> None:
    multiprocessing.spawn(work, args=(str(tmp_path),), nprocs=2)
    together = results(slice(None), alone)
    halves = [torch.load(tmp_path / f"{rank}.pt") for rank in (0, 1)]
    assert together[-1].any() and not together[-1].all()
    for whole, *parts in zip(together, *halves, strict=True):
        assert torch.equal(torch.cat(parts), whole)
