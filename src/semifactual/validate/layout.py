"""The rule for kinds that set a text otherwise and change nothing else: white space, line breaks, Markdown's marks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from semifactual.latex.tree import mathematics_key
from semifactual.text.layout import InkDiffers, Word, same_ink
from semifactual.text.regions import math_regions
from semifactual.text.spans import SpanType
from semifactual.validate.contract import Pair, check
from semifactual.validate.verdict import Finding, failed, passed

_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_LOOSE = frozenset('.?!:;,)]"”’')
_ENDING = frozenset(".?!:;,)]”’")
"""Behind the first a typist may put a space in, before the second leave one out."""
_SIGNS = frozenset("-+*>")
"""Signs that Markdown takes for marks at the start of a line."""
_INLINE = ("$", "\\(")
_INDENTED = 4
"""Columns. A line that is set in so far may be code or a drawing, and stays so."""
_SHOWN = 60
"""Characters of a formula or of code in evidence."""


@check("unchanged", "the rewrite is not the original; other white space is enough")
def other_layout(pair: Pair) -> Finding:
    if pair.original.text == pair.rewrite.text:
        return failed("the text is the original's")
    return passed()


@check("layout", "only white space, line breaks, bullets, quote marks, code fences or a heading came or went")
def layout(pair: Pair) -> Finding:
    try:
        before, after = (_Setting(words) for words in same_ink(pair.original.text, pair.rewrite.text))
    except InkDiffers as difference:
        return failed(str(difference))
    fault = next(_faults(before, after), None)
    return failed(fault) if fault else passed()


class _Setting:
    """A text of which ink and white space are told apart: the n-th character of ink, and the gap before it."""

    def __init__(self, words: list[Word]) -> None:
        self.text = "".join(gap + word for gap, word in words)
        self.inked = list(accumulate((len(word) for _, word in words), initial=0))
        lengths = accumulate((len(gap) + len(word) for gap, word in words), initial=0)
        self.starts = [end + len(gap) for end, (gap, _) in zip(lengths, words, strict=False)]
        self.gaps = {ink: gap for ink, (gap, _) in zip(self.inked, words, strict=False)}

    def place(self, ink: int) -> int:
        """Where a character of ink stands in the text."""
        word = bisect_right(self.inked, ink) - 1
        return self.starts[word] + ink - self.inked[word]

    def ink(self, place: int) -> int:
        """How much ink stands before a place in the text that is ink itself, or right behind some."""
        word = bisect_right(self.starts, place) - 1
        return min(self.inked[word] + place - self.starts[word], self.inked[word + 1])

    def piece(self, start: int, end: int) -> str:
        """The text from one character of ink up to another."""
        return self.text[self.place(start) : self.place(end - 1) + 1]


def _faults(before: _Setting, after: _Setting) -> Iterator[str]:
    """Formulas and code that are broken, and white space that came or went where it matters."""
    edges: dict[int, bool] = {}
    inside: set[int] = set()
    for region in math_regions(before.text):
        start, end = before.ink(region.start), before.ink(region.end)
        old, new = region.of(before.text), after.piece(start, end)
        if region.type is SpanType.CODE and old != new:
            yield f"code changed: {_shown(old)} became {_shown(new)}"
        elif old != new and mathematics_key(old) != mathematics_key(new):
            yield f"a formula changed: {_shown(old)} became {_shown(new)}"
        elif len(_BLANK_LINE.findall(new)) > len(_BLANK_LINE.findall(old)):
            yield f"a blank line breaks the formula {_shown(old)}"
        inside.update(range(start + 1, end))
        is_inline = old.startswith(_INLINE) and not old.startswith("$$")
        edges[start], edges[end] = is_inline, is_inline
    for ink in sorted((before.gaps.keys() | after.gaps.keys()) - inside - {0}):
        fault = _gap_fault(before, after, ink, edges.get(ink))
        if fault:
            yield fault


def _gap_fault(before: _Setting, after: _Setting, ink: int, at_inline: bool | None) -> str | None:
    """What is wrong with the white space before a character of ink; `at_inline` says what kind of region ends there."""
    old, new = before.gaps.get(ink, ""), after.gaps.get(ink, "")
    if old == new or ink >= before.inked[-1]:
        return None
    last, following = before.text[before.place(ink - 1)], before.text[before.place(ink)]
    if bool(old) == bool(new):
        in_rows = (last.isdigit() and following.isdigit()) or last == following == "|"
        if in_rows and ("\n" in old) != ("\n" in new):
            change = "went" if "\n" in old else "came"
            return f"a line break {change} between {last!r} and {following!r}"
        if following in _SIGNS and ink + 1 in after.gaps and "\n" in new and "\n" not in old:
            return f"a line break before {following!r} makes it a bullet"
        if _indentation(new) < _INDENTED <= _indentation(old):
            return f"the line of {following!r} is set in no longer"
        return None
    if at_inline is False or (_may_join(before.text, before.place(ink)) if old else _may_part(last, following)):
        return None
    return f"white space {'went' if old else 'came'} between {last!r} and {following!r}"


def _may_part(last: str, following: str) -> bool:
    """Whether a space may come between a mark and what stands behind it: not within a number."""
    return last in _LOOSE and (not following.isdigit() or last in ")?!")


def _may_join(text: str, place: int) -> bool:
    """Whether the space before this place may go: before a mark that ends what stands there, not before .5."""
    return text[place] in _ENDING and not text[place + 1 : place + 2].isdigit()


def _indentation(gap: str) -> int:
    """How far a line is set in by the white space before its first word; 0 where the gap holds no line break."""
    line = gap.rpartition("\n")[2]
    return len(line.expandtabs(_INDENTED)) if "\n" in gap else 0


def _shown(piece: str) -> str:
    """The beginning of a piece of text, with its backslashes as they are."""
    return f"'{piece[:_SHOWN]}'"
