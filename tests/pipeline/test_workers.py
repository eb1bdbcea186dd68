from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from semifactual.errors import ConfigError, SemifactualError
from semifactual.pipeline.workers import IN_FLIGHT_PER_WORKER, batches, ordered_map


def square(number: int) -> int:
    return number * number


def refuse_seven(number: int) -> int:
    if number == 7:
        raise ConfigError("seven", hint="try eight")
    return number


def die_at_three(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_batches_cover_everything_once() -> None:
    assert list(batches(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(batches([], 2)) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_results_keep_the_order_of_the_items(workers: int) -> None:
    assert list(ordered_map(square, range(40), workers=workers)) == [n * n for n in range(40)]


def test_input_is_read_only_a_few_items_ahead() -> None:
    read = 0

    def counted() -> Iterator[int]:
        nonlocal read
        for number in range(1000):
            read += 1
            yield number

    results = ordered_map(square, counted(), workers=2)
    for _ in range(10):
        next(results)
    assert read <= 10 + 2 * IN_FLIGHT_PER_WORKER
    results.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_arrives_with_its_hint_after_the_results_before_it(workers: int) -> None:
    results = ordered_map(refuse_seven, range(20), workers=workers)
    assert [next(results) for _ in range(7)] == list(range(7))
    with pytest.raises(ConfigError, match="seven") as caught:
        next(results)
    assert caught.value.hint == "try eight"


def test_a_dead_worker_is_an_error_and_not_a_hang() -> None:
    with pytest.raises(SemifactualError, match="a worker process died"):
        list(ordered_map(die_at_three, range(20), workers=2))
