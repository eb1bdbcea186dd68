"""Sentences, as ranges of spans' offsets; nothing is split inside mathematics or behind an abbreviation."""

from __future__ import annotations

from collections.abc import Sequence

from semifactual.text.names import ends_abbreviation
from semifactual.text.spans import Span, SpanType

_MAY_END = (SpanType.PUNCTUATION, SpanType.MATH, SpanType.TIME, SpanType.CODE)
"""What a sentence may end with before a single space."""


def sentence_ranges(text: str, spans: Sequence[Span]) -> tuple[tuple[int, int], ...]:
    """The ``(start, end)`` offsets of the sentences of `text`, without the white space between them.

    A sentence ends at ``.``, ``?`` or ``!`` (with closing quotes and brackets) before white space, at a blank line,
    at a line break before an option, and behind a code block. A delimited formula that ends with a full stop inside
    its delimiters ends a sentence too where a capital follows.

    >>> from semifactual.text.lexer import lex
    >>> t = "Mr. Lee has 2.5 kg. Who knows?"; [t[a:b] for a, b in sentence_ranges(t, lex(t))]
    ['Mr. Lee has 2.5 kg.', 'Who knows?']
    """
    ranges: list[tuple[int, int]] = []
    start: int | None = None
    end = 0
    for index, span in enumerate(spans):
        if span.type is SpanType.SPACE:
            plain = span.end - span.start == 1 and text[span.start] == " " and spans[index - 1].type not in _MAY_END
            if start is not None and not plain and _breaks(text, spans, index):
                ranges.append((start, end))
                start = None
            continue
        if start is None:
            start = span.start
        end = span.end
    if start is not None:
        ranges.append((start, end))
    return tuple(ranges)


def _breaks(text: str, spans: Sequence[Span], index: int) -> bool:
    """Whether a sentence ends before the white space at `index`."""
    space = spans[index].of(text)
    previous = spans[index - 1]
    following = spans[index + 1] if index + 1 < len(spans) else None
    if space.count("\n") > 1 or previous.type is SpanType.CODE:
        return True
    if following is not None and following.type is SpanType.OPTION:
        return "\n" in space
    back = index - 1
    while back > 0 and spans[back].type is SpanType.PUNCTUATION and spans[back].of(text) in "\"”’')]*":
        back -= 1
    mark = spans[back]
    if mark.type is SpanType.PUNCTUATION and mark.of(text) in "?!":
        return True
    if mark.type is SpanType.PUNCTUATION and mark.of(text) == ".":
        return not ends_abbreviation(text, mark.start)
    if mark.type is SpanType.MATH and following is not None:
        closed = mark.of(text).rstrip("$)]\\ ").endswith((".", "?"))
        return closed and text[following.start].isupper()
    return mark.type is SpanType.TIME and mark.of(text).endswith(".") and _starts_upper(text, following)


def _starts_upper(text: str, span: Span | None) -> bool:
    """Whether a capital opens a sentence here; a name's capital says nothing."""
    return span is not None and span.type is not SpanType.NAME and text[span.start].isupper()
