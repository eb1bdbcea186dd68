"""Rows of .jsonl and .json files, read piece by piece: memory is bounded by the largest row, not by the file."""

from __future__ import annotations

import json
import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO

from semifactual.errors import SourceError
from semifactual.sources.rows import BadRow, Place, Row, typed

LARGEST_ROW = 16 * 2**20
"""Bytes. A row beyond this is no problem with an answer, and must not be held in memory."""

CHUNK = 2**20
LIST_FIELDS = ("data", "rows", "examples", "problems")
"""Under these names an object may hold the list of rows."""

_DECODER = json.JSONDecoder(parse_float=Decimal)  # as Decimal, an answer of 0.30 is not rounded on the way
_SPACE = re.compile(r"[ \t\n\r]*")


def read_jsonl(path: Path, label: str) -> Iterator[Row | BadRow]:
    """One row a line; blank lines are passed over. `label` names the file in places."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LARGEST_ROW + 1):
            number += 1
            place = Place(label, number)
            if len(line) > LARGEST_ROW:
                _skip_line(file, line)
                yield BadRow(place, f"is longer than {LARGEST_ROW // 2**20} MB.")
                continue
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line.strip():
                yield _row(line, place)


def _skip_line(file: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = file.readline(CHUNK)


def _row(line: bytes, place: Place) -> Row | BadRow:
    if b"\0" in line:
        return BadRow(place, f"holds a NUL byte at column {line.index(0) + 1}.")
    try:
        value = _DECODER.decode(line.decode("utf-8").strip())
    except UnicodeDecodeError as error:
        return BadRow(place, f"is not UTF-8: byte 0x{line[error.start]:02x} at column {error.start + 1}.")
    except json.JSONDecodeError as error:
        return BadRow(place, f"is not JSON: {error.msg} at column {error.colno}.")
    except (RecursionError, ValueError):
        return BadRow(place, "is JSON nested too deeply, or with a number too long, to be read.")
    return _as_row(value, place)


def _as_row(value: object, place: Place) -> Row | BadRow:
    if not isinstance(value, dict):
        return BadRow(place, f"is not an object with named fields, but {typed(value)}.")
    return Row(place, value)


def read_json(path: Path, label: str) -> Iterator[Row | BadRow]:
    """The objects of a list, or of the list that an object holds under one of `LIST_FIELDS`.

    Raises:
        SourceError: the file is not JSON from some point on; what follows cannot be made out.
    """
    with path.open("rb") as file:
        stream = _JsonStream(file, label)
        if stream.peek() == "{":
            _enter_list_field(stream)
        stream.expect("[")
        while stream.peek() != "]":
            place = Place(label, stream.line)
            yield _as_row(stream.value(), place)
            if stream.peek() != "]":
                stream.expect(",")


def _enter_list_field(stream: _JsonStream) -> None:
    """Advance to the list of rows inside an object."""
    stream.expect("{")
    while stream.peek() != "}":
        key = stream.value()
        stream.expect(":")
        if key in LIST_FIELDS and stream.peek() == "[":
            return
        stream.value()
        if stream.peek() == ",":
            stream.expect(",")
    raise SourceError(
        f"{stream.label} holds a single object without a list of rows",
        hint="rows go in a list, in an object's field data, or one a line in a file that ends in .jsonl",
    )


class _JsonStream:
    """A cursor over JSON text that holds little more of it than the value it stands at."""

    def __init__(self, file: BinaryIO, label: str) -> None:
        self.label = label
        self.line = 1
        self._file = file
        self._decode = getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._at = 0
        self._ended = False

    def peek(self) -> str:
        """The next character that is not white space, or "" at the end."""
        while True:
            match = _SPACE.match(self._text, self._at)
            assert match is not None  # the pattern matches the empty string
            self._advance(match.end())
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def expect(self, character: str) -> None:
        """Step over `character`, which must come next."""
        if self.peek() != character:
            raise self._error(f"{character!r} was expected")
        self._advance(self._at + 1)

    def value(self) -> Any:
        """Step over the next value and return it."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                # An error may only mean that the value is not all there yet.
                if len(self._text) - self._at <= LARGEST_ROW and self._more():
                    continue
                raise self._error(error.msg, at=error.pos) from error
            except (RecursionError, ValueError) as error:
                raise self._error("nested too deeply, or a number too long") from error
            if end < len(self._text) or not self._more():
                self._advance(end)
                return value

    def _advance(self, to: int) -> None:
        self.line += self._text.count("\n", self._at, to)
        self._at = to

    def _more(self) -> bool:
        """Read on; False at the end of the file."""
        if self._ended:
            return False
        # As much again as is held: a value of any size is parsed only a few times over before it is complete.
        chunk = self._file.read(max(CHUNK, len(self._text) - self._at))
        try:
            text = self._decode.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            line = self.line + self._text.count("\n", self._at) + chunk.count(b"\n", 0, max(error.start, 0))
            raise SourceError(f"{self.label}:{line} is not UTF-8", hint="save the file as UTF-8") from error
        self._text = self._text[self._at :] + text
        self._at = 0
        self._ended = not chunk
        return bool(chunk)

    def _error(self, what: str, at: int = 0) -> SourceError:
        line = self.line + self._text.count("\n", self._at, max(at, self._at))
        return SourceError(
            f"{self.label}:{line} is not JSON: {what}",
            hint="nothing after this point can be read. A file with one object a line must end in .jsonl",
        )
