"""Which capitalised words are proper names, which are labels, and which merely open a sentence."""

from __future__ import annotations

from semifactual.text.lexicon import ambiguous_names, english_words, first_names, without_possessive, word_list
from semifactual.text.spans import ALPHABETIC, Span, SpanType


def classify_capitalised(text: str, spans: list[Span]) -> tuple[Span, ...]:
    """Give capitalised words their type: a name, a label in capitals, a date, or what their lower case says.

    A capital inside a sentence makes a name. At the start of a sentence a word is a name if it is a known first name
    or no English word; a name that is a word as well (Will, Rose) needs a second sign: a possessive, a verb behind
    it, or the same capital elsewhere inside a sentence.
    """
    inside: set[str] = set()
    undecided: list[int] = []
    result = list(spans)
    opening = True
    for index, span in enumerate(spans):
        if span.type in ALPHABETIC and text[span.start].isupper():
            span_type = _certain_type(text, span, opening)
            if span_type is None:
                undecided.append(index)
            else:
                result[index] = Span(span.start, span.end, span_type)
                if span_type is SpanType.NAME:
                    inside.add(without_possessive(span.of(text)))
        opening = _opens_sentence(text, span, opening)
    for index in undecided:
        if _is_name_at_start(text, spans, index, inside):
            result[index] = Span(spans[index].start, spans[index].end, SpanType.NAME)
    return tuple(result)


def _opens_sentence(text: str, span: Span, opening: bool) -> bool:
    """Whether the span behind `span` stands at the start of a sentence, given whether `span` did."""
    if span.type is SpanType.SPACE:
        return opening or "\n" in span.of(text)
    if span.type is SpanType.PUNCTUATION:
        mark = span.of(text)
        if mark in ".?!:":
            return not ends_abbreviation(text, span.start)
        return opening or mark in '“"‘*#•'
    if span.type is SpanType.MATH:
        return span.of(text).rstrip("$)]\\ \n").endswith((".", "?"))
    return span.type in (SpanType.OPTION, SpanType.CODE) or (opening and span.type is SpanType.BLANK)


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
    if base.isupper() and len(base) > 1 and "'" not in base:
        return SpanType.LABEL
    if word in ("I", "I'm", "I've", "I'll", "I'd", "I’m", "I’ve", "I’ll", "I’d"):
        return SpanType.WORD
    if lower in word_list("title"):
        return SpanType.WORD
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
