"""Two texts side by side, word by word: what stayed, what went, what came."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from semifactual.text.edits import single_edit

_WORD = re.compile(r"\\[A-Za-z]+|\w+(?:['’]\w+)*|\s+|[^\w\s]")

_MOST_WORDS = 4000
"""Above this many changed words on a side, finding the least change takes too long to be worth it."""


class Change(StrEnum):
    """What happened to one stretch of text."""

    KEPT = "kept"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Piece:
    """One stretch of a diff. Kept and removed pieces concatenate to the one text, kept and added to the other."""

    change: Change
    text: str


def word_diff(before: str, after: str) -> tuple[Piece, ...]:
    """The pieces that lead from `before` to `after`, whole words at a time, a removal before what replaces it.

    Texts that differ in thousands of words are not aligned inside their differing middle: it is removed and added.

    >>> [(str(piece.change), piece.text) for piece in word_diff("Ann has 3 cats.", "Ann owns 3 cats.")]
    [('kept', 'Ann '), ('removed', 'has'), ('added', 'owns'), ('kept', ' 3 cats.')]
    """
    edit = single_edit(before, after)
    if edit is None:
        return (Piece(Change.KEPT, before),) if before else ()
    start = _word_start(before, edit.start)
    stop = _word_stop(before, edit.end)
    old, new = before[start:stop], after[start : len(after) - (len(before) - stop)]
    pieces = [Piece(Change.KEPT, before[:start]), *_aligned(old, new), Piece(Change.KEPT, before[stop:])]
    return tuple(_merged(piece for piece in pieces if piece.text))


def _word_start(text: str, offset: int) -> int:
    while offset and not text[offset - 1].isspace():
        offset -= 1
    return offset


def _word_stop(text: str, offset: int) -> int:
    while offset < len(text) and not text[offset].isspace():
        offset += 1
    return offset


def _aligned(before: str, after: str) -> Iterator[Piece]:
    old, new = _WORD.findall(before), _WORD.findall(after)
    if max(len(old), len(new)) > _MOST_WORDS:
        yield from (Piece(Change.REMOVED, before), Piece(Change.ADDED, after))
        return
    for operation, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if operation == "equal":
            yield Piece(Change.KEPT, "".join(old[a:b]))
        else:
            yield Piece(Change.REMOVED, "".join(old[a:b]))
            yield Piece(Change.ADDED, "".join(new[c:d]))


def _merged(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Pieces without neighbours of the same change, and without a lone space kept between two changes."""
    removed = added = kept = ""
    for piece in pieces:
        if piece.change is Change.KEPT and not (piece.text.isspace() and (removed or added)):
            yield from _changed(removed, added)
            removed = added = ""
            kept += piece.text
        elif piece.change is Change.KEPT:
            removed, added = removed + piece.text, added + piece.text
        else:
            if kept:
                yield Piece(Change.KEPT, kept)
                kept = ""
            removed += piece.text if piece.change is Change.REMOVED else ""
            added += piece.text if piece.change is Change.ADDED else ""
    yield from _changed(removed, added)
    if kept:
        yield Piece(Change.KEPT, kept)


def _changed(removed: str, added: str) -> Iterator[Piece]:
    if removed:
        yield Piece(Change.REMOVED, removed)
    if added:
        yield Piece(Change.ADDED, added)
