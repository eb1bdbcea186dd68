"""The client against the stub: what is sent, what is kept, and what waits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from semifactual.llm import client as client_module
from semifactual.llm.client import Client
from semifactual.llm.errors import ServerError
from semifactual.llm.requests import Answered, ChatRequest, Purpose, Unanswered, cache_key
from semifactual.llm.steps import Role
from semifactual.pipeline.llm_options import LlmBuildOptions
from semifactual.pipeline.models import Models, models_for
from tests.stub_server import Body, StubServer

SHAPE = 'in this shape:\n{"irrelevant_context": {}}'


def request(number: int = 0) -> ChatRequest:
    text = f"<text>\nproblem {number}\n</text>"
    return ChatRequest(Purpose.REWRITE, (("system", SHAPE), ("user", text)), 500)


def with_client(
    stub: StubServer, folder: Path, work: Callable[[Client, Models], Awaitable[Any]], **options: Any
) -> Any:
    pytest.importorskip("openai")
    given = {"engine": "llm", "model": stub.model, "cache": folder / "cache.sqlite", **options}

    async def run() -> Any:
        with models_for(LlmBuildOptions(**given), {}) as models:
            assert models is not None
            client = models.open_clients()[Role.REWRITER]
            try:
                return await work(client, models)
            finally:
                await client.close()

    return asyncio.run(run())


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "_FIRST_DELAY", 0.01)
    monkeypatch.setattr(client_module, "_LONGEST_DELAY", 0.05)


def test_one_request_asked_for_twice_at_once_is_sent_once(tmp_path: Path) -> None:
    async def work(client: Client, models: Models) -> list[Any]:
        return await asyncio.gather(*(client.ask(request()) for _ in range(5)))

    with StubServer(latency=0.05) as stub:
        answers = with_client(stub, tmp_path, work)
        assert len(stub.asked()) == 1
    assert all(answer == answers[0] and isinstance(answer, Answered) for answer in answers)


def test_errors_are_never_cached(tmp_path: Path) -> None:
    async def work(client: Client, models: Models) -> None:
        assert isinstance(await client.ask(request()), Unanswered)
        assert models.cache.get(cache_key(request(), client.endpoint)) is None
        assert isinstance(await client.ask(request()), Answered)

    with StubServer(behave=lambda body, seen: "error_200" if seen == 0 else "good") as stub:
        with_client(stub, tmp_path, work, attempts=1)


def test_a_stopped_client_sends_nothing_more_and_keeps_what_is_in_flight(tmp_path: Path) -> None:
    async def work(client: Client, models: Models) -> None:
        await client.prepare()
        flying = asyncio.create_task(client.ask(request(1)))
        while not client.in_flight:
            await asyncio.sleep(0.01)
        client.stop(ServerError("enough"))
        with pytest.raises(ServerError, match="enough"):
            await client.ask(request(2))
        assert isinstance(await flying, Answered)
        assert models.cache.get(cache_key(request(1), client.endpoint)) is not None

    with StubServer(latency=0.3) as stub:
        with_client(stub, tmp_path, work)
        assert len(stub.asked()) == 1


def test_a_client_that_was_idle_for_long_has_all_its_patience(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    later = 0.0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + later, time=time.time)
    monkeypatch.setattr(client_module, "time", clock)

    async def work(client: Client, models: Models) -> None:
        nonlocal later
        assert isinstance(await client.ask(request(1)), Answered)
        later = 2 * client_module._PATIENCE
        assert isinstance(await client.ask(request(2)), Answered)

    def behave(body: Body, seen: int) -> str:
        return "rate_limited" if seen == 0 and "problem 2" in body["messages"][-1]["content"] else "good"

    with StubServer(behave=behave) as stub:
        with_client(stub, tmp_path, work)


def test_overload_lets_fewer_requests_fly(tmp_path: Path) -> None:
    def behave(body: Body, seen: int) -> str:
        return "status_503" if seen == 0 else "good"

    async def work(client: Client, models: Models) -> float:
        await asyncio.gather(*(client.ask(request(number)) for number in range(12)))
        return client._window.size

    with StubServer(behave=behave) as stub:
        assert with_client(stub, tmp_path, work, concurrency=8) < 8
        assert len(stub.asked()) == 24


def test_requests_a_minute_are_a_ceiling(tmp_path: Path) -> None:
    async def work(client: Client, models: Models) -> float:
        await client.prepare()
        started = asyncio.get_running_loop().time()
        await asyncio.gather(*(client.ask(request(number)) for number in range(6)))
        return asyncio.get_running_loop().time() - started

    with StubServer() as stub:
        assert with_client(stub, tmp_path, work, rpm=600) >= 0.5  # ten a second, and the probe took a place
