"""Worker processes that can be killed: started when first needed, replaced when they die, closed at exit.

A worker is a fresh interpreter, never a fork of the parent, so the parent may have threads, locks and a GPU open.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import time
import weakref
from collections import Counter
from typing import Any


class WorkerTimeout(Exception):
    """No reply before the deadline: the worker was killed and replaced, or none was ready in time."""


class Worker:
    """One process. Not thread-safe: the pool hands it to one thread at a time."""

    def __init__(self, memory_mb: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "semifactual.answers.worker", str(memory_mb)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.buffer = b""
        self.ready = False

    def is_ready(self, until: float) -> bool:
        """Whether sympy has been imported, waiting for it no longer than `until`."""
        if not self.ready:
            try:
                self._read_line(until)
            except TimeoutError:
                return False
            self.ready = True
        return True

    def ask(self, request: dict[str, Any], until: float) -> dict[str, Any]:
        """Send a request and wait for its reply. Raises TimeoutError, or OSError where the process has died."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        reply: dict[str, Any] = json.loads(self._read_line(until))
        return reply

    def _read_line(self, until: float) -> bytes:
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        poll = select.poll()
        poll.register(descriptor, select.POLLIN | select.POLLHUP)
        while b"\n" not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not poll.poll(left * 1000):
                raise TimeoutError
            data = os.read(descriptor, 65536)
            if not data:
                raise BrokenPipeError("the worker has died")
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


class WorkerPool:
    """Up to `size` workers at work, and one more that is ready to take the place of a killed one."""

    def __init__(self, size: int = 1, memory_mb: int = 1024) -> None:
        self.size = size
        self.memory_mb = memory_mb
        self.counts: Counter[str] = Counter()
        self._closed = False
        self.forget_workers()
        _POOLS.add(self)

    def forget_workers(self) -> None:
        """Start afresh without touching the workers: in a forked child they are still the parent's."""
        self._slots = threading.BoundedSemaphore(self.size)
        self._lock = threading.Lock()
        self._idle: list[Worker] = []

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The reply of a worker within `seconds` of its being free; a new worker's start counts.

        Raises WorkerTimeout when it does not come: the worker is killed, and the next request gets another one.
        """
        with self._slots:
            until = time.monotonic() + seconds
            worker = self._take()
            try:
                if not worker.is_ready(until):
                    self._give_back(worker)
                    self.counts["late_start"] += 1
                    raise WorkerTimeout("no worker was ready before the deadline")
                reply = worker.ask(request, until)
            except WorkerTimeout:
                raise
            except BaseException as error:
                self._replace(worker)
                if isinstance(error, OSError):  # TimeoutError and BrokenPipeError are OSErrors
                    self.counts["timed_out" if isinstance(error, TimeoutError) else "died"] += 1
                    raise WorkerTimeout(str(error) or "no answer before the deadline") from error
                raise
            if reply.get("fatal"):
                self.counts["out_of_memory"] += 1
                self._replace(worker)
            else:
                self._give_back(worker)
            return reply

    def warm_up(self, seconds: float = 60.0) -> None:
        """Start a worker and wait until it is ready, so that the first request does not pay for it."""
        until = time.monotonic() + seconds
        with self._slots:
            worker = self._take()
            worker.is_ready(until)
            self._give_back(worker)

    def _take(self) -> Worker:
        with self._lock:
            if self._closed:
                raise RuntimeError("the pool of workers is closed")
            self._idle = [worker for worker in self._idle if worker.process.poll() is None]
            worker = self._idle.pop() if self._idle else Worker(self.memory_mb)
            if not self._idle:
                self._idle.append(Worker(self.memory_mb))
            return worker

    def _give_back(self, worker: Worker) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(worker)
                return
        worker.kill()

    def _replace(self, worker: Worker) -> None:
        worker.kill()
        with self._lock:
            if not self._closed:
                self._idle.insert(0, Worker(self.memory_mb))

    def close(self) -> None:
        """Kill all workers. The pool answers no further requests."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.kill()


_POOLS: weakref.WeakSet[WorkerPool] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for pool in list(_POOLS):
        pool.close()


def _forget_all() -> None:
    for pool in list(_POOLS):
        pool.forget_workers()


os.register_at_fork(after_in_child=_forget_all)
