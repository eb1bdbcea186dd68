"""The lexer: a text becomes typed spans that concatenate to it, character for character."""

from __future__ import annotations

import re
from functools import cache

from semifactual.text.lexicon import number_words, ordinal_words, without_possessive, word_list, word_types
from semifactual.text.names import classify_capitalised
from semifactual.text.regions import latex_end, math_regions
from semifactual.text.spans import Span, SpanType

_NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+"
_FRACTION_SIGN = "[¼½¾⅐-⅞]"
_SIGN = r"(?:(?<![\w)\]}.,])[-−])?"
_MONTH = (
    r"(?-i:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)"
)
_SIMPLE_NUMBER_WORD = "|".join(sorted((w for w in number_words()), key=len, reverse=True))
_ORDINAL_WORD = "|".join(sorted(ordinal_words().keys() - {"second"}, key=len, reverse=True))
"""Not second, which is a unit behind a number: a thirty-second break."""
_FRACTION_WORD = r"(?:halves|half|thirds?|quarters?|fourths?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?)"

_TOKEN = re.compile(
    rf"""(?P<space>\s+)
      | (?P<url>(?:https?://|www\.)[^\s<>"')]+)
      | (?P<blank>_{{2,}}|(?:\\_){{2,}}|\.{{5,}}|□)
      | (?P<currency>\\?[$€£¥]\s?(?:{_NUMBER})(?:\s?(?:million|billion|thousand|[kKmM])\b)?)
      | (?P<date>{_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,\s*\d{{4}}\b)?
                |\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\b(?:,?\s+\d{{4}}\b)?
                |\b\d{{1,4}}/\d{{1,2}}/\d{{2,4}}\b|\b\d{{4}}-\d{{2}}-\d{{2}}\b)
      | (?P<time>\b\d{{1,2}}(?::\d{{2}}){{0,2}}\s?(?:[ap]\.\s?m\.|[aApP][mM]\b)|\b\d{{1,2}}:\d{{2}}(?::\d{{2}})?\b
                |\b\d{{1,2}}\s+o['’]clock\b)
      | (?P<percent>{_SIGN}(?:{_NUMBER})\s?\\?%)
      | (?P<ordinal>\d[\d,]{{0,20}}(?:st|nd|rd|th)\b
                   |\b(?:(?:{_SIMPLE_NUMBER_WORD})[- ](?:and[ ])?){{0,8}}(?:(?:hundred|thousand)[ ](?:and[ ])?
                    |(?:twen|thir|for|fif|six|seven|eigh|nine)ty-)(?:{_ORDINAL_WORD})\b)
      | (?P<ratio>\b\d+(?:\s?:\s?\d+)+\b)
      | (?P<script>(?:[A-Za-z]|\d+|\b[A-Za-z]+)[_^](?=[{{\w\\(+-]))
      | (?P<number>{_SIGN}(?:\d*\s?{_FRACTION_SIGN}|\d+\s+\d+/\d+(?!\d)|\d+/\d+(?!\d)|{_NUMBER}))
      | (?P<latex>\\[^\s])
      | (?P<option>(?:(?<=\s)|^)(?:\([A-J]\)|(?-i:[A-J])[).:](?=[\s$\\\d(A-Za-z-])))
      | (?P<compound>\b(?:(?:{_SIMPLE_NUMBER_WORD})(?:[- ](?:and[ ])?(?:{_SIMPLE_NUMBER_WORD}))+
                     |(?:one|two|three|four|five|six|seven|eight|nine)[- ]{_FRACTION_WORD})\b)
      | (?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)
      | (?P<operator>[+*/=<>≤≥≠≈×÷±^|~∈∪∩√∞°·%$€£¥−]|(?<=[\w)\s])-(?=\s*[\d(])|(?<=[\d)\s])-(?=\s))
      | (?P<punctuation>[^\w\s])
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_PLAIN = re.compile(r"([a-z]{2,})(?=[ ,.?!;:)\n]|\Z)( (?!\s))?")
"""Most words of a text, lower case, with nothing attached, and the single space behind one."""

_DIRECT = {
    "url": SpanType.URL,
    "blank": SpanType.BLANK,
    "currency": SpanType.CURRENCY,
    "date": SpanType.DATE,
    "time": SpanType.TIME,
    "percent": SpanType.PERCENT,
    "ordinal": SpanType.ORDINAL,
    "ratio": SpanType.RATIO,
    "number": SpanType.NUMBER,
    "compound": SpanType.NUMBER_WORD,
    "space": SpanType.SPACE,
    "operator": SpanType.OPERATOR,
    "punctuation": SpanType.PUNCTUATION,
    "other": SpanType.OTHER,
}
_CONTEXTUAL = frozenset({"th", "st", "nd", "rd", "www", "http", "https", "second"})
_NUMERIC = frozenset(
    {SpanType.NUMBER, SpanType.CURRENCY, SpanType.NUMBER_WORD, SpanType.MATH, SpanType.ORDINAL, SpanType.LATEX}
)
_CLOCK = frozenset({SpanType.NUMBER, SpanType.NUMBER_WORD, SpanType.TIME})
_NEXT_WORD = re.compile(r"\s+[a-z]+")
_PRONOUN_ONE_AFTER = re.compile(
    r"\s+(?:another|who|that|which|and\s+the\s+same|by\s+one|of\s+(?:the|these|those|its|his|her|their)\b"
    r"|(?:[a-z]+\s+)?(?:day|morning|afternoon|evening|night|summer|winter|spring|autumn)\b)"
)


def lex(text: str) -> tuple[Span, ...]:
    """Split `text` into typed spans. They cover it without a gap or an overlap, in order, and never raise.

    >>> [(s.of("Amy pays $5."), s.type.value) for s in lex("Amy pays $5.") if s.type is not SpanType.SPACE]
    [('Amy', 'name'), ('pays', 'word'), ('$5', 'currency'), ('.', 'punctuation')]
    """
    spans: list[Span] = []
    position = 0
    for region in math_regions(text):
        _lex_prose(text, position, region.start, spans)
        spans.append(region)
        position = region.end
    _lex_prose(text, position, len(text), spans)
    return classify_capitalised(text, _demote_lone_options(text, spans))


@cache
def _contextual_words() -> frozenset[str]:
    """Lower-case words whose type depends on their neighbours; all others can be looked up alone."""
    return frozenset(number_words()) | word_list("unit_after_number") | word_list("meridiem") | _CONTEXTUAL


def _lex_prose(text: str, start: int, end: int, spans: list[Span]) -> None:
    """Append the spans of ``text[start:end]``, which holds no delimited mathematics."""
    position = start
    types, contextual = word_types(), _contextual_words()
    while position < end:
        if text[position] == " " and (position + 1 == end or not text[position + 1].isspace()):
            spans.append(Span(position, position + 1, SpanType.SPACE))
            position += 1
            continue
        if (plain := _PLAIN.match(text, position, end)) and (word := plain[1]) not in contextual:
            stop = plain.end(1)
            spans.append(Span(position, stop, types.get(word, SpanType.WORD)))
            position = plain.end()
            if position > stop:
                spans.append(Span(stop, position, SpanType.SPACE))
            continue
        match = _TOKEN.match(text, position, end)
        if match is None:  # cannot happen: the last alternative takes any character
            raise AssertionError(f"no token at {position}")
        group = match.lastgroup or "other"
        stop = match.end()
        if group == "word":
            span_type = _word_type(text, match, spans)
        elif group in ("latex", "script"):
            span_type, stop = SpanType.LATEX, min(max(latex_end(text, position), stop), end)
        elif group == "option":
            span_type = SpanType.OPTION
        else:
            span_type = _DIRECT[group]
        spans.append(Span(position, stop, span_type))
        position = stop


def _word_type(text: str, match: re.Match[str], spans: list[Span]) -> SpanType:
    """The type of one word by its spelling and its left neighbour; capitals are looked at later, as a whole."""
    word = match[0]
    previous = spans[-1] if spans else None
    lower = word.lower()
    if len(word) == 1:
        return _letter_type(text, match, previous)
    if previous is not None and previous.end == match.start():
        if previous.type is SpanType.MATH and lower in ("th", "st", "nd", "rd"):
            return SpanType.ORDINAL
        if previous.type is SpanType.NUMBER and lower in word_list("unit_after_number"):
            return SpanType.UNIT
    if lower == "one" and _is_pronoun_one(text, match, spans):
        return SpanType.WORD
    if lower == "second":
        return SpanType.UNIT if _is_unit_second(text, match, spans) else SpanType.ORDINAL
    if lower in word_list("unit_after_number") and lower not in ("in", "a", "min"):
        return SpanType.UNIT if _left_of_space(spans, _NUMERIC) else word_types().get(lower, SpanType.WORD)
    if lower in word_list("meridiem") and not _left_of_space(spans, _CLOCK):
        return SpanType.WORD
    if lower.endswith(("n't", "n’t")):
        return SpanType.NEGATION
    return word_types().get(without_possessive(lower), SpanType.WORD)


def _letter_type(text: str, match: re.Match[str], previous: Span | None) -> SpanType:
    """A single letter: an article, a pronoun, a possessive ending, a unit, a variable or a label."""
    letter = match[0]
    touching = previous is not None and previous.end == match.start()
    before = text[match.start() - 1] if match.start() else ""
    after = text[match.end() : match.end() + 2]
    if before in ("'", "’") or letter == "I" or (after[:1] == "-" and after[1:].isalpha()):
        return SpanType.WORD
    if touching and previous is not None and previous.type in (SpanType.NUMBER, SpanType.OPERATOR):
        return SpanType.VARIABLE
    if letter == "A" or letter == "a":
        symbolic = (after[:1] != "" and after[:1] in "=+*/^<>)") or after in (" =", " <", " >", " +")
        noun_follows = after[:1] == " " and (after[1:].isalnum() or after[1:] in ("$", "\\"))
        article = noun_follows and (letter == "a" or _opens(text, match.start()))
        if symbolic or not (article or letter == "a"):
            return SpanType.VARIABLE if letter == "a" else SpanType.LABEL
        return SpanType.WORD
    return SpanType.VARIABLE if letter.islower() else SpanType.LABEL


def _opens(text: str, position: int) -> bool:
    """Whether nothing but an end of sentence, a line break or an opening mark stands before `position`."""
    before = text[:position].rstrip(" ")
    return not before or before[-1] in ".?!:;\n\"“‘'(*$" or before.endswith(("]", ")"))


def _left_of_space(spans: list[Span], types: frozenset[SpanType]) -> bool:
    """Whether the nearest span to the left that is not a space is of one of `types`."""
    for span in reversed(spans[-2:]):
        if span.type is not SpanType.SPACE:
            return span.type in types
    return False


def _is_pronoun_one(text: str, match: re.Match[str], spans: list[Span]) -> bool:
    """Whether this "one" stands for a thing rather than for the number: "which one", "one of the", "one another"."""
    words = [s.of(text).lower() for s in spans[-2:] if s.type is not SpanType.SPACE]
    if words and words[-1] in word_list("before_pronoun_one"):
        return True
    return _PRONOUN_ONE_AFTER.match(text, match.end()) is not None


def _is_unit_second(text: str, match: re.Match[str], spans: list[Span]) -> bool:
    """Whether this "second" is a time, as in "30 seconds" or "per second", rather than a place in an order."""
    before = [span for span in spans[-2:] if span.type is not SpanType.SPACE and span.of(text) not in "-/"]
    if not before or spans[-1].of(text) == "/":
        return bool(spans)
    if before[-1].type in _NUMERIC or before[-1].of(text).lower() == "per":
        return True
    following = _NEXT_WORD.match(text, match.end())
    counts_it = before[-1].of(text).lower() in ("a", "each", "every", "half", "one")
    return counts_it and (following is None or following[0].strip() in word_list("function"))


def _demote_lone_options(text: str, spans: list[Span]) -> list[Span]:
    """Option labels come in sequence, A then B. A lone ``(A)`` is a label, a lone ``A.`` ends a sentence."""
    labels = [span for span in spans if span.type is SpanType.OPTION]
    if not labels:
        return spans
    letters = [span.of(text).strip("().:").upper() for span in labels]
    if letters[:2] == ["A", "B"]:
        return spans
    return [part for span in spans for part in (_label_parts(text, span) if span.type is SpanType.OPTION else (span,))]


def _label_parts(text: str, span: Span) -> tuple[Span, ...]:
    """A label that looked like an option's, without the mark that ends its sentence."""
    if text[span.start] == "(":
        return (Span(span.start, span.end, SpanType.LABEL),)
    return (
        Span(span.start, span.end - 1, SpanType.LABEL),
        Span(span.end - 1, span.end, SpanType.PUNCTUATION),
    )
