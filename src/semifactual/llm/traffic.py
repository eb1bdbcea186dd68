"""How fast a server may be asked, and what was sent to it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from semifactual.llm.requests import Usage


@dataclass(slots=True)
class Traffic:
    """What a run did, for its summary."""

    counts: Counter[str] = field(default_factory=Counter)
    """``sent``, ``answered``, ``from_cache``, ``retried``, ``refused`` (429), ``failed``."""
    usage: Usage = field(default_factory=Usage)
    """Of the replies that this run paid for."""
    cost: float = 0.0
    errors: Counter[str] = field(default_factory=Counter)
    """Why requests got no reply, each reason with the number of requests."""

    def book(self, usage: Usage, cost: float) -> None:
        """Count a reply that came and was paid."""
        self.counts["answered"] += 1
        self.usage += usage
        self.cost += cost


@dataclass(slots=True)
class Settings:
    """How a server is asked."""

    concurrency: int = 64
    timeout: float = 180.0
    attempts: int = 5
    rpm: int | None = None
    tpm: int | None = None
    extra: str = "{}"
