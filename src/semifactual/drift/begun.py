"""What a run folder holds already, and whether it is the run that is now asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from semifactual.errors import OutputError
from semifactual.pipeline.config import differences
from semifactual.pipeline.journal import Journal, finished_manifest

SUMMARY = "summary.json"
"""Written last: a folder that has it is a finished run."""
FREE = ("tokens_per_batch",)
"""Options that a run may be resumed with in another way: how much memory there is does not make it another run."""
DRAWN_LATER = ("resamples",)
"""Options that are needed only where the results are summarised, at the end."""
_OF_THE_SOURCE = ("kinds", "seed", "limit", "split", "config_name", "problem_field", "answer_field", "id_field")
"""Options that change what a source gives: where one of them changed, the changed source is no second cause."""
_DIGEST = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{56}\b")


@dataclass(frozen=True, slots=True)
class Begun:
    """The run that a folder holds, if there is one."""

    out: Path
    before: Mapping[str, Any] | None
    """What decided it, in the shape of summary.json; None in an empty or new folder."""
    finished: dict[str, Any] | None
    """Its summary, where it is finished."""

    @classmethod
    def look(cls, out: Path, command: str) -> Self:
        """What the folder `out` holds.

        Raises:
            OutputError: it holds something else than a run of `command`.
        """
        finished = finished_manifest(out, SUMMARY)
        described = Journal.of(out).folder / "config.json"
        before = finished
        if finished is None and described.is_file():
            before = json.loads(described.read_text(encoding="utf-8"))
        if before is not None and (found := _command(before)) != command:
            what = "something else" if found is None else f"a run of `semifactual {found}`"
            raise OutputError(f"{out} holds {what}, not of `semifactual {command}`", hint="choose another --out")
        return cls(out, before, finished)

    def refuse(self, now: Mapping[str, Any]) -> None:
        """Raise where what the folder holds is not the run that is asked for, as far as `now` says.

        Raises:
            OutputError: with every cause.
        """
        if self.before is None:
            return
        ignored = FREE if self.finished is not None else (*FREE, *DRAWN_LATER)
        changes = [_DIGEST.sub(r"\1", change) for change in _changes(self.before, now, ignored)]
        if not changes:
            return
        hint = "repeat the old settings to resume, or choose another --out"
        if self.finished is not None and all(change.startswith(DRAWN_LATER) for change in changes):
            hint = "a finished run keeps its intervals: leave out --resamples, or choose another --out"
        raise OutputError(f"{self.out} was begun with other settings: {'; '.join(changes)}", hint=hint)


def lasting(identity: Mapping[str, Any]) -> dict[str, Any]:
    """An identity without the options in which a run may be resumed differently."""
    config = {name: value for name, value in identity["config"].items() if name not in (*FREE, *DRAWN_LATER)}
    return {**identity, "config": config}


def _command(before: Mapping[str, Any]) -> str | None:
    """The command that makes such runs; a drift run of earlier versions does not name it."""
    named = before.get("command")
    return named if isinstance(named, str) else "drift" if "noise_floor" in before else None


def _changes(before: Mapping[str, Any], now: Mapping[str, Any], ignored: tuple[str, ...]) -> Iterator[str]:
    old = _same_keys(before, now)
    settings = {name: value for name, value in now.get("config", {}).items() if name not in ignored}
    changed = differences(_same_keys(old.get("config") or {}, settings), settings)
    yield from changed
    rest = [key for key in now if key not in ("config", "source")]
    yield from differences({key: old[key] for key in rest}, {key: now[key] for key in rest})
    explained = any(change.startswith(tuple(f"{name}:" for name in _OF_THE_SOURCE)) for change in changed)
    was, is_now = old.get("source") or {}, now.get("source") or {}
    if was != is_now and not (explained and was.get("description") == is_now.get("description")):
        yield f"source: {_source(was)} -> {_source(is_now)}"


def _same_keys(before: Any, now: Any) -> Any:
    """`before`, as far as `now` speaks of it."""
    if not isinstance(before, Mapping) or not isinstance(now, Mapping):
        return before
    return {key: _same_keys(before.get(key), value) for key, value in now.items()}


def _source(found: Mapping[str, Any]) -> str:
    count = found.get("problems") or 0
    return f"{found.get('description')} ({count:,} problem{'' if count == 1 else 's'}, {str(found.get('sha256'))[:8]})"
