"""A text as prose and formulas in turn, and as one row of tokens that no delimiter parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from semifactual.latex.atoms import word_of
from semifactual.latex.notation import notation
from semifactual.latex.tree import mathematics_key
from semifactual.text.document import Document
from semifactual.text.regions import math_regions
from semifactual.text.spans import Span, SpanType

_WRITTEN = frozenset({SpanType.LATEX, SpanType.PERCENT, SpanType.VARIABLE, SpanType.LABEL, SpanType.OPERATOR})
"""The types of spans outside delimiters that may be written in other notation."""

_SPACED_FREELY = frozenset({SpanType.MATH, SpanType.LATEX, SpanType.OPERATOR})
"""The types of spans beside which white space says nothing."""

_CURRENCY = re.compile(r"\\?[$€£¥]")


@dataclass(frozen=True, slots=True)
class Parts:
    """A text taken apart: ``prose[0] + formulas[0] + prose[1] + ... + prose[-1]``. Code is prose."""

    prose: tuple[str, ...]
    formulas: tuple[str, ...]


@lru_cache(maxsize=4)
def parts(text: str) -> Parts:
    """The delimited formulas of a text, and what stands around them.

    >>> parts("Is $x$ or $y$ larger?")
    Parts(prose=('Is ', ' or ', ' larger?'), formulas=('$x$', '$y$'))
    """
    prose, formulas, position = [], [], 0
    for region in math_regions(text):
        if region.type is SpanType.MATH:
            prose.append(text[position : region.start])
            formulas.append(region.of(text))
            position = region.end
    return Parts((*prose, text[position:]), tuple(formulas))


class Token(NamedTuple):
    """One word, sign or atom of a text, and whether it is mathematics between delimiters, and no word of prose there.

    `gap` is the white space before a word of prose that follows another, and None elsewhere.
    """

    text: str
    is_mathematics: bool
    gap: str | None


def text_tokens(document: Document) -> list[Token]:
    """The words of the prose and the atoms of the formulas, in order, whatever the delimiters are."""
    found: list[Token] = []
    gap, follows_prose = "", False
    for span in document.spans:
        piece = span.of(document.text)
        if span.type is SpanType.SPACE:
            gap = piece
            continue
        is_prose = span.type not in _SPACED_FREELY
        first_gap = gap if is_prose and follows_prose else None
        for atom in _atoms(piece, span):
            written = word_of(atom)
            is_mathematics = span.type is SpanType.MATH and (not written or written in notation().functions)
            found.append(Token(written or atom, is_mathematics, first_gap))
            first_gap = None
        gap, follows_prose = "", is_prose
    return found


def _atoms(piece: str, span: Span) -> list[str]:
    """The atoms of a formula, of bare LaTeX or of a sign; a word of prose as it is."""
    if span.type is SpanType.CURRENCY and (sign := _CURRENCY.match(piece)):
        return [sign[0], *mathematics_key(piece[sign.end() :]).split(" ")]
    if span.type is SpanType.NUMBER:  # a mixed number is two
        return [atom for part in piece.split() for atom in mathematics_key(part).split(" ")]
    if span.type is SpanType.MATH or span.type in _WRITTEN or _has_expanded_sign(piece):
        return mathematics_key(piece).split(" ")
    return [piece]


def _has_expanded_sign(piece: str) -> bool:
    """Whether a word of prose holds a sign that stands for LaTeX, as y² does."""
    return not piece.isascii() and not notation().expanded.keys().isdisjoint(piece)
