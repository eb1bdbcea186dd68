"""A text made ready for patterns: mathematics hidden, and every character known to be free or not."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from semifactual.text.document import Document
from semifactual.text.edits import Edit
from semifactual.text.spans import VERBATIM, Span, SpanType

MATH_MARK = "\ue000"
"""Stands for each character of a formula, so that a pattern sees one opaque word."""
LIST_MARK = "\ue001"
"""The same for a formula with a comma in it: it may name several things, and then takes a plural verb."""
CODE_MARK = "\ue002"
"""The same for code and quotations, which no slot admits."""

FROZEN = VERBATIM | {SpanType.UNIT}
"""The span types whose bytes a paraphrase keeps. Spans may move; nothing inside them may change."""

_OPAQUE = frozenset({SpanType.MATH, SpanType.LATEX, SpanType.URL, SpanType.CODE})
_KEEPS_CASE = FROZEN - {SpanType.NUMBER_WORD}
_FIRST_PERSON = re.compile(r"I\b")
_FIRST_WORD = re.compile(r"[A-Za-z]+")
_QUOTATION = re.compile(r"“[^”]*”|\"[^\"]*\"|(?<!\w)‘[^’]*’(?!\w)|(?<!\w)'[^'\n]{1,80}'(?!\w)")
_CONDITION = re.compile(
    "(?:If|Given|Assuming|Suppose|Supposing|Since|Knowing|Using|For|When|Considering|Where|At what|Let)\\b"
    "|In (?:\\w+ )?(?:diagram|figure|picture|equation|expression|graph|grid|triangle|square|rectangle|circle)\\b"
)
_ASKING = "find|compute|determine|evaluate|calculate|what|how|let"
_CLOSED_RUN = re.compile(f"{CODE_MARK}+")
_CLAUSE_BREAK = re.compile(
    rf",\s{{1,3}}(?:then\s)?|(?<=[{MATH_MARK}{LIST_MARK}])\s{{0,3}}(?:then\s)?(?=(?:{_ASKING}|{_ASKING.title()})\b)"
    rf"|(?<=\s[A-Z]\.)\s{{1,2}}(?=(?:{_ASKING.title()})\b)"
)


class Scene:
    """One document as patterns see it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.text = document.text

    @cached_property
    def masked(self) -> str:
        """The text, character for character, with formulas, code and quotations replaced by marks."""
        pieces: list[str] = []
        position = 0
        for span in self.document.of_type(*_OPAQUE):
            inside = self.text[span.start : span.end]
            mark = CODE_MARK if span.type is SpanType.CODE else LIST_MARK if "," in inside else MATH_MARK
            pieces += [self.text[position : span.start], mark * len(inside)]
            position = span.end
        pieces.append(self.text[position:])
        return _QUOTATION.sub(lambda match: CODE_MARK * len(match[0]), "".join(pieces))

    @cached_property
    def words(self) -> frozenset[str]:
        """The lower-case words outside mathematics."""
        return frozenset(self.document.words)

    @cached_property
    def prose_length(self) -> int:
        """How many words stand outside mathematics."""
        return len(self.document.words)

    def sentences_from(self, word: str) -> Sequence[tuple[int, int]]:
        """The sentences that start with `word`, or all of them where it is empty."""
        return self._sentences_by_word.get(word, ()) if word else self.document.sentences

    def clauses_from(self, word: str) -> Sequence[tuple[int, int]]:
        """From where to where a clause runs that starts with `word` (any, where it is empty): to its sentence's end.

        A clause starts where a sentence does, and behind a comma or a formula in it.
        """
        return self._clauses_by_word.get(word, ()) if word else self._clauses

    @cached_property
    def _clauses(self) -> tuple[tuple[int, int], ...]:
        found = []
        for start, end in self.document.sentences:
            found.append((start, end))
            found += [(comma.end(), end) for comma in _CLAUSE_BREAK.finditer(self.masked, start, end)]
        return tuple(found)

    @cached_property
    def _sentences_by_word(self) -> dict[str, list[tuple[int, int]]]:
        return self._by_first_word(self.document.sentences)

    @cached_property
    def _clauses_by_word(self) -> dict[str, list[tuple[int, int]]]:
        return self._by_first_word(self._clauses)

    def _by_first_word(self, ranges: Sequence[tuple[int, int]]) -> dict[str, list[tuple[int, int]]]:
        found: dict[str, list[tuple[int, int]]] = {}
        for start, end in ranges:
            word = _FIRST_WORD.match(self.masked, start)
            if word is not None:
                found.setdefault(word[0].lower(), []).append((start, end))
        return found

    def is_free(self, start: int, end: int) -> bool:
        """Whether ``text[start:end]`` holds nothing frozen, and no part of a quotation, option or answer format."""
        return self._locked.find(1, start, end) < 0 and not self._inside_locked(start, end)

    def allows(self, edits: tuple[Edit, ...]) -> bool:
        """Whether each edit leaves everything frozen alone."""
        return all(self.is_free(edit.start, edit.end) for edit in edits)

    def opens_sentence(self, position: int) -> bool:
        """Whether a sentence starts at `position`."""
        return position in self._starts

    def takes_command(self, position: int) -> bool:
        """Whether "find ..." may start at `position`: where a sentence does, or behind a condition that opens one."""
        if self.opens_sentence(position):
            return True
        start = max((start for start in self._starts if start < position), default=0)
        return _CONDITION.match(self.masked, start) is not None or self.text[position].isupper()

    def lowered(self, start: int, end: int) -> str:
        """``text[start:end]`` as it reads inside a sentence: without the capital of an ordinary first word."""
        piece = self.text[start:end]
        return piece[:1].lower() + piece[1:] if self.opens_sentence(start) and self._may_recase(start) else piece

    def raised(self, start: int, end: int) -> str:
        """``text[start:end]`` as it reads at the start of a sentence."""
        piece = self.text[start:end]
        return piece[:1].upper() + piece[1:] if self._may_recase(start) else piece

    def _may_recase(self, position: int) -> bool:
        span = self._span_at(position)
        return span is not None and span.type not in _KEEPS_CASE and not _FIRST_PERSON.match(self.text, position)

    @cached_property
    def _starts(self) -> frozenset[int]:
        return frozenset(start for start, _ in self.document.sentences)

    @cached_property
    def _locked(self) -> bytearray:
        locked = bytearray(len(self.text))
        for span in self.document.spans:
            if span.type in FROZEN:
                locked[span.start : span.end] = b"\1" * (span.end - span.start)
        for start, end in self._closed:
            locked[start:end] = b"\1" * (end - start)
        return locked

    @cached_property
    def _closed(self) -> tuple[tuple[int, int], ...]:
        """Stretches in which nothing at all may change: answer formats, quotations, everything from the options on."""
        zones = list(self.document.answer_formats)
        zones += [match.span() for match in _CLOSED_RUN.finditer(self.masked)]
        options = next(self.document.of_type(SpanType.OPTION), None)
        if options is not None:
            zones.append((options.start, len(self.text)))
        return tuple(zones)

    def _inside_locked(self, start: int, end: int) -> bool:
        """Whether an insertion falls inside a closed stretch or between two frozen characters of one word."""
        if start != end:
            return False
        if any(a < start < b for a, b in self._closed):
            return True
        span = self._span_at(start)
        return span is not None and span.start < start and span.type in FROZEN

    def _span_at(self, position: int) -> Span | None:
        index = bisect_right(self._span_starts, position) - 1
        return self.document.spans[index] if index >= 0 and position < len(self.text) else None

    @cached_property
    def _span_starts(self) -> list[int]:
        return [span.start for span in self.document.spans]
