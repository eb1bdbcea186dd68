"""What a server understands: found out by one tiny request a question, remembered, and obeyed in every request."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from semifactual.llm.endpoint import Endpoint
from semifactual.llm.errors import RequestRefused
from semifactual.llm.parsing import NoObject, json_object
from semifactual.llm.requests import ChatRequest, Purpose, Reply

VERSION = 1
"""Of what is asked; a change asks every server anew."""
REMEMBERED_SECONDS = 30 * 24 * 3600.0
_PROBE_TOKENS = 256
_MOST_QUESTIONS = 8
_PROBE_SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"ready": {"type": "boolean"}},
        "required": ["ready"],
        "additionalProperties": False,
    }
)


class Structure(StrEnum):
    """How a server can be made to write JSON, the strongest means first."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    TEXT = "text"
    """Not at all: the prompt asks for JSON, and the parser is strict."""


_WEAKER = {Structure.JSON_SCHEMA: Structure.JSON_OBJECT, Structure.JSON_OBJECT: Structure.TEXT}


@dataclass(frozen=True, slots=True)
class Capabilities:
    """How this server wants its requests."""

    structure: Structure = Structure.JSON_SCHEMA
    tokens_field: str = "max_tokens"
    """The name of the limit on a reply's tokens; reasoning models of OpenAI know only ``max_completion_tokens``."""
    temperature: bool = True
    seed: bool = True
    system: bool = True
    """Whether there may be a message of the system; some chat templates know only users."""

    def to_json(self) -> dict[str, Any]:
        """The capabilities as they are remembered and written to manifests."""
        return asdict(self)

    def body(self, request: ChatRequest, endpoint: Endpoint) -> dict[str, Any]:
        """The body of the request as this server wants it."""
        body: dict[str, Any] = {
            "model": endpoint.model,
            "messages": self._messages(request),
            self.tokens_field: request.max_tokens,
        }
        if self.temperature and request.temperature is not None:
            body["temperature"] = request.temperature
        if self.seed:
            body["seed"] = request.sample
        if request.schema is not None and self.structure is Structure.JSON_SCHEMA:
            schema = {"name": "reply", "strict": True, "schema": json.loads(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif request.schema is not None and self.structure is Structure.JSON_OBJECT:
            body["response_format"] = {"type": "json_object"}
        body.update(json.loads(request.extra))
        return body

    def _messages(self, request: ChatRequest) -> list[dict[str, str]]:
        messages = list(request.messages)
        if not self.system and messages[0][0] == "system":
            (_, instruction), (role, text), *rest = messages
            messages = [(role, f"{instruction}\n\n{text}"), *rest]
        return [{"role": role, "content": text} for role, text in messages]


Send = Callable[[ChatRequest, Capabilities], Awaitable[Reply]]
"""Sends one request in the way of these capabilities, with retries; a request that is refused raises."""


async def probe(endpoint: Endpoint, send: Send, extra: str = "{}") -> Capabilities:
    """Find out what the server understands.

    A parameter that it refuses is left out from then on. A format that it accepts counts as understood unless a
    finished reply shows that it was ignored.

    Raises:
        RequestRefused: it refuses even the plainest request.
    """
    tokens_field = "max_completion_tokens" if endpoint.is_openai else "max_tokens"
    current = Capabilities(tokens_field=tokens_field)
    for _ in range(_MOST_QUESTIONS):
        try:
            reply = await send(_question(extra), current)
        except RequestRefused as refusal:
            weaker = _without(current, refusal)
            if weaker is None:
                raise
            current = weaker
            continue
        if current.structure is Structure.TEXT or reply.finish != "stop" or _is_object(reply.text):
            return current
        current = replace(current, structure=_WEAKER[current.structure])
    return replace(current, structure=Structure.TEXT)


def stored_name(endpoint: Endpoint) -> str:
    """The name under which the capabilities of this endpoint are remembered."""
    return f"capabilities {VERSION} {endpoint.base_url} {endpoint.model}"


def from_stored(stored: Any) -> Capabilities:
    """The capabilities that `to_json` wrote."""
    return Capabilities(**{**stored, "structure": Structure(stored["structure"])})


def _question(extra: str) -> ChatRequest:
    system = ("system", "You answer with JSON.")
    user = ("user", 'Reply with the JSON object {"ready": true} and nothing else.')
    return ChatRequest(Purpose.PROBE, (system, user), _PROBE_TOKENS, _PROBE_SCHEMA, temperature=0.7, extra=extra)


def _without(current: Capabilities, refusal: RequestRefused) -> Capabilities | None:
    """What to try next, after a complaint; None where the complaint is about something else, or nothing is left."""
    if refusal.status not in (400, 404, 415, 422, 501):
        return None
    said = f"{refusal.parameter} {refusal.reason}"
    if current.tokens_field in said:
        other = "max_completion_tokens" if current.tokens_field == "max_tokens" else "max_tokens"
        return replace(current, tokens_field=other)
    if "temperature" in said and current.temperature:
        return replace(current, temperature=False)
    if "seed" in said and current.seed:
        return replace(current, seed=False)
    if "system" in said.lower() and current.system:
        return replace(current, system=False)
    if current.structure is not Structure.TEXT and refusal.status != 404:
        return replace(current, structure=_WEAKER[current.structure])
    return None


def _is_object(text: str) -> bool:
    try:
        return "ready" in json_object(text)
    except NoObject:
        return False
