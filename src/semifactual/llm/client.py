"""The client: from a request to its one committed reply, at the pace that the server bears and within the budget."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TypeVar

from semifactual.llm.budget import Budget, Sum, paid
from semifactual.llm.cache import Origin, ReplyCache
from semifactual.llm.capabilities import (
    REMEMBERED_SECONDS,
    Capabilities,
    from_stored,
    probe,
    stored_name,
)
from semifactual.llm.endpoint import Endpoint
from semifactual.llm.errors import AttemptFailed, RateLimited, ReplyPending, RequestRefused, ServerError
from semifactual.llm.limits import Pace, TokenRate, Window
from semifactual.llm.prices import Price
from semifactual.llm.requests import (
    Answer,
    Answered,
    ChatRequest,
    Purpose,
    Reply,
    Unanswered,
    Usage,
    cache_key,
)
from semifactual.llm.traffic import Settings, Traffic
from semifactual.llm.transport import Transport

T = TypeVar("T")

FATAL_STATUS = {401, 402, 403, 404}
"""Statuses that every request would get: no key, no money, no right, no such model."""
_HINTS = {
    401: "check the key in the environment, and --api-key-env",
    402: "the account has no credit left; every reply is kept, so run the same command again when it has",
    403: "check what the key may do",
    404: "check the model's name and the address, which mostly ends with /v1",
}
_FIRST_DELAY, _LONGEST_DELAY = 0.5, 30.0
_PATIENCE = 900.0
"""Seconds in which a server may answer nothing but 429 before a run gives up."""

Collector = Callable[[Endpoint, str, ChatRequest], None]
"""Takes a request that has no reply yet, with its endpoint and its key, instead of sending it."""


class Client:
    """Everything between a request and its reply, for one endpoint. Use it within one event loop."""

    def __init__(
        self,
        endpoint: Endpoint,
        transport: Transport,
        cache: ReplyCache,
        budget: Budget,
        *,
        build: str,
        price: Price | None,
        settings: Settings,
        traffic: Traffic | None = None,
        failures: Mapping[str, str] | None = None,
        collector: Collector | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.traffic = Traffic() if traffic is None else traffic
        self.capabilities: Capabilities | None = None
        self._transport = transport
        self._cache = cache
        self._budget = budget
        self._build = build
        self._price = price
        self._settings = settings
        self._collector = collector
        self._failures = {} if failures is None else failures
        self._pace = Pace(None if settings.rpm is None else settings.rpm / 60.0)
        self._window = Window(settings.concurrency)
        self._tokens = TokenRate(settings.tpm)
        self._gate = asyncio.Lock()
        self._landed = asyncio.Event()
        self._preparing = asyncio.Lock()
        self._checking = asyncio.Lock()
        self._in_flight = 0
        self._last_success = float("-inf")
        self._stopped: Exception | None = None
        self._asked: dict[str, asyncio.Future[Answer]] = {}
        self._jitter = random.Random()

    async def ask(self, request: ChatRequest) -> Answer:
        """The reply to `request`: from the cache, or from the server and committed before this returns.

        Raises:
            ServerError: the server cannot be used at all.
            BudgetSpent: the budget does not hold this request.
            ReplyPending: requests are only collected.
        """
        key = cache_key(request, self.endpoint)
        if (known := self._cache.get(key)) is not None:
            self.traffic.counts["from_cache"] += 1
            return Answered(request, key, known)
        if (reason := self._failures.get(key)) is not None:
            return Unanswered(request, reason)
        if self._collector is not None:
            self._collector(self.endpoint, key, request)
            raise ReplyPending
        if (under_way := self._asked.get(key)) is not None:
            return await asyncio.shield(under_way)
        self._asked[key] = asyncio.get_running_loop().create_future()
        try:
            answer = await self._ask_server(key, request)
        except BaseException as error:
            waiting = self._asked.pop(key)
            waiting.set_exception(error if isinstance(error, Exception) else ServerError("the run was stopped"))
            waiting.exception()  # often nobody waits, and that is no fault
            raise
        self._asked.pop(key).set_result(answer)
        return answer

    async def prepare(self) -> Capabilities:
        """Learn what the server understands, unless that is remembered.

        Raises:
            ServerError: it does not answer, or refuses even the plainest request.
        """
        async with self._preparing:
            if self.capabilities is None:
                self.capabilities = self._remembered() or await self._probed()
            return self.capabilities

    def cost_of(self, usage: Usage) -> float | None:
        """What these tokens cost; None where the model's price is not known."""
        return None if self._price is None else self._price.cost(usage)

    @property
    def in_flight(self) -> int:
        """How many requests were sent and have neither a committed reply nor an error yet."""
        return self._in_flight

    async def close(self) -> None:
        """Close the connections to the server."""
        await self._transport.close()

    def stop(self, error: Exception) -> None:
        """Send nothing more: requests that would be sent raise `error`; those in flight are awaited and committed."""
        self._stopped = self._stopped or error

    def _remembered(self) -> Capabilities | None:
        stored = self._cache.fact(stored_name(self.endpoint))
        if stored is None or time.time() - stored[1] > REMEMBERED_SECONDS:
            return None
        return from_stored(stored[0])

    async def _probed(self) -> Capabilities:
        try:
            found = await probe(self.endpoint, self._send_plainly, self._settings.extra)
        except RequestRefused as refusal:
            raise self._unusable(refusal) from None
        except AttemptFailed as failure:
            raise self._silent(failure.reason) from None
        await asyncio.wrap_future(self._cache.remember(stored_name(self.endpoint), found.to_json()))
        return found

    async def _ask_server(self, key: str, request: ChatRequest) -> Answer:
        reserved = await self._budget.reserve(request, self._price)
        spent = Sum()
        try:
            capabilities = self.capabilities or await self.prepare()
            came = partial(self._commit, key, request)
            reply, used = await self._send_patiently(request, capabilities, came)
            spent = paid(used, self._price)
            return Answered(request, key, reply)
        except RequestRefused as refusal:
            if refusal.status in FATAL_STATUS:
                raise self._unusable(refusal) from None
            return self._failed(request, refusal.reason)
        except AttemptFailed as failure:
            if not await self._is_alive(failure.sent):
                raise self._silent(failure.reason) from None
            return self._failed(request, f"{failure.reason} (the last of {self._settings.attempts} attempts)")
        finally:
            await self._budget.settle(reserved, spent)

    async def _commit(self, key: str, request: ChatRequest, reply: Reply) -> tuple[Reply, Usage]:
        """Commit a reply that came; returns the one to use, and what this one used."""
        spent = paid(reply.usage, self._price)
        self.traffic.book(reply.usage, spent.cost)
        cost = spent.cost if self._price is not None else None
        origin = Origin(self.endpoint.base_url, self.endpoint.model, self._build, cost)
        return await asyncio.wrap_future(self._cache.put(key, request, reply, origin)), reply.usage

    async def _send_plainly(self, request: ChatRequest, capabilities: Capabilities) -> Reply:
        """Send a request whose reply is worth no commit."""
        return await self._send_patiently(request, capabilities, _itself)

    async def _send_patiently(
        self, request: ChatRequest, capabilities: Capabilities, came: Callable[[Reply], Awaitable[T]]
    ) -> T:
        """Send until a complete reply comes, and do with it what `came` does; a 429 costs patience and no attempt.

        A request counts as in flight until that is done, so that no more can be lost than may be in flight.
        """
        body = capabilities.body(request, self.endpoint)
        began, attempt = time.monotonic(), 1
        while True:
            try:
                return await self._send_once(request, body, came)
            except RateLimited as limited:
                if time.monotonic() - max(self._last_success, began) > _PATIENCE:
                    raise self._silent(limited.reason) from None
            except AttemptFailed as failure:
                if attempt == self._settings.attempts or (request.purpose is Purpose.PROBE and attempt == 2):
                    raise
                self.traffic.counts["retried"] += 1
                await asyncio.sleep(self._delay(attempt, failure.retry_after))
                attempt += 1

    async def _send_once(
        self, request: ChatRequest, body: dict[str, object], came: Callable[[Reply], Awaitable[T]]
    ) -> T:
        tokens = request.prompt_tokens + request.max_tokens
        await self._enter(tokens)
        self.traffic.counts["sent"] += 1
        sent = time.monotonic()
        try:
            reply = await self._transport.send(request, body)
            self._window.succeeded()
            self._last_success = time.monotonic()
            self._tokens.returned(tokens - reply.usage.total)
            return await came(reply)
        except RateLimited as limited:
            self.traffic.counts["refused"] += 1
            self._pace.refused(time.monotonic(), sent, limited.retry_after)
            self._tokens.returned(tokens)
            raise
        except AttemptFailed as failure:
            failure.sent = sent
            if failure.overload:
                self._window.overloaded(time.monotonic(), sent)
            raise
        finally:
            self._in_flight -= 1
            self._landed.set()

    async def _enter(self, tokens: int) -> None:
        """Wait for a place in the window and a moment of the pace; one request at a time, in the order they came."""
        async with self._gate:
            while not self._window.admits(self._in_flight):
                self._refuse_if_stopped()
                self._landed.clear()
                await self._landed.wait()
            free_at = self._tokens.slot(time.monotonic(), tokens)
            while (wait := max(self._pace.wait(time.monotonic()), free_at - time.monotonic())) > 0:
                self._refuse_if_stopped()
                await asyncio.sleep(min(wait, 1.0))
            self._refuse_if_stopped()
            self._pace.take(time.monotonic())
            self._in_flight += 1

    def _refuse_if_stopped(self) -> None:
        if self._stopped is not None:
            raise self._stopped

    async def _is_alive(self, since: float) -> bool:
        """Whether the server answers anybody: then a request that it did not answer has only itself to blame."""
        async with self._checking:
            if self._last_success > since:
                return True
            ask = ("user", "Reply with OK.")
            health = ChatRequest(Purpose.PROBE, (ask,), max_tokens=16, extra=self._settings.extra)
            try:
                await self._send_plainly(health, self.capabilities or Capabilities())
            except RequestRefused as refusal:
                return refusal.status not in FATAL_STATUS  # no is an answer too
            except AttemptFailed:
                return False
            return True

    def _failed(self, request: ChatRequest, reason: str) -> Unanswered:
        self.traffic.counts["failed"] += 1
        self.traffic.errors[reason] += 1
        return Unanswered(request, reason)

    def _delay(self, attempt: int, retry_after: float | None) -> float:
        """Exponential, with full jitter, so that requests that failed together do not come back together."""
        ceiling = min(_LONGEST_DELAY, _FIRST_DELAY * 2.0**attempt)
        return (retry_after or 0.0) + self._jitter.uniform(_FIRST_DELAY / 2, ceiling)

    def _unusable(self, refusal: RequestRefused) -> ServerError:
        where = f"{self.endpoint.model} at {self.endpoint.base_url}"
        error = ServerError(f"{where} cannot be used: {refusal.reason}", hint=_HINTS.get(refusal.status))
        self.stop(error)
        return error

    def _silent(self, reason: str) -> ServerError:
        where = f"{self.endpoint.model} at {self.endpoint.base_url}"
        error = ServerError(
            f"{where} sends no usable reply: {reason}",
            hint="every reply and every finished row is kept: run the same command again when the server is back",
        )
        self.stop(error)
        return error


async def _itself(reply: Reply) -> Reply:
    return reply
