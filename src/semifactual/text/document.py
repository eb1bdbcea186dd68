"""A text with its spans, sentences, question and answer-format sentences, each found once and only if asked for."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

from semifactual.text.lexer import lex
from semifactual.text.lexicon import without_possessive, word_list
from semifactual.text.sentences import sentence_ranges
from semifactual.text.spans import Span, SpanType

_ANSWER_FORMAT = re.compile(
    r"""\b(?:
        (?:express|give|write|enter|leave|state|provide|report|submit|put|format)\s{1,3}(?:(?:your|the|all|each|this|final|it)\s{1,3})*
            (?:answers?|results?|responses?|solutions?)\b
      | (?:express|write|give|enter)\s{1,3}(?:your\s|the\s)?[^.?!]{0,40}?\b(?:as\s{1,3}an?|in\s{1,3}
            (?:the\s{1,3}form|simplest|terms|lowest|scientific|interval|base)|to\s{1,3}the\s{1,3}nearest)\b
      | answer\s{1,3}(?:to|with|in)\b
      | round(?:ed)?\s{1,3}(?:your|the|to|off|up|down|it|all|each)\b
      | in\s{1,3}(?:simplest|lowest|reduced|simplified)\s{1,3}(?:form|terms|radical)
      | can\s{1,3}be\s{1,3}(?:written|expressed)\s{1,3}(?:in\s{1,3}the\s{1,3}form\b|as\s{1,3}\$)
    )""",
    re.IGNORECASE | re.VERBOSE,
)

_LATER_REQUEST = re.compile(r"\s(?:find|compute|determine|calculate|evaluate|work\s+out|what|how|which)\b")

_FAR = 16
"""Characters into a sentence from which on a mention of the answer's form is a clause of its own."""


class Document:
    """One text, lexed on demand. Treat it as immutable; two documents of the same text are interchangeable."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"Document({self.text!r})"

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """The typed spans, which concatenate to the text."""
        return lex(self.text)

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """The offsets of the sentences, without the space between them."""
        return sentence_ranges(self.text, self.spans)

    @cached_property
    def answer_formats(self) -> tuple[tuple[int, int], ...]:
        """The offsets of what fixes the answer's form: a sentence, a bracket, or the rest of a clause."""
        if _ANSWER_FORMAT.search(self.text) is None:
            return ()
        found = ((a, b, _ANSWER_FORMAT.search(self.text, a, b)) for a, b in self.sentences)
        return tuple(self._format_range(a, b, match) for a, b, match in found if match)

    @cached_property
    def questions(self) -> tuple[tuple[int, int], ...]:
        """The offsets of the sentences that ask for the answer; the last sentence where none says so openly."""
        asked = tuple((a, b) for a, b in self.sentences if self._asks(a, b))
        return asked or self.sentences[-1:]

    def of_type(self, *types: SpanType) -> Iterator[Span]:
        """The spans of the given types, in order."""
        if len(types) == 1:
            return iter(self._by_type.get(types[0], ()))
        return iter(sorted(span for one in types for span in self._by_type.get(one, ())))

    @cached_property
    def _by_type(self) -> dict[SpanType, list[Span]]:
        found: dict[SpanType, list[Span]] = {}
        for span in self.spans:
            found.setdefault(span.type, []).append(span)
        return found

    def pieces(self, *types: SpanType) -> list[str]:
        """The texts of the spans of the given types, in order."""
        return [span.of(self.text) for span in self.of_type(*types)]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The lower-case words of the text outside mathematics, in order, without possessive endings."""
        return tuple(word for _, word in self._placed_words)

    def words_between(self, start: int, end: int) -> tuple[str, ...]:
        """Those of `words` that begin in ``text[start:end]``."""
        first = bisect_left(self._placed_words, (start, ""))
        return tuple(word for _, word in self._placed_words[first : bisect_left(self._placed_words, (end, ""))])

    @cached_property
    def _placed_words(self) -> list[tuple[int, str]]:
        text = self.text
        return [
            (start, without_possessive(text[start:end].lower()).replace("’", "'"))
            for start, end, span_type in self.spans
            if text[start].isalpha() and span_type not in _NOT_PROSE
        ]

    def _format_range(self, start: int, end: int, match: re.Match[str]) -> tuple[int, int]:
        """What of the sentence ``[start, end)`` belongs to the answer's form that `match` speaks of."""
        opening = self.text.rfind("(", start, match.start() + 1)
        if opening >= 0 and ")" not in self.text[opening : match.start()]:
            closing = self.text.find(")", match.end(), end)
            return opening, closing + 1 if closing >= 0 else end
        asks_before = not word_list("ask").isdisjoint(self.text[start : match.start()].lower().split())
        return (match.start() if asks_before or match.start() - start >= _FAR else start), end

    def _asks(self, start: int, end: int) -> bool:
        sentence = self.text[start:end]
        if sentence.rstrip("\"”’')*").endswith("?"):
            return True
        opening = re.findall(r"[^\W\d_]+", sentence[:160])
        if not opening:
            return False
        if opening[0].lower() in word_list("ask") - word_list("function"):
            return True
        if opening[0].lower() not in word_list("discourse"):
            return False
        return _LATER_REQUEST.search(sentence) is not None


_NOT_PROSE = frozenset({SpanType.MATH, SpanType.LATEX, SpanType.CODE, SpanType.URL})
