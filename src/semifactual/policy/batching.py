"""Batches by a token budget, which halves when memory runs out."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import torch

from semifactual.errors import ConfigError, SemifactualError

Item = TypeVar("Item")
Result = TypeVar("Result")

CPU_TOKENS = 4096
"""More does not make scoring on a CPU faster, and padding grows."""

FEWEST_TOKENS, MOST_TOKENS = 4096, 2**18
"""The bounds of what is chosen for a GPU."""

SHARE_OF_FREE_MEMORY = 0.5
"""Of a GPU's free memory, for all that grows with a batch."""

TIGHTNESS = 0.8
"""Once a batch is a quarter full, only what is at least this share as long as its longest joins: the rest would be
mostly padding."""

_MESSAGES = ("not enough memory", "DefaultCPUAllocator", "CUBLAS_STATUS_ALLOC_FAILED", "out of memory")


@dataclass(frozen=True, slots=True)
class Shape:
    """What one item takes in a batch."""

    rows: int
    width: int
    """The tokens of its longest row, what lies in a cache included. Every row of a batch is padded to the widest."""


class TokenBudget:
    """How many padded tokens a batch may hold. A batch of one row may exceed it.

    It belongs to a model on a device, so that what was learned from one shortage of memory serves all later batches.
    """

    def __init__(self, tokens: int) -> None:
        if tokens < 1:
            raise ConfigError(f"a budget of {tokens} tokens a batch leaves nothing to compute", hint="give at least 1")
        self.tokens = tokens

    def rows_of(self, width: int) -> int:
        """How many rows of this width fit in, one at least."""
        return max(1, self.tokens // max(1, width))

    def shrink(self, failed: int) -> None:
        """Halve what a batch may hold, after one of `failed` tokens did not fit in memory."""
        self.tokens = max(1, min(self.tokens, failed) // 2)


def default_budget(model: Any) -> TokenBudget:
    """A budget that suits a model where it is now: a constant on a CPU, by the free memory on a GPU."""
    device = next(model.parameters()).device
    if device.type != "cuda":
        return TokenBudget(CPU_TOKENS)
    free, _ = torch.cuda.mem_get_info(device)
    tokens = int(free * SHARE_OF_FREE_MEMORY / _bytes_per_token(model))
    return TokenBudget(min(MOST_TOKENS, max(FEWEST_TOKENS, tokens)))


def _bytes_per_token(model: Any) -> int:
    """A generous estimate of what a token takes: its keys and values, twice while they are copied, and activations."""
    config = model.config.get_text_config()
    heads = getattr(config, "num_attention_heads", 1)
    width = config.hidden_size
    head_width = getattr(config, "head_dim", None) or width // heads
    cache = 2 * config.num_hidden_layers * (getattr(config, "num_key_value_heads", None) or heads) * head_width
    activations = 16 * width + 4 * (getattr(config, "intermediate_size", None) or 4 * width)
    item = next(model.parameters()).element_size()
    return int(item * (2 * cache + activations))


def run_in_batches(
    items: Sequence[Item],
    shape: Callable[[Item], Shape],
    work: Callable[[list[Item]], Sequence[Result]],
    budget: TokenBudget,
    *,
    tightness: float = TIGHTNESS,
) -> list[Result]:
    """Apply `work` to batches of items of similar width, the widest first, and return the results in the items' order.

    When a batch does not fit in memory, the budget halves and the work goes on from there. An item of many rows that
    fails alone is tried again with the smaller budget, which its own `work` may obey, until one row is all it allows.

    Which items share a batch depends on their shapes and the budget alone; with a `tightness` of 0, width keeps none
    apart.

    Raises:
        SemifactualError: a single row does not fit in memory.
    """
    shapes = [shape(item) for item in items]
    waiting = sorted(range(len(items)), key=lambda index: -shapes[index].width)
    results: dict[int, Result] = {}
    while waiting:
        batch = waiting[: _fitting([shapes[index] for index in waiting], budget, tightness)]
        found = _try(work, [items[index] for index in batch])
        if found is None:
            _release()
            _shrink(budget, [shapes[index] for index in batch])
            continue
        results |= zip(batch, found, strict=True)
        del waiting[: len(batch)]
    return [results[index] for index in range(len(items))]


def in_batches(items: Sequence[Item], shapes: Sequence[Shape], budget: TokenBudget) -> Iterator[list[Item]]:
    """The same batches as a plan, without a shortage of memory: items of similar width, the widest first."""
    waiting = sorted(range(len(items)), key=lambda index: -shapes[index].width)
    while waiting:
        count = _fitting([shapes[index] for index in waiting], budget, TIGHTNESS)
        yield [items[index] for index in waiting[:count]]
        del waiting[:count]


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out, on a GPU or a CPU, whose allocator has no class of its own for it."""
    if isinstance(error, (MemoryError, torch.OutOfMemoryError)):
        return True
    return isinstance(error, RuntimeError) and any(message in str(error) for message in _MESSAGES)


def _fitting(shapes: Sequence[Shape], budget: TokenBudget, tightness: float) -> int:
    """How many of the items, the widest first, make the next batch: one at least."""
    widest, rows = shapes[0].width, shapes[0].rows
    for count, shape in enumerate(shapes[1:], start=1):
        loose = shape.width < tightness * widest and rows * widest >= budget.tokens // 4
        if loose or (rows + shape.rows) * widest > budget.tokens:
            return count
        rows += shape.rows
    return len(shapes)


def _try(work: Callable[[list[Item]], Sequence[Result]], batch: list[Item]) -> Sequence[Result] | None:
    """What `work` makes of a batch; None where memory ran out.

    It returns, instead of handling the shortage here, because the error being handled holds every tensor of the frames
    that it came through.
    """
    try:
        return work(batch)
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        return None


def _release() -> None:
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _shrink(budget: TokenBudget, shapes: Sequence[Shape]) -> None:
    """Halve the budget, unless what failed was a single row already."""
    rows, width = sum(shape.rows for shape in shapes), max(shape.width for shape in shapes)
    if min(rows, budget.rows_of(width)) == 1 and len(shapes) == 1:
        raise SemifactualError(
            f"a single row of {width:,} tokens does not fit in memory",
            hint="take a smaller model, a narrower dtype such as bfloat16, or shorter prompts and responses",
        )
    budget.shrink(rows * width if len(shapes) > 1 else min(rows, budget.rows_of(width)) * width)
