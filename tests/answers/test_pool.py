from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from semifactual.answers.grammar import parse
from semifactual.answers.pool import WorkerPool, WorkerTimeout
from semifactual.answers.tree import is_expression
from semifactual.answers.wire import decode, encode


def request(first: str, second: str) -> dict[str, object]:
    trees = [parse(first), parse(second)]
    assert is_expression(trees[0]) and is_expression(trees[1])
    return {"task": "decide", "first": encode(trees[0]), "second": encode(trees[1])}


EASY = (r"\sin\frac{\pi}{6}", r"\frac12")
ENDLESS = (r"\sum_{k=1}^{10^{9}} \sin k", "9")


def test_a_stalled_worker_is_killed_and_another_answers() -> None:
    pool = WorkerPool()
    pool.warm_up()
    started = time.monotonic()
    with pytest.raises(WorkerTimeout):
        pool.ask(request(*ENDLESS), 1.0)
    assert time.monotonic() - started < 1.5
    assert pool.counts["timed_out"] == 1
    assert pool.ask(request(*EASY), 30) == {"result": "equal"}
    pool.close()


def test_a_dead_worker_is_replaced() -> None:
    pool = WorkerPool()
    pool.warm_up()
    for worker in pool._idle:
        worker.process.kill()
        worker.process.wait()
    assert pool.ask(request(*EASY), 30) == {"result": "equal"}
    assert not pool.counts
    pool.close()


def test_a_failed_request_leaves_the_worker_alive() -> None:
    pool = WorkerPool()
    pool.warm_up()
    assert "KeyError" in pool.ask({"task": "unknown"}, 30)["error"]
    assert pool.ask(request(*EASY), 30) == {"result": "equal"}
    assert not pool.counts
    pool.close()


def test_threads_share_a_pool() -> None:
    pool = WorkerPool(size=2)
    with ThreadPoolExecutor(4) as threads:
        replies = list(threads.map(lambda _: pool.ask(request(*EASY), 60), range(12)))
    assert replies == [{"result": "equal"}] * 12
    pool.close()


def test_a_forked_child_has_workers_of_its_own() -> None:
    pool = WorkerPool()
    pool.warm_up()
    child = os.fork()
    if child == 0:
        same = pool.ask(request(*EASY), 60) == {"result": "equal"}
        pool.close()
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert pool.ask(request(*EASY), 30) == {"result": "equal"}
    pool.close()


def test_a_closed_pool_says_so() -> None:
    pool = WorkerPool()
    pool.close()
    with pytest.raises(RuntimeError, match="closed"):
        pool.ask(request(*EASY), 1)


@pytest.mark.parametrize("text", [r"-\frac{3}{7}x_1+\pi i e^{\infty}", r"\sum_{k=1}^{n} k^2", "f(x)"])
def test_trees_survive_the_wire(text: str) -> None:
    node = parse(text)
    assert is_expression(node)
    assert decode(encode(node)) == node
