"""The rows that `check` reads: a problem, a rewrite of it, and the kind that the rewrite claims to be."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from semifactual.errors import SourceError
from semifactual.interventions.registry import interventions
from semifactual.sources.prompts import require_text
from semifactual.sources.readers import open_table
from semifactual.sources.reference import UnusableValue
from semifactual.sources.rows import BadRow, Row, Table

SHOWN_FAULTS = 3


@dataclass(frozen=True, slots=True)
class PairFields:
    """Which fields of a row hold what: the first of these names that a row has."""

    problem: tuple[str, ...] = ("problem", "original")
    rewrite: tuple[str, ...] = ("rewrite", "perturbed", "text")
    kind: tuple[str, ...] = ("kind", "type")
    answer: tuple[str, ...] = ("answer",)
    every_kind: str | None = None
    """The kind of all rows, whatever they say themselves."""

    @classmethod
    def named(
        cls,
        problem: str | None = None,
        rewrite: str | None = None,
        kind: str | None = None,
        answer: str | None = None,
        every_kind: str | None = None,
    ) -> PairFields:
        """The usual names, but exactly the given one where one is given."""
        given = {"problem": problem, "rewrite": rewrite, "kind": kind, "answer": answer}
        return cls(**{role: (name,) for role, name in given.items() if name is not None}, every_kind=every_kind)


@dataclass(frozen=True, slots=True)
class PairRow:
    """One rewrite to judge. `row` counts the source's rewrites from 0, unusable ones included."""

    row: int
    id: str | None
    kind: str
    problem: str
    rewrite: str
    answer: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PairSource:
    """A source of pairs that was looked through and found usable."""

    count: int
    kinds: tuple[str, ...]
    skipped: int
    rows: Callable[[], Iterator[PairRow]]
    """The usable pairs, from the start at each call."""
    files: tuple[Path, ...]
    """The local files that are read."""


def scan_pairs(source: str, fields: PairFields, skip_bad_rows: bool) -> PairSource:
    """Look through a file of pairs, or a built dataset, whose rows stand for their semifactuals.

    Raises:
        SourceError: it cannot be read, holds no usable pair, or has bad rows that are not to be skipped.
    """
    table = open_table(source)
    count, kinds, bad = 0, set(), []
    for pair in _pairs(table, fields):
        if isinstance(pair, BadRow):
            bad.append(pair)
        else:
            count += 1
            kinds.add(pair.kind)
    if bad and not skip_bad_rows:
        raise _refusal(bad)
    if not count:
        raise SourceError(f"{source} holds no rewrite to check", hint="a row needs a problem, a rewrite and a kind")
    return PairSource(count, tuple(sorted(kinds)), len(bad), partial(_usable, table, fields), table.files)


def _usable(table: Table, fields: PairFields) -> Iterator[PairRow]:
    return (pair for pair in _pairs(table, fields) if isinstance(pair, PairRow))


def _refusal(bad: list[BadRow]) -> SourceError:
    shown = "; ".join(str(row).rstrip(".") for row in bad[:SHOWN_FAULTS])
    more = f"; and {len(bad) - SHOWN_FAULTS:,} more" if len(bad) > SHOWN_FAULTS else ""
    return SourceError(
        f"{shown}{more}",
        hint="mend the rows, or leave them out with --skip-bad-rows; the kinds are listed by `semifactual kinds`",
    )


def _pairs(table: Table, fields: PairFields) -> Iterator[PairRow | BadRow]:
    number = 0
    for row in table.rows():
        for pair in [row] if isinstance(row, BadRow) else _expand(row):
            yield pair if isinstance(pair, BadRow) else _as_pair(pair, number, fields)
            number += 1


def _expand(row: Row) -> Iterator[Row | BadRow]:
    """The row itself, or, of a built dataset's row, one row for each of its semifactuals."""
    if not isinstance(row.fields.get("semifactuals"), list):
        yield row
        return
    for entry in row.fields["semifactuals"]:
        match entry:
            case {"text": text, "kind": kind}:
                yield Row(row.place, {**row.fields, "text": text, "kind": kind})
            case _:
                yield BadRow(row.place, "has a semifactual without a text and a kind")


def _as_pair(row: Row, number: int, fields: PairFields) -> PairRow | BadRow:
    try:
        kind = fields.every_kind or _text(row, "kind", fields.kind)
        if kind not in interventions():
            raise UnusableValue(f"names the unknown kind {kind!r}")
        return PairRow(
            row=number,
            id=_scalar("id", row.fields.get("id")),
            kind=kind,
            problem=_text(row, "problem", fields.problem),
            rewrite=_text(row, "rewrite", fields.rewrite),
            answer=_scalar("answer", _first(row, fields.answer)),
            metadata=_metadata(row.fields.get("metadata")),
        )
    except UnusableValue as fault:
        return BadRow(row.place, str(fault))


def _first(row: Row, names: tuple[str, ...]) -> Any:
    return next((row.fields[name] for name in names if row.fields.get(name) is not None), None)


def _text(row: Row, role: str, names: tuple[str, ...]) -> str:
    value = _first(row, names)
    if value is None:
        raise UnusableValue(f"has no {role}: no field {' or '.join(names)}")
    if not isinstance(value, str):
        raise UnusableValue(f"has a {role} that is no text, but a {type(value).__name__}")
    require_text(value, role)
    return value


def _scalar(role: str, value: Any) -> str | None:
    if value is None or isinstance(value, dict | list):
        return None
    text = str(value)
    if text.strip():
        require_text(text, role)
    return text


def _metadata(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}
