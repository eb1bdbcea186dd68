"""Work spread over processes: results in the order of the input, a bounded number in flight, no orphans, no hang."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from importlib import import_module
from itertools import islice
from typing import TypeVar

from semifactual.errors import SemifactualError

Item = TypeVar("Item")
Result = TypeVar("Result")

IN_FLIGHT_PER_WORKER = 3
MOST_BY_DEFAULT = 8


def default_workers() -> int:
    """How many processes to use where nobody said."""
    return min(os.cpu_count() or 1, MOST_BY_DEFAULT)


def workers_for(items: int, batch_size: int, most: int) -> int:
    """As many workers as there are batches to work on, from one to `most`.

    >>> workers_for(100, 24, most=8), workers_for(100, 24, most=2), workers_for(0, 24, most=8)
    (5, 2, 1)
    """
    return max(1, min(most, -(-items // batch_size)))


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Consecutive lists of up to `size` items."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def ordered_map(
    function: Callable[[Item], Result], items: Iterable[Item], *, workers: int, modules: Iterable[str] = ()
) -> Iterator[Result]:
    """Apply `function` to every item, in up to `workers` processes, and yield the results in order.

    `items` is read only a few items ahead of the results, so memory does not grow with the input. One worker means
    this process. `modules` are imported first in every worker: those whose import registers what `function` needs.

    Raises:
        SemifactualError: a worker process died (killed, or out of memory).
        Exception: whatever `function` raised, for the first item that failed.
    """
    if workers == 1:
        yield from map(function, items)
        return
    with open_executor(workers, modules) as executor:
        yield from _in_order(executor, function, items, workers * IN_FLIGHT_PER_WORKER)


@contextmanager
def open_executor(workers: int, modules: Iterable[str] = ()) -> Iterator[Executor]:
    """Processes that import `modules` first, leave Ctrl-C to this process, and end with it; one worker is a thread.

    Raises:
        SemifactualError: a worker process died (killed, or out of memory).
    """
    executor: Executor
    if workers == 1:
        executor = ThreadPoolExecutor(1)
    else:
        # A fresh interpreter a worker, not a fork: this process may already have threads (Arrow, a progress bar),
        # whose locks a fork would copy in whatever state they are.
        executor = ProcessPoolExecutor(
            workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start_worker,
            initargs=(tuple(sorted(modules)),),
        )
    try:
        yield executor
    except BrokenProcessPool as error:
        raise SemifactualError(
            "a worker process died: it was killed, ran out of memory, or could not start",
            hint="finished rows are kept: run the same command again, with fewer workers if memory is short; a script "
            "must start its work under `if __name__ == '__main__':`",
        ) from error
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _in_order(
    executor: Executor, function: Callable[[Item], Result], items: Iterable[Item], window: int
) -> Iterator[Result]:
    pending: deque[Future[Result]] = deque()
    for item in items:
        pending.append(executor.submit(function, item))
        if len(pending) >= window:
            yield pending.popleft().result()
    while pending:
        yield pending.popleft().result()


def _start_worker(modules: tuple[str, ...]) -> None:
    # Ctrl-C reaches the whole process group: only the parent answers it, by telling the workers to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    for module in modules:
        import_module(module)


def _exit_with_parent() -> None:
    # A worker of a killed parent would wait for work for ever: both ends of the queue are open in the worker itself.
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
