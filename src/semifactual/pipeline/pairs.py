"""The rows that `check` reads: a problem, a rewrite of it, and the kind that the rewrite claims to be."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from semifactual.errors import SourceError
from semifactual.interventions.registry import get_intervention, interventions
from semifactual.pipeline.journal import MANIFEST_NAME
from semifactual.pipeline.pair_fields import Columns, PairFields
from semifactual.pipeline.records import RULE_ENGINE
from semifactual.sources.prompts import require_text
from semifactual.sources.readers import open_table
from semifactual.sources.reference import UnusableValue
from semifactual.sources.rows import BadRow, Row, Table, typed

SHOWN_FAULTS = 3
ENGINE_NOT_RECORDED = "(not recorded)"
"""The engine of sealed rewrites, of which a row keeps kind and text, where rules did not make all of the dataset."""


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
    by: str | None = None
    """The row's value in the column by which verdicts are counted."""
    label: str | None = None


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
    labels: frozenset[str] = frozenset()
    """The labels that occur."""


def scan_pairs(source: str, fields: PairFields, skip_bad_rows: bool) -> PairSource:
    """Look through a file of pairs, or a built dataset, whose rows stand for their semifactuals and sealed rewrites.

    Raises:
        SourceError: it cannot be read, holds no usable pair, or has bad rows that are not to be skipped; or none of its
            rows has a column that is wanted.
        RegistryError: the kind that all rows are said to be is unknown.
    """
    if fields.every_kind is not None:
        get_intervention(fields.every_kind)
    table, columns, engine = open_table(source), Columns(), _engine_of_sealed(Path(source).expanduser())
    count = 0
    kinds, labels, bad = set(), set(), []
    for pair in _pairs(table, fields, engine, columns):
        if isinstance(pair, BadRow):
            bad.append(pair)
        else:
            count += 1
            kinds.add(pair.kind)
            labels.add(pair.label)
    columns.require(fields)
    if bad and not skip_bad_rows:
        raise _refusal(bad)
    if not count:
        raise SourceError(f"{source} holds no rewrite to check", hint="a row needs a problem, a rewrite and a kind")
    return PairSource(
        count,
        tuple(sorted(kinds)),
        len(bad),
        partial(_usable, table, fields, engine),
        table.files,
        frozenset(label for label in labels if label is not None),
    )


def _engine_of_sealed(folder: Path) -> str:
    """What made the sealed rewrites of a dataset folder, as far as its manifest says."""
    try:
        config = json.loads((folder / MANIFEST_NAME).read_text(encoding="utf-8"))["config"]
        made_by_rules = config.get("engine", RULE_ENGINE) == RULE_ENGINE
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return ENGINE_NOT_RECORDED
    return RULE_ENGINE if made_by_rules else ENGINE_NOT_RECORDED


def _usable(table: Table, fields: PairFields, engine: str) -> Iterator[PairRow]:
    return (pair for pair in _pairs(table, fields, engine) if isinstance(pair, PairRow))


def _refusal(bad: list[BadRow]) -> SourceError:
    shown = "; ".join(str(row).rstrip(".") for row in bad[:SHOWN_FAULTS])
    more = f"; and {len(bad) - SHOWN_FAULTS:,} more" if len(bad) > SHOWN_FAULTS else ""
    return SourceError(
        f"{shown}{more}",
        hint="mend the rows, or leave them out with --skip-bad-rows; the kinds are listed by `semifactual kinds`",
    )


def _pairs(table: Table, fields: PairFields, engine: str, columns: Columns | None = None) -> Iterator[PairRow | BadRow]:
    """Every rewrite of the table as a pair, or why it is none; `columns` hears of each row's."""
    number = 0
    for row in table.rows():
        for pair in [row] if isinstance(row, BadRow) else _expand(row, engine):
            if isinstance(pair, BadRow):
                yield pair
            else:
                metadata = _metadata(pair.fields.get("metadata"))
                if columns is not None:
                    columns.add(pair.fields, metadata)
                yield _as_pair(pair, metadata, number, fields)
            number += 1


def _expand(row: Row, engine: str) -> Iterator[Row | BadRow]:
    """The row itself, or, of a built dataset's row, one row for each of its semifactuals, then of its sealed ones."""
    semifactuals, sealed = row.fields.get("semifactuals"), row.fields.get("evaluation_variants")
    if not isinstance(semifactuals, list):
        yield row
        return
    entries = [(entry, False) for entry in semifactuals]
    entries += [(entry, True) for entry in sealed] if isinstance(sealed, list) else []
    for entry, is_sealed in entries:
        match entry:
            case {"text": text, "kind": kind}:
                about = {"engine": engine} if is_sealed else {}
                yield Row(row.place, {**about, **entry, **row.fields, "text": text, "kind": kind, "sealed": is_sealed})
            case _:
                yield BadRow(row.place, "has a rewrite without a text and a kind")


def _as_pair(row: Row, metadata: Mapping[str, Any], number: int, fields: PairFields) -> PairRow | BadRow:
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
            metadata=metadata,
            by=None if fields.by is None else _value(row, metadata, fields.by),
            label=None if fields.label is None else _label(row, metadata, fields.label),
        )
    except UnusableValue as fault:
        return BadRow(row.place, str(fault))


def _first(row: Row, names: tuple[str, ...]) -> Any:
    return next((row.fields[name] for name in names if row.fields.get(name) is not None), None)


def _text(row: Row, role: str, names: tuple[str, ...]) -> str:
    value = _first(row, names)
    if value is None and (empty := next((name for name in names if name in row.fields), None)) is not None:
        raise UnusableValue(f"has an empty {role} in the field {empty}")
    if value is None:
        raise UnusableValue(f"has no {role}: no field {' or '.join(names)}")
    if not isinstance(value, str):
        raise UnusableValue(f"has a {role} that is no text, but {typed(value)}")
    require_text(value, role)
    return value


def _scalar(role: str, value: Any) -> str | None:
    if value is None or isinstance(value, dict | list):
        return None
    text = str(value)
    if text.strip():
        require_text(text, role)
    return text


def _label(row: Row, metadata: Mapping[str, Any], column: str) -> str:
    value = _value(row, metadata, column)
    if value is not None:
        return value
    if column in row.fields or column in metadata:
        raise UnusableValue(f"has an empty label in the field {column}")
    raise UnusableValue(f"has no label: no field {column}")


def _value(row: Row, metadata: Mapping[str, Any], column: str) -> str | None:
    """The value of a column as text; a built dataset keeps its source's other columns in the metadata."""
    value = row.fields.get(column, metadata.get(column))
    if isinstance(value, dict | list):
        raise UnusableValue(f"has {typed(value)} in the field {column}, where one value is wanted")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = _scalar(column, value)
    return text if text and text.strip() else None


def _metadata(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}
