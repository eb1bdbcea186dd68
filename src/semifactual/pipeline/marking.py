"""A problem and its rewrite side by side: what differs, and the words that the evidence of checks speaks of."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from semifactual.text.diff import Change, word_diff
from semifactual.text.lexicon import word_list

_QUOTED = re.compile(r"""(?<![\w\\])(?:'(?:[^'\\]|\\.){1,400}'|"(?:[^"\\]|\\.){1,400}")(?!\w)""", re.DOTALL)
_WORD = re.compile(r"\w+(?:[.,'’/]\w+)*")
_MOST_QUOTES = 40
_MOST_PLACES = 20
_MOST_SEEN = 1000
_LONG = 40
"""A quotation of this length may have been cut off inside a word."""

Stretch = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a text."""

    text: str
    changed: bool
    """Whether the other text lacks it."""
    marked: bool
    """Whether evidence speaks of it."""


def marked_pair(before: str, after: str, evidence: Sequence[str]) -> tuple[list[Segment], list[Segment]]:
    """Both texts in segments, each of which joins to its text again.

    What evidence quotes is marked wherever it stands: in what differs, if it stands there, else anywhere. Of what
    evidence says without quotation marks, only words that differ between the texts are marked.

    >>> _, after = marked_pair("Ann has 3 cats.", "Ann has 4 cats.", ["gained '4'"])
    >>> [(one.text, one.changed, one.marked) for one in after if one.changed]
    [('4', True, True)]
    """
    pieces = word_diff(before, after)
    quotes = list(dict.fromkeys(quote for one in evidence for quote in quotations(one)))[:_MOST_QUOTES]
    words = {word for one in evidence for word in _WORD.findall(_QUOTED.sub(" ", one))} - word_list("function")
    sides = []
    for text, other in ((before, Change.REMOVED), (after, Change.ADDED)):
        changed = list(
            _stretches((piece.change is other, piece.text) for piece in pieces if piece.change in (Change.KEPT, other))
        )
        marks = [place for quote in quotes for place in _places(text, quote, changed)]
        marks += [place for place in _changed_words(text, changed) if text[slice(*place)] in words]
        sides.append(_segments(text, changed, marks))
    return sides[0], sides[1]


def quotations(evidence: str) -> Iterator[str]:
    r"""What stands in quotation marks, as `repr` writes it, without them.

    >>> list(quotations("'more' became \"Ann's\", not '\\n'"))
    ['more', "Ann's", '\n']
    """
    for match in _QUOTED.finditer(evidence):
        try:
            quoted = ast.literal_eval(match[0])  # a string literal, and nothing else: the pattern sees to that
        except (SyntaxError, ValueError):
            quoted = match[0][1:-1]
        if quoted:
            yield quoted


def _stretches(parts: Iterable[tuple[bool, str]]) -> Iterator[Stretch]:
    """Where the parts stand that are wanted."""
    start = 0
    for wanted, text in parts:
        if wanted:
            yield start, start + len(text)
        start += len(text)


def _places(text: str, quote: str, changed: Sequence[Stretch]) -> list[Stretch]:
    """Where a quotation stands in a text, as whole words: those places that touch a change, if any does."""
    left = r"(?<!\w)" if quote[0].isalnum() else ""
    right = r"(?!\w)" if quote[-1].isalnum() and len(quote) < _LONG else ""
    pattern = f"{left}{re.escape(quote)}{right}"
    found = [match.span() for match in islice(re.finditer(pattern, text), _MOST_SEEN)]
    found = found or [match.span() for match in islice(re.finditer(pattern, text, re.IGNORECASE), _MOST_SEEN)]
    touching = [place for place in found if any(start < place[1] and place[0] < end for start, end in changed)]
    return (touching or found)[:_MOST_PLACES]


def _changed_words(text: str, changed: Sequence[Stretch]) -> Iterator[Stretch]:
    for start, end in changed:
        yield from (match.span() for match in _WORD.finditer(text, start, end))


def _segments(text: str, changed: Sequence[Stretch], marks: Sequence[Stretch]) -> list[Segment]:
    begins: Counter[tuple[int, bool]] = Counter()
    for places, is_mark in ((changed, False), (marks, True)):
        for start, end in places:
            begins[start, is_mark] += 1
            begins[end, is_mark] -= 1
    segments: list[Segment] = []
    changes = marked = 0
    for start, end in pairwise(sorted({0, len(text), *(offset for offset, _ in begins)})):
        changes += begins[start, False]
        marked += begins[start, True]
        segment = Segment(text[start:end], changes > 0, marked > 0)
        if segments and (segments[-1].changed, segments[-1].marked) == (segment.changed, segment.marked):
            segment = replace(segment, text=segments.pop().text + segment.text)
        segments.append(segment)
    return segments
