"""Which capitalised words are proper names, which are labels, and which merely open a sentence."""

from __future__ import annotations

from semifactual.text.lexicon import ambiguous_names, english_words, first_names, without_possessive, word_list
from semifactual.text.spans import ALPHABETIC, Span, SpanType

_FARTHEST_START = 40
"""Spans. So many brackets, dashes and spaces at most stand between the start of a sentence and its first word."""


def classify_capitalised(text: str, spans: list[Span]) -> tuple[Span, ...]:
    """Give capitalised words their type: a name, a label in capitals, a date, or what their lower case says.

    A capital inside a sentence makes a name. At the start of a sentence a word is a name if it is a known first name
    or no English word; a name that is a word as well (Will, Rose) needs a second sign: a possessive, a verb behind
    it, or the same capital elsewhere inside a sentence.
    """
    inside: set[str] = set()
    undecided: list[int] = []
    result = list(spans)
    for index, span in enumerate(spans):
        if text[span.start].isupper() and span.type in ALPHABETIC:
            span_type = _certain_type(text, span, _opens_sentence(text, spans, index))
            if span_type is None:
                undecided.append(index)
            else:
                result[index] = Span(span.start, span.end, span_type)
                if span_type is SpanType.NAME:
                    inside.add(without_possessive(span.of(text)))
    for index in undecided:
        if _is_name_at_start(text, spans, index, inside):
            result[index] = Span(spans[index].start, spans[index].end, SpanType.NAME)
    return tuple(result)


def _opens_sentence(text: str, spans: list[Span], index: int) -> bool:
    """Whether the span at `index` stands at the start of a sentence."""
    for span in reversed(spans[max(0, index - _FARTHEST_START) : index]):
        if span.type is SpanType.SPACE:
            if "\n" in span.of(text):
                return True
        elif span.type is SpanType.PUNCTUATION:
            mark = span.of(text)
            if mark in ".?!:":
                return not ends_abbreviation(text, span.start)
            if mark in '“"‘*#•':
                return True
        elif span.type is SpanType.MATH:
            return span.of(text).rstrip("$)]\\ \n").endswith((".", "?"))
        elif span.type is not SpanType.BLANK:
            return span.type in (SpanType.OPTION, SpanType.CODE)
    return True


def ends_abbreviation(text: str, dot: int) -> bool:
    """Whether the full stop at `dot` belongs to an abbreviation such as ``Mr.``"""
    start = dot
    while start and (text[start - 1].isalpha() or (text[start - 1] == "." and start > 1 and text[start - 2].isalpha())):
        start -= 1
    word = text[start:dot].lower()
    return text[dot] == "." and (word in word_list("abbreviation") or (len(word) == 1 and word not in "ai"))


def _certain_type(text: str, span: Span, opening: bool) -> SpanType | None:
    """The type of a capitalised word where the word and its place alone decide it."""
    word = span.of(text)
    base = without_possessive(word)
    lower = base.lower()
    capitals = base[:-1] if len(base) > 2 and base[-1] == "s" else base
    if capitals.isupper() and len(base) > 1 and "'" not in base:
        return SpanType.LABEL
    if word in ("I", "I'm", "I've", "I'll", "I'd", "I’m", "I’ve", "I’ll", "I’d"):
        return SpanType.WORD
    if any(lower in word_list(name) for name in ("title", "discourse", "opener")) or _is_contraction(lower):
        return span.type
    if base in first_names():
        return SpanType.NAME
    if lower in word_list("date") and base not in ambiguous_names():
        return SpanType.DATE
    if not opening:
        if lower in word_list("ask") or (lower in word_list("function") and base not in ambiguous_names()):
            return span.type
        return SpanType.NAME if span.type in (SpanType.WORD, SpanType.KEYWORD) else span.type
    if base in ambiguous_names():
        return None
    if span.type is not SpanType.WORD or lower in word_list("function") or lower in word_list("ask"):
        return span.type
    return None


def _is_contraction(lower: str) -> bool:
    """Whether a word is a pronoun or another function word with what was drawn into it: he'd, they're."""
    word, apostrophe, _ = lower.replace("’", "'").partition("'")
    return apostrophe != "" and word in word_list("function")


def _is_name_at_start(text: str, spans: list[Span], index: int, inside: set[str]) -> bool:
    """Whether the capitalised word that opens a sentence at `index` is a name."""
    word = spans[index].of(text)
    base = without_possessive(word)
    if base in inside:
        return True
    if base in ambiguous_names():
        return word != base or _verb_follows(text, spans, index)
    lower = base.lower()
    if lower not in english_words() and lower.replace("’", "'") not in english_words():
        return True
    return not lower.endswith("s") and _verb_follows(text, spans, index)


def _verb_follows(text: str, spans: list[Span], index: int) -> bool:
    """Whether the next word can only be a verb: a bare singular noun before it is a name ("Errol bought ...")."""
    following = next((s for s in spans[index + 1 : index + 3] if s.type is not SpanType.SPACE), None)
    after = following.of(text) if following else ""
    return after.lower() in word_list("verb_after_name") or (after.endswith("ed") and after.islower())
