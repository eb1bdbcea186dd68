"""A request to a model and its reply, as values: what is asked, what came back, what it used."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from semifactual.llm.endpoint import Endpoint

CHARACTERS_PER_TOKEN = 3.6
"""Of English prose with some mathematics. Used where no server has counted: estimates, and replies without usage."""

_PER_MESSAGE = 6
"""Tokens that a chat template puts around a message."""


class Purpose(StrEnum):
    """What a request is for."""

    REWRITE = "rewrite"
    REPAIR = "repair"
    """A rewrite again, with what was wrong with the last one."""
    JUDGE = "judge"
    SOLVE = "solve"
    BATCH = "batch"
    """Any of these, come back in a batch."""
    PROBE = "probe"
    """Tiny; asks what the server understands."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request. Equal requests to one model get the same reply, for ever: see `cache_key`."""

    purpose: Purpose
    messages: tuple[tuple[str, str], ...]
    """Pairs of a role and a text."""
    max_tokens: int
    schema: str | None = None
    """The JSON schema that the reply should follow, as JSON text."""
    temperature: float | None = None
    sample: int = 0
    """Tells apart independent replies to one and the same request."""
    extra: str = "{}"
    """More fields of the request's body, as JSON text: those that only some servers know."""

    @property
    def prompt_tokens(self) -> int:
        """About how many tokens the messages and the schema have."""
        return sum(estimate_tokens(text) + _PER_MESSAGE for _, text in self.messages) + estimate_tokens(
            self.schema or ""
        )


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply, or of many."""

    prompt: int = 0
    cached: int = 0
    """Prompt tokens that the server had in its own cache, and charges less for."""
    completion: int = 0
    """With those of the reasoning, which is charged too."""
    unreported: int = 0
    """How many replies came without usage, so that their tokens are estimates."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt + other.prompt,
            self.cached + other.cached,
            self.completion + other.completion,
            self.unreported + other.unreported,
        )

    @property
    def total(self) -> int:
        """Prompt and completion."""
        return self.prompt + self.completion


@dataclass(frozen=True, slots=True)
class Reply:
    """One complete reply. Complete means that the server finished it, not that it is any good."""

    text: str
    """Without the reasoning."""
    finish: str = "stop"
    """``stop``, or why the text ended before its end: ``length``, ``content_filter``."""
    refusal: str = ""
    usage: Usage = field(default_factory=Usage)

    def to_json(self) -> dict[str, Any]:
        """The reply as the cache holds it."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Reply:
        """The reply that `to_json` wrote."""
        return cls(stored["text"], stored["finish"], stored["refusal"], Usage(**stored["usage"]))


@dataclass(frozen=True, slots=True)
class Answered:
    """A request that has its reply."""

    request: ChatRequest
    key: str
    reply: Reply


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A request that got no complete reply, however often it was sent, and why."""

    request: ChatRequest
    reason: str


Answer = Answered | Unanswered


def cache_key(request: ChatRequest, endpoint: Endpoint) -> str:
    """What a reply is known by: server, model, messages, schema, parameters and sample. 48 hex digits."""
    identity = [
        endpoint.base_url,
        endpoint.model,
        request.messages,
        request.schema,
        request.max_tokens,
        request.temperature,
        request.sample,
        json.loads(request.extra),
    ]
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:48]


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has: a character outside ASCII is counted as one.

    >>> estimate_tokens("How many rolls are there?")
    7
    """
    plain = sum(map(str.isascii, text)) if not text.isascii() else len(text)
    return round(plain / CHARACTERS_PER_TOKEN) + len(text) - plain
