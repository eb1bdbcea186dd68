"""Who looks on while a run goes on: a terminal, a test, nobody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Watcher(Protocol):
    """Told of everything, in the main process alone. It must not change what it is handed."""

    def phase(self, name: str) -> None:
        """What begins now: rollout, probe, update, validation, checkpoint."""

    def step(self, metrics: Mapping[str, Any], steps: int) -> None:
        """An optimisation step is done: its line of metrics.jsonl, and how many steps the run has."""

    def evaluation(self, metrics: Mapping[str, Any]) -> None:
        """A validation is done: its line of eval.jsonl."""

    def say(self, sentence: str) -> None:
        """Something that a user should hear."""


class Nobody:
    """A watcher that does not look."""

    def phase(self, name: str) -> None: ...

    def step(self, metrics: Mapping[str, Any], steps: int) -> None: ...

    def evaluation(self, metrics: Mapping[str, Any]) -> None: ...

    def say(self, sentence: str) -> None: ...
