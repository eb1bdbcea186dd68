"""Rows of .csv and .parquet files, a few at a time."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from semifactual.errors import SourceError
from semifactual.sources.json_files import LARGEST_ROW
from semifactual.sources.rows import BadRow, Place, Row

PARQUET_ROWS_AT_ONCE = 128


def read_csv(path: Path, label: str) -> Iterator[Row | BadRow]:
    """One row a record below the header; a record may span lines, and its place is its last line.

    Raises:
        SourceError: the header is unusable, or a record is broken: where the next one begins is then anyone's guess.
    """
    csv.field_size_limit(LARGEST_ROW)
    # Bytes that are not UTF-8 become lone surrogates, so that they spoil their own row only.
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        reader = csv.reader(file, strict=True)
        header = _header(reader, label)
        while True:
            try:
                record = next(reader, None)
            except csv.Error as error:
                raise SourceError(
                    f"{label}:{reader.line_num} is not CSV: {error}",
                    hint="mend the quotes of this record or of one before it; --skip-bad-rows cannot pass it over",
                ) from error
            if record is None:
                return
            if record:
                yield _csv_row(header, record, Place(label, reader.line_num))


def _header(reader: Any, label: str) -> list[str]:
    try:
        header: list[str] = [name.strip() for name in next(reader)]
    except csv.Error as error:
        raise SourceError(f"{label}:1 is not a CSV header: {error}") from error
    if len(set(header)) < len(header):
        raise SourceError(f"{label}:1 is not a CSV header: two columns have one name")
    return header


def _csv_row(header: list[str], record: list[str], place: Place) -> Row | BadRow:
    if len(record) != len(header):
        return BadRow(place, f"has {len(record)} fields where the header has {len(header)}.")
    whole = "".join(record)
    if "\0" in whole:
        return BadRow(place, "holds a NUL byte.")
    try:
        whole.encode()
    except UnicodeEncodeError as error:
        return BadRow(place, f"is not UTF-8: byte 0x{ord(whole[error.start]) - 0xDC00:02x}.")
    return Row(place, dict(zip(header, record, strict=True)))


def read_parquet(path: Path, label: str) -> Iterator[Row | BadRow]:
    """One row a record, in batches.

    Raises:
        SourceError: the file is damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=PARQUET_ROWS_AT_ONCE, use_threads=False):
                for fields in _records(batch):
                    number += 1
                    place = Place(label, number, "row")
                    yield BadRow(place, "holds text that is not UTF-8.") if fields is None else Row(place, fields)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise SourceError(f"{label} is a damaged parquet file, from row {number + 1} on: {reason}") from error


def _records(batch: Any) -> Iterator[dict[str, Any] | None]:
    """The batch's records; None for one whose text cannot be decoded."""
    try:
        yield from batch.to_pylist()
    except UnicodeDecodeError:
        yield from chain.from_iterable(_record(batch.slice(index, 1)) for index in range(batch.num_rows))


def _record(single: Any) -> list[dict[str, Any] | None]:
    try:
        records: list[dict[str, Any] | None] = single.to_pylist()
    except UnicodeDecodeError:
        return [None]
    return records
