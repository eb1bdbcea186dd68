from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from semifactual.llm.engine import Run, Workshop
from semifactual.llm.errors import ReplyPending

Work = Callable[[int], Coroutine[Any, Any, int]]


def run(work: Work, items: Callable[[], Iterator[int]], concurrency: int = 4) -> Run[int, int]:
    return Run(items, lambda: Workshop(work, frozenset()), concurrency)


def flat(results: Run[int, int]) -> list[int]:
    return [result for chunk in results for result in chunk]


async def double(item: int) -> int:
    await asyncio.sleep(0.001 * (item % 3))
    return 2 * item


def test_results_come_in_the_order_of_the_items() -> None:
    assert flat(run(double, lambda: iter(range(100)))) == [2 * n for n in range(100)]


def test_no_items_no_results() -> None:
    assert flat(run(double, lambda: iter(()))) == []


def test_items_are_read_only_a_little_ahead() -> None:
    read: list[int] = []
    done: list[int] = []
    ahead = 0

    def items() -> Iterator[int]:
        for number in range(300):
            read.append(number)
            yield number

    async def work(item: int) -> int:
        nonlocal ahead
        ahead = max(ahead, len(read) - len(done))
        await asyncio.sleep(0)
        done.append(item)
        return item

    assert len(flat(run(work, items, concurrency=4))) == 300
    assert ahead <= 4 * 4 + 1


def test_an_error_comes_behind_the_results_before_it() -> None:
    async def work(item: int) -> int:
        if item == 5:
            raise ValueError("five")
        return item

    seen: list[int] = []
    with pytest.raises(ValueError, match="five"):
        for chunk in run(work, lambda: iter(range(50))):
            seen += chunk
    assert seen == [0, 1, 2, 3, 4]


def test_an_error_in_the_items_is_an_error_of_the_run() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise OSError("unreadable")

    with pytest.raises(OSError, match="unreadable"):
        flat(run(double, items))


def test_items_that_only_wait_for_a_batch_are_left_out() -> None:
    async def work(item: int) -> int:
        if item % 2:
            raise ReplyPending
        return item

    assert flat(run(work, lambda: iter(range(10)))) == [0, 2, 4, 6, 8]


def test_a_reader_that_leaves_ends_the_thread() -> None:
    before = threading.active_count()
    for chunk in run(double, lambda: iter(range(10_000))):
        assert chunk
        break
    assert threading.active_count() == before


def test_items_are_dropped_in_the_thread_that_read_them() -> None:
    threads: list[int] = []

    def items() -> Iterator[int]:
        try:
            yield from range(10_000)
        finally:
            threads.append(threading.get_ident())

    async def work(item: int) -> int:
        threads.append(threading.get_ident())
        raise ValueError("at once")

    with pytest.raises(ValueError, match="at once"):
        flat(run(work, items))
    assert len(set(threads)) == 1
    assert threads[0] != threading.get_ident()


def test_one_slow_item_does_not_stop_the_others() -> None:
    done: list[int] = []

    async def work(item: int) -> int:
        while item == 0 and len(done) < 500:
            await asyncio.sleep(0.001)
        done.append(item)
        return item

    assert flat(run(work, lambda: iter(range(600)), concurrency=2)) == list(range(600))
    assert done[0] != 0
