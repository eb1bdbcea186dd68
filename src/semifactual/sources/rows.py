"""What a reader yields: rows of named fields with their place, or the reason why a row cannot be used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row stands: a line of a text file, or a row of anything else. Both are counted from 1."""

    file: str
    number: int
    unit: str = "line"

    def __str__(self) -> str:
        return f"{self.file}:{self.number}" if self.unit == "line" else f"{self.file} {self.unit} {self.number}"


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it was read."""

    place: Place
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be used. `reason` reads on from the place: "questions.jsonl:7 is not JSON ..."."""

    place: Place
    reason: str

    def __str__(self) -> str:
        return f"{self.place} {self.reason}"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that can be read any number of times, always in the same order."""

    name: str
    """What the column `source` says of its rows."""
    rows: Callable[[], Iterator[Row | BadRow]]
    fingerprint: Callable[[], str]
    """Changes whenever the rows may have changed."""
    files: tuple[Path, ...] = ()
    """The local files that are read."""


def typed(value: object) -> str:
    """The name of a value's type with its article.

    >>> typed(7), typed([])
    ('an int', 'a list')
    """
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
