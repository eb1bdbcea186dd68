"""Words of a text as evidence quotes them: as they stand there, whole, so that a reader finds them again."""

from __future__ import annotations

import re
from collections.abc import Iterable

_MOST = 80
"""Characters of a quotation."""
_TWO_WORDS = re.compile(r"(?:[ -]{1,2}[\w'’]{1,40}(?:[.,/-]\w{1,40}){0,5}(?!\w)){0,2}")


def excerpt(text: str, start: int, end: int) -> str:
    """A stretch of a text in quotation marks; a long one ends behind a word, with an ellipsis outside the marks.

    >>> excerpt("Ann has 3 red figs.", 8, 18)
    "'3 red figs'"
    """
    piece = text[start:end].strip()
    if len(piece) <= _MOST:
        return repr(piece)
    return f"{_whole_words(piece)!r} …"


def _whole_words(piece: str) -> str:
    """The first words of a long piece, or its first characters where no space parts them."""
    head, space, _ = piece[: _MOST + 1].rpartition(" ")
    return head.rstrip() if space else piece[:_MOST]


def with_what_follows(text: str, start: int, end: int) -> str:
    """A stretch of a text and up to two words behind it, in quotation marks.

    >>> with_what_follows("Ann has 3 red figs.", 8, 9)
    "'3 red figs'"
    """
    following = _TWO_WORDS.match(text, end)
    return excerpt(text, start, following.end() if following else end)


def quoted(words: Iterable[str]) -> str:
    """Each word in quotation marks.

    >>> quoted(["figs", "plums"])
    "'figs', 'plums'"
    """
    return ", ".join(map(repr, words))
