"""Drives many rewriters at once: asks what they ask, judges what they hand in, and yields their results in order.

Everything asynchronous lives here, in a thread of its own with one event loop; whoever iterates over `run` writes
files meanwhile. Problems are read only a bounded number ahead of the results.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Generic, TypeVar

from semifactual.answers.verifier import Verifier
from semifactual.llm.cache import ReplyCache
from semifactual.llm.client import Client
from semifactual.llm.errors import ReplyPending
from semifactual.llm.requests import Answer, Answered, Usage
from semifactual.llm.solver import grade
from semifactual.llm.steps import Ask, Check, Grade, Note, Role, Step
from semifactual.types import Problem
from semifactual.validate.verdict import Verdict

Item = TypeVar("Item")
Result = TypeVar("Result")

Judging = Callable[[Problem, tuple[tuple[str, str], ...]], Awaitable[list[Verdict]]]
"""The verdicts of the rules on texts, each with its kind; runs elsewhere, so that the event loop goes on."""

_AHEAD = 4
"""Problems under way for each request that may be in flight: those being judged, and those waiting for the first."""
_MOST_WAITING = 4_000
"""Results that may wait for the one before them, which takes longer."""
_MOST_AT_ONCE = 24
_DRAIN_SECONDS = 20.0
"""How long a run that is stopped lets its work end. Replies in flight, which are paid, are awaited beyond that."""
_GLANCE_SECONDS = 0.2


@dataclass(slots=True)
class Tab:
    """What one problem's replies used, whenever they were paid."""

    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    """None where the price of a model is not known."""
    requests: int = 0


class StepRunner:
    """Answers the steps of rewriters. Use it within one event loop."""

    def __init__(self, clients: Mapping[Role, Client], cache: ReplyCache, judging: Judging, verifier: Verifier) -> None:
        self.clients = clients
        self._cache = cache
        self._judging = judging
        self._verifier = verifier

    async def drive(self, problem: Problem, steps: Generator[Step, Any, Result], tab: Tab) -> Result:
        """Answer every step until the rewriter is done; what its replies used is put on the tab."""
        answer: Any = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as done:
                result: Result = done.value
                return result
            answer = await self._answer(problem, step, tab)

    async def _answer(self, problem: Problem, step: Step, tab: Tab) -> Any:
        match step:
            case Ask(role=role, requests=requests):
                return await self._ask(role, requests, tab)
            case Check(texts=texts):
                return await self._judging(problem, texts)
            case Grade(answers=answers):
                return await asyncio.to_thread(grade, self._verifier, problem.answer, answers)
            case Note(key=key, outcome=outcome):
                return await asyncio.wrap_future(self._cache.note(key, outcome))

    async def _ask(self, role: Role, requests: tuple[Any, ...], tab: Tab) -> tuple[Answer, ...]:
        client = self.clients[role]
        found = await asyncio.gather(*(client.ask(request) for request in requests), return_exceptions=True)
        for outcome in found:
            if isinstance(outcome, BaseException):
                raise outcome
        answers = tuple(outcome for outcome in found if not isinstance(outcome, BaseException))
        for answer in answers:
            if isinstance(answer, Answered):
                tab.requests += 1
                tab.usage += answer.reply.usage
                cost = client.cost_of(answer.reply.usage)
                tab.cost = None if cost is None or tab.cost is None else tab.cost + cost
        return answers


@dataclass(frozen=True, slots=True)
class Workshop(Generic[Item, Result]):
    """What works on items, made inside the event loop: the work on one, and the clients that it asks."""

    work: Callable[[Item], Coroutine[Any, Any, Result]]
    clients: frozenset[Client]


class RunStopped(Exception):
    """The run was stopped from outside. Whoever stopped it knows, so nobody is shown this."""


@dataclass(frozen=True, slots=True)
class _Failure:
    error: BaseException


_END = object()


class Run(Generic[Item, Result]):
    """One pass over many items, in a thread of its own with one event loop.

    The items are opened, read and dropped in that thread: what they come from may be bound to it.
    """

    def __init__(
        self,
        open_items: Callable[[], Iterable[Item]],
        open_workshop: Callable[[], Workshop[Item, Result]],
        concurrency: int,
    ) -> None:
        self._open_items = open_items
        self._open_workshop = open_workshop
        self._ahead = max(8, concurrency * _AHEAD)
        self._unfinished = 0
        self._results: queue.Queue[Any] = queue.Queue(maxsize=256)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._clients: frozenset[Client] = frozenset()
        self._abandoned = threading.Event()

    def __iter__(self) -> Iterator[list[Result]]:
        """The results in the order of the items, as many at a time as are there.

        Those of items whose replies are only collected are left out.

        Raises:
            SemifactualError: whatever ended the work on one item; results before it were yielded, and replies in
                flight were awaited and committed.
        """
        thread = threading.Thread(target=lambda: asyncio.run(self._main()), name="llm-engine", daemon=True)
        thread.start()
        try:
            last: Any = None
            while last is None:
                ready, last = self._ready()
                if ready:
                    yield ready
            if isinstance(last, _Failure):
                raise last.error
        finally:
            self._abandon(thread)

    def _ready(self) -> tuple[list[Result], Any]:
        """The results that are there, at least one, and what ended the run, if it has ended."""
        ready: list[Result] = []
        result = self._results.get()
        while result is not _END and not isinstance(result, _Failure):
            ready.append(result)
            if len(ready) == _MOST_AT_ONCE or self._results.empty():
                return ready, None
            result = self._results.get()
        return ready, result

    def _abandon(self, thread: threading.Thread) -> None:
        """Stop the thread, if it still runs, as soon as the replies in flight are there."""
        self._abandoned.set()
        loop = self._loop
        for client in self._clients:
            with suppress(RuntimeError):  # the loop is closed, so that nothing is left to stop
                if loop is not None:
                    loop.call_soon_threadsafe(client.stop, RunStopped())
        while thread.is_alive():
            with suppress(queue.Empty):  # the thread may be waiting for room to hand a result over
                self._results.get(timeout=0.02)
        thread.join()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        outcome: Any = _END
        try:
            workshop = self._open_workshop()
            self._clients = workshop.clients
            try:
                await self._work_through(workshop.work)
            finally:
                for client in self._clients:
                    await client.close()
        except BaseException as error:
            outcome = _Failure(error)
        await self._hand_over(outcome)

    async def _work_through(self, work: Callable[[Item], Coroutine[Any, Any, Result]]) -> None:
        tasks: deque[asyncio.Task[Result]] = deque()
        items = iter(self._open_items())
        changed = asyncio.Event()
        try:
            while not self._abandoned.is_set():
                changed.clear()
                self._take_on(items, tasks, work, changed)
                if not tasks:
                    break
                while tasks and tasks[0].done():
                    with suppress(ReplyPending):
                        await self._hand_over(tasks[0].result())
                    tasks.popleft()
                    changed.set()
                await changed.wait()
        except BaseException as error:
            await self._drain(tasks, error)
            raise
        else:
            await self._drain(tasks, RunStopped())
        finally:
            del items  # here, and not wherever the traceback of an error happens to be forgotten

    def _take_on(
        self,
        items: Iterator[Item],
        tasks: deque[asyncio.Task[Result]],
        work: Callable[[Item], Coroutine[Any, Any, Result]],
        changed: asyncio.Event,
    ) -> None:
        """Start work on as many items as there is room for. One that takes long does not keep others from starting."""

        def finished(task: asyncio.Task[Result]) -> None:
            self._unfinished -= 1
            changed.set()

        room = min(self._ahead - self._unfinished, self._ahead + _MOST_WAITING - len(tasks))
        for item in islice(items, max(0, room)):
            task = asyncio.create_task(work(item))
            self._unfinished += 1
            task.add_done_callback(finished)
            tasks.append(task)

    async def _drain(self, tasks: Iterable[asyncio.Task[Result]], error: BaseException) -> None:
        """Let every reply in flight come in, send nothing new, and give up other work that takes too long.

        A request has a timeout of its own, so this ends, too.
        """
        pending = {task for task in tasks if not task.done()}
        if pending:
            for client in self._clients:
                client.stop(error if isinstance(error, Exception) else RunStopped())
            _, pending = await asyncio.wait(pending, timeout=_DRAIN_SECONDS)
            while pending and any(client.in_flight for client in self._clients):
                _, pending = await asyncio.wait(pending, timeout=_GLANCE_SECONDS)
            for task in pending:
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _hand_over(self, result: Any) -> None:
        """Give a result to the thread that iterates, without blocking the loop while that one writes."""
        while not self._abandoned.is_set():
            try:
                self._results.put_nowait(result)
                return
            except queue.Full:
                await asyncio.sleep(0.005)
