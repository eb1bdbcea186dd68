"""Builds by batches: run through the problems, collect what has no reply yet, send it, and again until all is there."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semifactual.llm.batch import BatchSender
from semifactual.llm.endpoint import Endpoint
from semifactual.llm.requests import ChatRequest, Purpose
from semifactual.llm.traffic import Traffic
from semifactual.pipeline.asking import Asking, asked
from semifactual.pipeline.models import Models
from semifactual.types import Problem

if TYPE_CHECKING:
    from semifactual.pipeline.build import News

POLL_SECONDS = 30.0
MOST_ROUNDS = 3
"""How often a request goes into a batch that does not answer it."""


class Spool:
    """Requests that wait to be sent, on disk, each once.

    `sent` counts how often each was put by already; what no batch has answered in `MOST_ROUNDS` goes to `failures`.
    """

    def __init__(self, folder: Path, sent: Counter[str], failures: dict[str, str]) -> None:
        self._folder = folder
        self._sent = sent
        self._failures = failures
        self._files: dict[Endpoint, Any] = {}
        self._keys: set[str] = set()

    def add(self, endpoint: Endpoint, key: str, request: ChatRequest) -> None:
        """Put a request by; one that waits already is not taken twice."""
        if key in self._keys:
            return
        if self._sent[key] == MOST_ROUNDS:
            self._failures[key] = f"none of {MOST_ROUNDS} batches brought a reply"
            return
        self._keys.add(key)
        self._sent[key] += 1
        if endpoint not in self._files:
            path = self._folder / f"{len(self._files)}.jsonl"
            self._files[endpoint] = path.open("w", encoding="utf-8")
        self._files[endpoint].write(json.dumps([key, asdict(request)]) + "\n")

    def endpoints(self) -> tuple[Endpoint, ...]:
        """Those for which requests wait."""
        for file in self._files.values():
            file.flush()
        return tuple(self._files)

    def requests(self, endpoint: Endpoint) -> Iterator[tuple[str, ChatRequest]]:
        """The waiting requests of one endpoint."""
        with open(self._files[endpoint].name, encoding="utf-8") as lines:
            for line in lines:
                key, stored = json.loads(line)
                stored["purpose"] = Purpose(stored["purpose"])
                stored["messages"] = tuple(map(tuple, stored["messages"]))
                yield key, ChatRequest(**stored)

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            file.close()


def answer_by_batches(
    problems: Callable[[], Iterator[Problem]], asking: Asking, models: Models, workers: int, on_news: News
) -> None:
    """Send batches until every request that the problems need has its reply in the cache, or a reason for having none.

    Each pass over the problems collects one more round: rewrites, then judgements and votes, then repairs.

    Raises:
        ServerError: the server takes no batches, or a batch failed.
        BudgetSpent: the rest may cost more than what is left.
    """
    with tempfile.TemporaryDirectory(prefix="batch-", dir=models.cache.path.parent) as folder:
        models.failures |= asyncio.run(_finish_known(models, Path(folder), on_news))
        sent: Counter[str] = Counter()
        while True:
            spool = Spool(Path(folder), sent, models.failures)
            try:
                for _ in asked(problems, asking, models, workers, collector=spool.add):
                    pass
                if not spool.endpoints():
                    return
                models.failures |= asyncio.run(_send(spool, models, Path(folder), on_news))
            finally:
                spool.close()


async def _finish_known(models: Models, folder: Path, on_news: News) -> dict[str, str]:
    failures: dict[str, str] = {}
    for endpoint in models.prices:
        async with models.open_transport(endpoint) as transport:
            failures |= await _sender(models, transport, folder, on_news).finish_known()
    return failures


async def _send(spool: Spool, models: Models, folder: Path, on_news: News) -> dict[str, str]:
    failures: dict[str, str] = {}
    clients = models.open_clients()
    try:
        for endpoint in spool.endpoints():
            capabilities = await next(c for c in clients.values() if c.endpoint == endpoint).prepare()
            async with models.open_transport(endpoint) as transport:
                sender = _sender(models, transport, folder, on_news)
                failures |= await sender.send(spool.requests(endpoint), capabilities, models.budget())
    finally:
        for client in set(clients.values()):
            await client.close()
    return failures


def _sender(models: Models, transport: Any, folder: Path, on_news: News) -> BatchSender:
    price = models.prices[transport.endpoint]
    traffic = models.traffic.setdefault(transport.endpoint, Traffic())
    return BatchSender(transport, models.cache, models.build, price, traffic, folder, on_news, POLL_SECONDS)
