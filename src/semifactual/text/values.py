"""The exact value of a quantity span: digits, fractions, percentages and number words."""

from __future__ import annotations

import re
from fractions import Fraction

from semifactual.text.lexicon import number_words
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
_LONGEST = 200
"""Characters. What is longer is no quantity that a problem states, and would be costly to compute with."""

_MAGNITUDES = {"k": 1000, "thousand": 1000, "m": 10**6, "million": 10**6, "billion": 10**9}


def number_value(digits: str) -> Fraction | None:
    """The value of a number in digits: ``1,234``, ``-2.5``, ``3/4``, ``1 1/2``; None for anything else.

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
        if fraction := _FRACTION.match(text):
            return Fraction(int(fraction[1]), int(fraction[2]))
        return Fraction(text.replace(",", "")) if _DIGITS.fullmatch(text) else None
    except (ValueError, ZeroDivisionError):
        return None


def word_value(words: str) -> Fraction | None:
    """The value of a number word or a compound of them.

    >>> [str(word_value(words)) for words in ("thirty-two", "two hundred and five", "half a dozen", "two thirds")]
    ['32', '205', '6', '2/3']
    """
    if len(words) > _LONGEST:
        return None
    table = number_words()
    total, current = Fraction(0), Fraction(0)
    started = False
    for word in re.split(r"[\s-]+", words.lower()):
        if word in ("and", "a"):
            continue
        value = table.get(word)
        if value is None:
            return None
        if value >= 1000:
            total, current = total + (current if started and current else Fraction(1)) * value, Fraction(0)
        elif (value == 100 or value == 12 or value < 1) and started and current:
            current *= value
        else:
            current += value
        started = True
    return total + current if started else None


def quantity_value(text: str, span: Span) -> Fraction | None:
    """The value of one quantity span of `text`; None where it has no single value (a date, a time, a ratio).

    A percentage has the value of its number, since ``20%`` and ``20 percent`` say the same.
    """
    piece = span.of(text)
    if span.type is SpanType.NUMBER_WORD:
        return word_value(piece)
    if span.type is SpanType.NUMBER:
        return number_value(piece)
    if span.type is SpanType.ORDINAL and piece[0].isdigit():
        return number_value(piece[:-2])
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
