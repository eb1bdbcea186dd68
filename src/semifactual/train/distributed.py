"""Data parallel: who does which share of the work, and how the processes put their results together.

Every process has the whole model. Responses are generated, rewarded and scored in shares, and what is found out about
them is then gathered, so that each process sees whole groups even where a group straddles two: advantages and credit
are computed on all of them, by all of them, and are those of one process. Gradients are summed by hand, once a step:
the loss is divided by the tokens of the whole step before that, and processes may have different numbers of
micro-batches.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import torch
from torch import Tensor

Item = TypeVar("Item")

BUCKET_ELEMENTS = 2**25
"""Gradients travel in buckets of about so many numbers, or one parameter where it is larger."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """This process among those of the run."""

    rank: int = 0
    world: int = 1
    device: str | None = None
    """The device that the launcher means for this process; None where there was no launcher."""

    @property
    def is_main(self) -> bool:
        """Whether this process writes the files and speaks to the user."""
        return self.rank == 0

    def share(self, items: Sequence[Item]) -> Sequence[Item]:
        """This process's part of `items`: consecutive, and as large as any other's or one larger."""
        start, end = (len(items) * rank // self.world for rank in (self.rank, self.rank + 1))
        return items[start:end]

    def gather(self, items: Sequence[Item]) -> list[Item]:
        """The items of all processes, in the order of their ranks."""
        if self.world == 1:
            return list(items)
        from accelerate.utils import gather_object

        return list(chain.from_iterable(gather_object([list(items)])))

    def sum(self, values: Tensor) -> Tensor:
        """The sum over all processes, element by element."""
        if self.world == 1:
            return values
        from accelerate.utils import reduce

        total: Tensor = reduce(values, "sum")
        return total

    def any(self, condition: bool) -> bool:
        """Whether it holds anywhere."""
        return any(self.gather([condition]))

    def sum_gradients(self, parameters: Iterable[torch.nn.Parameter]) -> None:
        """Replace every gradient by the sum over all processes; a process that has none adds zero.

        No gradient at all is one of zero, alone as among others: AdamW's moments then fade in either case.
        """
        wanting = [parameter for parameter in parameters if parameter.requires_grad]
        for parameter in wanting:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        if self.world == 1:
            return
        for bucket in _buckets([parameter.grad for parameter in wanting if parameter.grad is not None]):
            total = self.sum(torch.cat([gradient.flatten() for gradient in bucket]))
            parts = torch.split(total, [gradient.numel() for gradient in bucket])
            for gradient, part in zip(bucket, parts, strict=True):
                gradient.copy_(part.view_as(gradient))


def join() -> Ranks:
    """Take this process's place in the run: alone, or among those that torchrun or accelerate launch have started."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        return Ranks()
    from accelerate import PartialState

    state = PartialState(cpu=not torch.cuda.is_available())
    # A processor has no number of its own, though accelerate gives it one.
    device = "cpu" if state.device.type == "cpu" else str(state.device)
    return Ranks(state.process_index, state.num_processes, device)


@contextmanager
def joined() -> Iterator[Ranks]:
    """This process's place in the run, which it leaves in order: a process that just ends may abort on the way out."""
    ranks = join()
    try:
        yield ranks
    finally:
        if ranks.world > 1:
            torch.distributed.destroy_process_group()


def _buckets(gradients: Sequence[Tensor]) -> Iterable[list[Tensor]]:
    """Gradients of one type each, up to a bucket's size, in order."""
    bucket: list[Tensor] = []
    for gradient in gradients:
        full = sum(inside.numel() for inside in bucket) + gradient.numel() > BUCKET_ELEMENTS
        if bucket and (full or bucket[0].dtype != gradient.dtype):
            yield bucket
            bucket = []
        bucket.append(gradient)
    if bucket:
        yield bucket
