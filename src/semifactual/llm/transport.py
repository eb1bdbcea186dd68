"""One attempt to get a reply, by the official client: bounded in time and in bytes, and with nothing retried behind us.

What goes wrong comes out as one of our own errors, without the client's: its exceptions hold the request, and that
holds the key.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import cache
from importlib import import_module
from typing import Any

from semifactual.errors import ConfigError
from semifactual.llm.endpoint import Endpoint, Key
from semifactual.llm.errors import AttemptFailed, RateLimited, RequestRefused, ServerError
from semifactual.llm.replies import LONGEST_BODY, error_of_body, parse_retry_after, read_reply
from semifactual.llm.requests import ChatRequest, Reply

CHAT_PATH = "/chat/completions"
_CONNECT_SECONDS = 10.0
_CALL_ATTEMPTS = 4
_CONNECTIONS_PER_POOL = 8


class _TooLarge(Exception):
    """A body went on beyond `LONGEST_BODY`."""


class Transport:
    """The connection to one endpoint."""

    def __init__(self, endpoint: Endpoint, key: Key, *, timeout: float, connections: int) -> None:
        openai, httpx = _libraries()
        self.endpoint = endpoint
        self.key = key
        self.timeout = timeout
        # A pool looks through all its connections for every request: several small ones are quicker than one.
        trust = httpx.create_ssl_context()  # slow to make, and the same for all
        shares = -(-connections // _CONNECTIONS_PER_POOL)
        self._clients = [self._open(openai, httpx, key, trust) for _ in range(shares)]
        self._in_use = [0] * shares
        self._openai = openai
        self._raw = httpx.Response

    @property
    def client(self) -> Any:
        """A client of the official package, for calls other than chat."""
        return self._clients[0]

    def _open(self, openai: Any, httpx: Any, key: Key, trust: Any) -> Any:
        most = _CONNECTIONS_PER_POOL + 2
        patience = httpx.Timeout(self.timeout, connect=min(self.timeout, _CONNECT_SECONDS), pool=None)
        http_client = openai.DefaultAsyncHttpxClient(
            verify=trust,
            limits=httpx.Limits(max_connections=most, max_keepalive_connections=most),
            timeout=patience,
            follow_redirects=False,  # a redirect could carry the problem, or the key, to somewhere else
            event_hooks={"response": [_bound]},
        )
        return openai.AsyncOpenAI(
            api_key=key.reveal(),
            base_url=self.endpoint.base_url,
            max_retries=0,  # attempts are counted by our own client
            timeout=patience,
            http_client=http_client,
        )

    async def send(self, request: ChatRequest, body: dict[str, Any]) -> Reply:
        """Send `body`, and read the reply to its end.

        Raises:
            RateLimited: the server asks for patience.
            AttemptFailed: no complete reply came; another attempt may help.
            RequestRefused: none will come.
        """
        trouble: Exception
        try:
            async with asyncio.timeout(self.timeout):  # over all: a server that drips byte by byte is never silent
                return self._scrubbed(read_reply(request, await self._post(body)))
        except (TimeoutError, self._openai.APITimeoutError):
            trouble = AttemptFailed(f"no complete reply came within {self.timeout:g} seconds", overload=True)
        except _TooLarge:
            trouble = RequestRefused(f"the reply is larger than {LONGEST_BODY:,} bytes")
        except self._openai.APIStatusError as error:
            trouble = self._of_status(error)
        except self._openai.APIConnectionError as error:
            trouble = AttemptFailed(f"the connection failed: {self._cause(error)}", overload=True)
        except self._openai.OpenAIError as error:
            trouble = AttemptFailed(f"the client gave up: {self._cause(error)}")
        except (RateLimited, AttemptFailed, RequestRefused) as error:
            trouble = error
        for field in ("reason", "parameter"):
            if hasattr(trouble, field):
                setattr(trouble, field, self.key.scrub(getattr(trouble, field)))
        raise trouble from None

    async def _post(self, body: dict[str, Any]) -> bytes:
        share = self._in_use.index(min(self._in_use))
        self._in_use[share] += 1
        try:
            response = await self._clients[share].post(CHAT_PATH, cast_to=self._raw, body=body)
            content: bytes = response.content
            return content
        finally:
            self._in_use[share] -= 1

    async def call(self, call: Callable[[], Awaitable[Any]]) -> Any:
        """The result of another call of the client's, e.g. for batches, with its errors made ours.

        Raises:
            ServerError: it failed, after a few attempts where another one could help.
        """
        for attempt in range(_CALL_ATTEMPTS):
            try:
                return await call()
            except self._openai.APIStatusError as error:
                trouble: Any = self._of_status(error)
            except self._openai.APIConnectionError as error:
                trouble = AttemptFailed(f"the connection failed: {self._cause(error)}")
            if isinstance(trouble, RequestRefused) or attempt == _CALL_ATTEMPTS - 1:
                break
            await asyncio.sleep((getattr(trouble, "retry_after", None) or 0.2) * 2**attempt)
        missing = isinstance(trouble, RequestRefused) and trouble.status in (404, 405, 501)
        raise ServerError(
            self.key.scrub(f"{self.endpoint.base_url} cannot be used: {trouble.reason}"),
            hint="the server seems to have no batches: leave out --batch" if missing else None,
        ) from None

    async def __aenter__(self) -> Transport:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        for client in self._clients:
            await client.close()

    def _of_status(self, error: Any) -> Exception:
        headers = error.response.headers
        wait = parse_retry_after(headers, time.time())
        body = error.body
        if isinstance(body, str):  # the client takes JSON apart, and leaves all else as it came
            body = {"message": body[:400]}
        elif isinstance(body, dict) and "error" not in body:
            body = {"error": body}
        return error_of_body(body, status=error.status_code, retry_after=wait)

    def _cause(self, error: BaseException) -> str:
        cause = error.__cause__ or error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        return " ".join(f"{type(cause).__name__} {cause}".split())[:200]

    def _scrubbed(self, reply: Reply) -> Reply:
        """The reply without the key: a server that knows it could send it back."""
        if self.key.scrub(reply.text) == reply.text and self.key.scrub(reply.refusal) == reply.refusal:
            return reply
        return Reply(self.key.scrub(reply.text), reply.finish, self.key.scrub(reply.refusal), reply.usage)


async def _bound(response: Any) -> None:
    """Make a response's body raise where it goes on for too long; files, which are read to disk, may."""
    if response.request.url.path.endswith(CHAT_PATH):
        response.stream = _bounded_type()(response.stream)


@cache
def _bounded_type() -> Any:
    """A stream of the HTTP library's own type that passes on another one's bytes, up to a limit."""

    def start(self: Any, stream: Any) -> None:
        self.stream = stream

    async def pass_on(self: Any) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self.stream:
            size += len(chunk)
            if size > LONGEST_BODY:
                raise _TooLarge
            yield chunk

    async def close(self: Any) -> None:
        await self.stream.aclose()

    _, httpx = _libraries()
    return type("Bounded", (httpx.AsyncByteStream,), {"__init__": start, "__aiter__": pass_on, "aclose": close})


def _libraries() -> tuple[Any, Any]:
    """The client's package and the HTTP library under it, imported only where a server is really asked."""
    try:
        return import_module("openai"), import_module("httpx2")
    except ImportError as error:
        raise ConfigError(
            "asking a model needs the package openai, version 3.57 or later",
            hint="pip install 'semifactual[llm]'",
        ) from error
