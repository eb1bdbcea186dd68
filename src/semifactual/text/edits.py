"""Edits by character offset, and the smallest edit that turns one string into another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace ``text[start:end]`` with `replacement`; ``start == end`` inserts."""

    start: int
    end: int
    replacement: str

    def removed(self, text: str) -> str:
        """The part of `text` that this edit takes away."""
        return text[self.start : self.end]


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits given by offsets into `text`, in any order.

    Raises:
        ValueError: two edits overlap, or one lies outside the text.

    >>> apply_edits("She has 3 cats.", [Edit(0, 3, "Ann"), Edit(14, 14, "!")])
    'Ann has 3 cats!.'
    """
    pieces: list[str] = []
    position = 0
    for edit in sorted(edits):
        if edit.start < position or edit.end < edit.start or edit.end > len(text):
            raise ValueError(f"edit {edit} overlaps another or lies outside a text of {len(text)} characters")
        pieces += [text[position : edit.start], edit.replacement]
        position = edit.end
    return "".join(pieces) + text[position:]


def single_edit(before: str, after: str) -> Edit | None:
    """The one contiguous edit that turns `before` into `after`, as far left as it can start; None if they are equal.

    >>> single_edit("tow truck", "two truck")
    Edit(start=1, end=3, replacement='wo')
    """
    if before == after:
        return None
    limit = min(len(before), len(after))
    head = 0
    while head < limit and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < limit - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return Edit(head, len(before) - tail, after[head : len(after) - tail])


def is_single_typo(before: str, after: str) -> bool:
    """Whether one insertion, deletion, substitution or neighbour swap turns `before` into `after` (OSA distance 1).

    >>> is_single_typo("afford", "affrod"), is_single_typo("afford", "aford"), is_single_typo("afford", "afrod")
    (True, True, False)
    """
    edit = single_edit(before, after)
    if edit is None:
        return False
    removed, added = edit.removed(before), edit.replacement
    if len(removed) <= 1 and len(added) <= 1:
        return True
    return len(removed) == 2 and added == removed[::-1]
