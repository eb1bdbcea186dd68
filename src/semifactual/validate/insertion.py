"""What was put into a text that otherwise stands as it did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from semifactual.text.spans import SpanType
from semifactual.validate.contract import Pair

_GLANCE = 40
"""Characters that tell most places from the right one, without comparing the rest of the text."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """A text that stands in the rewrite at `position`, where the original has nothing, with the space around it."""

    position: int
    text: str

    def stands_apart(self, original: str) -> bool:
        """Whether white space parts it from the text on both of its sides."""
        before, after = original[: self.position][-1:], original[self.position :][:1]
        opens = not before or before.isspace() or self.text[0].isspace()
        return opens and (not after or after.isspace() or self.text[-1].isspace())


def insertion(pair: Pair, *, recased: bool = False) -> Insertion | None:
    """What was inserted before, between or behind the sentences; None where more or something else happened.

    With `recased`, one letter behind the insertion may have changed its case.
    """
    before, after = pair.original.text, pair.rewrite.text
    length = len(after) - len(before)
    if length <= 0 or pair.edit is None or pair.edit.end - pair.edit.start > recased:
        return None
    same = pair.edit.start
    for position in _places(pair, length):
        ahead = slice(position + 1, position + _GLANCE)
        if position > same or before[ahead] != after[ahead.start + length : ahead.stop + length]:
            continue
        tail, kept = before[position:], after[position + length :]
        if tail == kept or (recased and tail[1:] == kept[1:] and tail[:1].swapcase() == kept[:1]):
            return Insertion(position, after[position : position + length])
    return None


def parenthesis(pair: Pair) -> Insertion | None:
    """A phrase put between commas into a statement, behind a word: "Ines, on a sunny morning, ..."; None for any other.

    A phrase at the end of its sentence has its comma before it alone.
    """
    before, after = pair.original.text, pair.rewrite.text
    edit = pair.edit
    if edit is None or edit.start != edit.end:
        return None
    length = len(edit.replacement)
    for position in range(edit.start, max(0, edit.start - _GLANCE), -1):
        if before[position : edit.start] != after[position + length : edit.start + length]:
            return None
        text = after[position : position + length]
        if text.startswith(", ") and (text.endswith(",") or before[position : position + 1] in _CLOSING):
            return Insertion(position, text) if _is_in_statement(pair, position) else None
    return None


_CLOSING = (".", "!", ";")


def _is_in_statement(pair: Pair, position: int) -> bool:
    """Whether a word of prose ends at `position`, in a sentence that asks nothing."""
    ends = any(span.end == position and span.type in (SpanType.WORD, SpanType.NAME) for span in pair.original.spans)
    return ends and not any(start <= position < end for start, end in pair.original.questions)


def _places(pair: Pair, length: int) -> Iterator[int]:
    """Where the original's sentences begin and end, then where those of the rewrite do, which may part it otherwise."""
    yield from (0, len(pair.original.text))
    yield from (start for start, _ in pair.original.sentences)
    yield from (end for _, end in pair.original.sentences)
    yield from (start for start, _ in pair.rewrite.sentences if start + length <= len(pair.rewrite.text))
    yield from (start - length for start, _ in pair.rewrite.sentences if start >= length)
