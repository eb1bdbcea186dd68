"""The exact value of a quantity span: digits, fractions, percentages and number words."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

from semifactual.text.lexicon import number_words, ordinal_words
from semifactual.text.spans import Span, SpanType

QUANTITIES = frozenset(
    {SpanType.NUMBER, SpanType.CURRENCY, SpanType.PERCENT, SpanType.ORDINAL, SpanType.NUMBER_WORD, SpanType.DATE,
     SpanType.TIME, SpanType.RATIO}
)  # fmt: skip
"""The types of spans that hold a quantity outside mathematics."""

_DIGITS = re.compile(r"[-−]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)")
_NUMERAL = re.compile(r"[-−.]{0,2}\d[\w.,/]*|[^\W\d_]+")
_MIXED = re.compile(r"([-−]?)(\d+)\s+(\d+)/(\d+)\Z")
_FRACTION = re.compile(r"([-−]?\d+)/(\d+)\Z")
_SIGN_FRACTION = re.compile(r"([-−]?)(\d*)\s?([¼½¾⅐-⅞])\Z")
_LONGEST = 200
"""Characters. What is longer is no quantity that a problem states, and would be costly to compute with."""

_AND = re.compile(r"[\s-]+and[\s-]+")
_MULTIPLIERS = frozenset({"hundred", "hundreds", "dozen", "dozens"})
_MAGNITUDES = {"k": 1000, "thousand": 1000, "m": 10**6, "million": 10**6, "billion": 10**9}


def number_value(digits: str) -> Fraction | None:
    """The value of a number in digits: ``1,234``, ``-2.5``, ``3/4``, ``1 1/2``, ``2½``; None for anything else.

    >>> number_value("1 1/2"), number_value("1,234.5"), number_value("x")
    (Fraction(3, 2), Fraction(2469, 2), None)
    """
    if len(digits) > _LONGEST:
        return None
    text = digits.strip().replace("−", "-")
    try:
        if mixed := _MIXED.match(text):
            value = int(mixed[2]) + Fraction(int(mixed[3]), int(mixed[4]))
            return -value if mixed[1] else value
        if sign := _SIGN_FRACTION.match(text):
            value = int(sign[2] or 0) + Fraction(unicodedata.numeric(sign[3])).limit_denominator(10)
            return -value if sign[1] else value
        if fraction := _FRACTION.match(text):
            return Fraction(int(fraction[1]), int(fraction[2]))
        return Fraction(text.replace(",", "")) if _DIGITS.fullmatch(text) else None
    except (ValueError, ZeroDivisionError):
        return None


def word_value(words: str) -> Fraction | None:
    """The value of a number word or a compound of them.

    >>> [str(word_value(words)) for words in ("thirty-two", "two hundred and five", "half a dozen", "one and a half")]
    ['32', '205', '6', '3/2']
    """
    if len(words) > _LONGEST:
        return None
    *head, last = _AND.split(words.lower())
    part = _sum(last)
    if not head or part is None:
        return part
    whole = _sum(" ".join(head))
    if whole is None:
        return None
    return whole + part if part < 1 else _sum(f"{' '.join(head)} {last}")


def _sum(words: str) -> Fraction | None:
    """The value of number words without "and": each adds to the last, or multiplies it."""
    table = number_words()
    total, current = Fraction(0), Fraction(0)
    started = False
    for word in re.split(r"[\s-]+", words):
        if word == "a":
            continue
        value = table.get(word)
        if value is None:
            return None
        if value >= 1000:
            total, current = total + (current if started and current else Fraction(1)) * value, Fraction(0)
        elif (word in _MULTIPLIERS or value < 1) and started and current:
            current *= value
        else:
            current += value
        started = True
    return total + current if started else None


def ordinal_value(words: str) -> Fraction | None:
    """The place in an order that an ordinal in words names; None for anything else.

    >>> [str(ordinal_value(words)) for words in ("fourth", "twenty-first", "one hundred and fifth", "last")]
    ['4', '21', '105', 'None']
    """
    *tens, last = re.split(r"[\s-]+", words.lower())
    place = ordinal_words().get(last)
    if place is None or not tens:
        return place
    before = word_value(" ".join(word for word in tens if word != "and"))
    return None if before is None else before + place


def quantity_value(text: str, span: Span) -> Fraction | None:
    """The value of one quantity span of `text`; None where it has no single value (a date, a time, a ratio).

    A percentage has the value of its number, since ``20%`` and ``20 percent`` say the same.
    """
    piece = span.of(text)
    if span.type is SpanType.NUMBER_WORD:
        return word_value(piece)
    if span.type is SpanType.NUMBER:
        return number_value(piece)
    if span.type is SpanType.ORDINAL:
        return number_value(piece[:-2]) if piece[0].isdigit() else ordinal_value(piece)
    if span.type in (SpanType.CURRENCY, SpanType.PERCENT):
        match = _DIGITS.search(piece)
        value = number_value(match[0]) if match else None
        if value is None or match is None:
            return None
        return value * _MAGNITUDES.get(piece[match.end() :].strip().lower(), 1)
    return None


def numerals(text: str) -> list[str]:
    """All digits and number words of a text, in order: texts that agree in them state the same quantities.

    It is found without lexing, and so the cheap first question where most texts agree.

    >>> numerals("Ann paid $3.50 for twenty-two figs, or 5% more.")
    ['3.50', 'twenty', 'two', '5']
    """
    words = number_words()
    return [word for word in _NUMERAL.findall(text.lower()) if not word.isalpha() or word in words]
