"""Replies by the Batch API: requests go up as a file, and come back within a day, at half the price.

A batch only fills the cache. Whatever happens to this process, a batch that was sent is found again: its number is
remembered as soon as it is known, and a batch whose number was not yet known when the process died, or when the
connection broke, is recognised by a mark that travels in its metadata.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from semifactual.llm.budget import Budget, Sum, paid, worst_case
from semifactual.llm.cache import Origin, ReplyCache
from semifactual.llm.capabilities import Capabilities
from semifactual.llm.errors import AttemptFailed, RateLimited, RequestRefused, ServerError
from semifactual.llm.prices import Price
from semifactual.llm.replies import error_of_body, read_reply
from semifactual.llm.requests import ChatRequest, Purpose
from semifactual.llm.traffic import Traffic
from semifactual.llm.transport import CHAT_PATH, Transport

MOST_REQUESTS = 20_000
MOST_BYTES = 90 * 1024 * 1024
"""Of one batch's file; the API takes 50,000 requests and 200 MB."""
OVER = frozenset({"completed", "failed", "expired", "cancelled"})
_MARK = "semifactual_file"
"""The entry of a batch's metadata that says which of our submissions it is."""
_MOST_LISTED = 2_000
"""How many batches of an account are looked through for one of ours, the newest first."""
_ANY = ChatRequest(Purpose.BATCH, (), 0)
"""Stands for the request of a line in a file of results, which says no more of it than its key."""
_COMMITS_AT_ONCE = 256
_LONGEST_POLL = 300.0
_PATIENCE = 20
"""Polls in a row that may fail before the run stops; the batch goes on without us."""


@dataclass(slots=True)
class BatchSender:
    """Sends the collected requests of one endpoint as batches, and merges what comes back."""

    transport: Transport
    cache: ReplyCache
    build: str
    price: Price | None
    traffic: Traffic
    folder: Path
    """Where the files of requests lie until they are answered."""
    on_news: Callable[[str], None]
    poll_seconds: float = 30.0

    async def finish_known(self) -> dict[str, str]:
        """Wait for the batches that earlier runs of this build sent, and merge them; returns failures by key."""
        failures: dict[str, str] = {}
        for name, state in self.cache.facts(self._prefix).items():
            number = state["batch"] or await self._call(partial(self._recognised, state["mark"]))
            if number is None:  # the process died before the batch was made: nothing was paid
                await self._remember(name, None)
                continue
            await self._remember(name, {**state, "batch": number})
            failures |= await self._finish(name, number)
        return failures

    async def send(
        self, requests: Iterable[tuple[str, ChatRequest]], capabilities: Capabilities, budget: Budget
    ) -> dict[str, str]:
        """Send all requests, wait, and merge the replies; returns why the others were not answered, by key.

        Raises:
            BudgetSpent: the rest may cost more than what is left; what was sent before is merged.
        """
        failures: dict[str, str] = {}
        waiting = iter(requests)
        while chunk := self._chunk(waiting, capabilities, budget):
            name, number = await self._submit(chunk.lines)
            failures |= await self._finish(name, number)
            usage, cost = self.cache.spent(self.build)
            budget.spent = Sum(usage.total, cost)
            if chunk.too_expensive is not None:
                raise budget.exhausted(chunk.too_expensive)
        return failures

    @property
    def _prefix(self) -> str:
        endpoint = self.transport.endpoint
        return f"batch {self.build} {endpoint.base_url} {endpoint.model} "

    def _chunk(
        self, requests: Iterator[tuple[str, ChatRequest]], capabilities: Capabilities, budget: Budget
    ) -> _Chunk | None:
        """The next requests that fit into one file and the budget; None where there are none left."""
        lines: list[str] = []
        size, worst = 0, Sum()
        for key, request in islice(requests, MOST_REQUESTS):
            alone = worst_case(request, self.price)
            worst += alone
            if not budget.room_for(worst):
                if not lines:
                    raise budget.exhausted(alone)
                return _Chunk(lines, too_expensive=alone)
            body = capabilities.body(request, self.transport.endpoint)
            lines.append(json.dumps({"custom_id": key, "method": "POST", "url": f"/v1{CHAT_PATH}", "body": body}))
            size += len(lines[-1]) + 1
            if size > MOST_BYTES:
                break
        return _Chunk(lines) if lines else None

    async def _submit(self, lines: list[str]) -> tuple[str, str]:
        content = "".join(f"{line}\n" for line in lines).encode()
        digest = hashlib.sha256(content).hexdigest()[:32]
        mark = f"{digest}-{secrets.token_hex(4)}"  # what an expired batch left may be sent again, in an equal file
        name = f"{self._prefix}{mark}"
        state = {"mark": mark, "requests": len(lines), "batch": None}
        await self._remember(name, state)
        client = self.transport.client
        file = await self._call(lambda: client.files.create(file=(f"{digest}.jsonl", content), purpose="batch"))
        number = await self._made(str(file.id), mark)
        await self._remember(name, {**state, "batch": number})
        self.traffic.counts["sent"] += len(lines)
        self.on_news(f"sent {len(lines):,} requests as batch {number}")
        return name, number

    async def _made(self, file: str, mark: str) -> str:
        """Make one batch of an uploaded file; returns its number."""
        tried = False

        async def make() -> str:
            nonlocal tried
            if tried and (number := await self._recognised(mark)) is not None:
                return number  # the attempt before came through, and only its answer was lost
            tried = True
            batch = await self.transport.client.batches.create(
                input_file_id=file,
                endpoint=f"/v1{CHAT_PATH}",
                completion_window="24h",
                metadata={_MARK: mark},
            )
            return str(batch.id)

        return str(await self._call(make))

    async def _recognised(self, mark: str) -> str | None:
        """The number of the batch with this mark, if there is one."""
        looked_at = 0
        async for batch in self.transport.client.batches.list(limit=100):
            if (batch.metadata or {}).get(_MARK) == mark:
                return str(batch.id)
            looked_at += 1
            if looked_at == _MOST_LISTED:
                break
        return None

    async def _finish(self, name: str, number: str) -> dict[str, str]:
        batch = await self._awaited(number)
        failures: dict[str, str] = {}
        for file in (batch.output_file_id, batch.error_file_id):
            if file:
                failures |= await self._merge(file)
        if batch.status == "failed":
            errors = getattr(batch.errors, "data", None) or []
            said = "; ".join(str(error.message) for error in errors[:3])
            await self._remember(name, None)
            raise ServerError(self.transport.key.scrub(f"the batch {number} failed: {said or 'no reason was given'}"))
        await self._remember(name, None)
        self.on_news(f"batch {number} is {batch.status}")
        return failures

    async def _awaited(self, number: str) -> Any:
        """The batch, when it is over."""
        wait, silent = self.poll_seconds, 0
        while True:
            try:
                batch = await self._call(lambda: self.transport.client.batches.retrieve(number))
                silent = 0
            except ServerError:
                silent += 1
                if silent == _PATIENCE:
                    raise
            else:
                if batch.status in OVER:
                    return batch
                counts = batch.request_counts
                if counts is not None:
                    self.on_news(f"batch {number}: {counts.completed:,} of {counts.total:,} answered")
            await asyncio.sleep(wait)
            wait = min(wait * 1.5, max(self.poll_seconds, _LONGEST_POLL))

    async def _merge(self, file: str) -> dict[str, str]:
        """Commit the replies in a file of results; returns the requests that have none, with the reason.

        A request that was not reached before the batch expired is left out: it goes with the next batch.
        """
        path = self.folder / f"{hashlib.sha256(file.encode()).hexdigest()[:16]}.jsonl"
        content = await self._call(lambda: self.transport.client.files.content(file))
        await asyncio.to_thread(content.write_to_file, path)
        failures: dict[str, str] = {}
        with path.open(encoding="utf-8", errors="replace") as lines:
            while chunk := list(islice(lines, _COMMITS_AT_ONCE)):
                commits = [commit for line in chunk if (commit := self._commit(line, failures)) is not None]
                await asyncio.gather(*map(asyncio.wrap_future, commits))
        path.unlink()
        return failures

    def _commit(self, line: str, failures: dict[str, str]) -> Any:
        try:
            result = json.loads(line)
            key = str(result["custom_id"])
        except (ValueError, KeyError, TypeError):
            return None  # not one of ours
        response, error = _object(result.get("response")), _object(result.get("error"))
        status, body = response.get("status_code"), response.get("body")
        scrub = self.transport.key.scrub
        try:
            if status != 200:
                raise error_of_body(body or {"error": error}, status=status if isinstance(status, int) else 500)
            reply = read_reply(_ANY, scrub(json.dumps(body)).encode())
        except (RequestRefused, AttemptFailed) as refusal:
            if error.get("code") != "batch_expired":
                failures[key] = scrub(refusal.reason)
                self.traffic.counts["failed"] += 1
            return None
        except RateLimited:
            return None
        spent = paid(reply.usage, self.price)
        self.traffic.book(reply.usage, spent.cost)
        endpoint, cost = self.transport.endpoint, None if self.price is None else spent.cost
        return self.cache.put(key, _ANY, reply, Origin(endpoint.base_url, endpoint.model, self.build, cost))

    async def _remember(self, name: str, state: Any) -> None:
        await asyncio.wrap_future(self.cache.remember(name, state))

    async def _call(self, call: Callable[[], Any]) -> Any:
        return await self.transport.call(call)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class _Chunk:
    lines: list[str]
    too_expensive: Sum | None = None
    """What the next request may use, where the budget does not hold it."""
