"""Which problems were seen before. The index is a file, so that memory stays flat whatever the number of problems."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from types import TracebackType
from typing import Self

from semifactual.types import Problem


class Seen(StrEnum):
    """How a problem relates to those before it."""

    NEW = "new"
    DUPLICATE = "duplicate"
    """The same text with the same answer."""
    CONFLICT = "conflict"
    """The same text with another answer."""
    SAME_ID = "same_id"
    """Another text under the same id."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """What is known of a problem, and the place of the earlier one that it repeats or contradicts."""

    seen: Seen
    earlier: str = ""


class Index:
    """Remembers digests of problems in a temporary SQLite file, which is gone once the index is closed."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)  # "" is SQLite's name for a private temporary file
        self._database.executescript(
            """
            PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384;
            CREATE TABLE texts (text BLOB PRIMARY KEY, answer BLOB, place TEXT) WITHOUT ROWID;
            CREATE TABLE ids (id BLOB PRIMARY KEY, place TEXT) WITHOUT ROWID;
            BEGIN;
            """
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def see(self, problem: Problem, place: str) -> Sighting:
        """Compare `problem` with those before it, and remember it if it is new."""
        text, answer, id_ = _digest(problem.text), _digest(problem.answer), _digest(problem.id)
        known = self._database.execute("SELECT answer, place FROM texts WHERE text = ?", (text,)).fetchone()
        if known is not None:
            return Sighting(Seen.DUPLICATE if known[0] == answer else Seen.CONFLICT, known[1])
        known = self._database.execute("SELECT place FROM ids WHERE id = ?", (id_,)).fetchone()
        if known is not None:
            return Sighting(Seen.SAME_ID, known[0])
        self._database.execute("INSERT INTO texts VALUES (?, ?, ?)", (text, answer, place))
        self._database.execute("INSERT INTO ids VALUES (?, ?)", (id_, place))
        return Sighting(Seen.NEW)


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()
