"""Batches: what they hold, in which order, and what a shortage of memory does."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from semifactual.errors import ConfigError, SemifactualError
from semifactual.policy.batching import CPU_TOKENS, Shape, TokenBudget, default_budget, is_out_of_memory, run_in_batches
from tests.policy.models import tiny_model

CPU_MESSAGE = "[enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: can't allocate memory: you tried ..."


class Memory:
    """Holds so many padded tokens; doubles the items given; remembers every batch."""

    def __init__(self, tokens: int, error: Exception | None = None) -> None:
        self.tokens = tokens
        self.error = error or torch.OutOfMemoryError("CUDA out of memory")
        self.batches: list[list[Shape]] = []
        self.failures = 0

    def __call__(self, batch: list[Shape]) -> list[int]:
        if tokens_of(batch) > self.tokens:
            self.failures += 1
            raise self.error
        self.batches.append(batch)
        return [2 * item.width for item in batch]


def tokens_of(batch: list[Shape]) -> int:
    return sum(item.rows for item in batch) * max(item.width for item in batch)


def run(items, memory, budget):
    return run_in_batches(items, lambda item: item, memory, budget)


def one_row_each(*widths: int) -> list[Shape]:
    return [Shape(1, width) for width in widths]


def test_widest_first_within_the_budget_and_results_in_order():
    memory = Memory(1000)
    assert run(one_row_each(3, 10, 9, 4), memory, TokenBudget(20)) == [6, 20, 18, 8]
    assert [[item.width for item in batch] for batch in memory.batches] == [[10, 9], [4, 3]]


def test_short_rows_do_not_join_a_long_one_to_be_mostly_padding():
    memory = Memory(1000)
    run(one_row_each(50, 45, 10, 9), memory, TokenBudget(200))
    assert [[item.width for item in batch] for batch in memory.batches] == [[50, 45], [10, 9]]


def test_without_tightness_only_the_budget_keeps_widths_apart():
    memory = Memory(1000)
    run_in_batches(one_row_each(50, 45, 10, 9, 8), lambda item: item, memory, TokenBudget(200), tightness=0)
    assert [[item.width for item in batch] for batch in memory.batches] == [[50, 45, 10, 9], [8]]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 30)), max_size=30), st.integers(1, 200), st.data())
def test_every_item_is_done_once_within_the_budget(sizes, tokens, data):
    items = [Shape(*size) for size in sizes]
    needed = max((tokens_of([item]) for item in items), default=1)
    memory, budget = Memory(data.draw(st.integers(needed, 400))), TokenBudget(tokens)
    assert run(items, memory, budget) == [2 * item.width for item in items]
    assert sorted((i.rows, i.width) for batch in memory.batches for i in batch) == sorted(sizes)
    assert all(len(batch) == 1 or tokens_of(batch) <= tokens for batch in memory.batches)
    again = Memory(memory.tokens)
    run(items, again, TokenBudget(tokens))
    assert again.batches == memory.batches


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("x"), RuntimeError(CPU_MESSAGE), MemoryError()])
def test_a_shortage_halves_the_budget_and_is_remembered(error):
    memory, budget = Memory(35, error), TokenBudget(100)
    assert run(one_row_each(*[10] * 12), memory, budget) == [20] * 12
    # 10 rows of 10 fail, then 5; 2 fit.
    assert (memory.failures, budget.tokens) == (2, 25)
    assert run(one_row_each(10, 10, 10), memory, budget) == [20] * 3
    assert memory.failures == 2


def test_a_batch_smaller_than_the_budget_halves_from_its_own_size():
    memory, budget = Memory(15), TokenBudget(1_000_000)
    run(one_row_each(10, 10), memory, budget)
    assert (memory.failures, budget.tokens) == (1, 10)


def test_an_item_of_many_rows_may_split_itself_by_the_smaller_budget():
    budget, seen = TokenBudget(80), []

    def work(batch: list[Shape]) -> list[int]:
        seen.append(budget.rows_of(batch[0].width))
        if seen[-1] > 2:
            raise RuntimeError(CPU_MESSAGE)
        return [0]

    run([Shape(8, 10)], work, budget)
    assert seen == [8, 4, 2]


@pytest.mark.parametrize("rows", [1, 6])
def test_a_row_that_does_not_fit_is_a_clear_error(rows):
    with pytest.raises(SemifactualError, match="a single row of 1,200 tokens does not fit"):
        run([Shape(rows, 1200)], Memory(100), TokenBudget(5000))


def test_other_errors_pass_through():
    def work(batch: list[Shape]) -> list[int]:
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    with pytest.raises(RuntimeError, match="shapes"):
        run(one_row_each(1), work, TokenBudget(10))


def test_a_true_shortage_on_a_cpu_is_recognised():
    with pytest.raises(RuntimeError) as caught:
        torch.empty(2**60)
    assert is_out_of_memory(caught.value)
    assert not is_out_of_memory(ValueError("out of memory"))


def test_budgets():
    assert default_budget(tiny_model()).tokens == CPU_TOKENS
    assert TokenBudget(10).rows_of(100) == 1
    with pytest.raises(ConfigError, match="leaves nothing"):
        TokenBudget(0)
