"""The numbers that a problem's text states, and those that its words bring in without stating them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from semifactual.answers.tree import Unit
from semifactual.answers.units import NotAUnit, named
from semifactual.counterfactual.values import Numeral, numeral
from semifactual.resources import template_yaml
from semifactual.text.document import Document
from semifactual.text.spans import Span, SpanType
from semifactual.text.values import QUANTITIES, number_value, quantity_value

_NEAR = Fraction(19, 20)
"""How much rounding still leaves a rate of conversion: 2.2 pounds are a kilogram."""
CONSTANTS = "counterfactual/constants.yaml"
TEMPLATES = (CONSTANTS, "answers/units.yaml")
"""What decides which numbers may be exchanged, besides what every kind draws on."""
_DIGITS = re.compile(r"\d[\d,]*\.\d+|\d+(?:,\d{3})*")
_EXCHANGEABLE = re.compile(r"(?P<before>\\?\$ ?)?(?P<digits>\d[\d,.]*\d|\d)(?P<after> ?\\?%| percent)?")
_PHRASE_ENDS = frozenset("-–/^*×:'’") | frozenset("abcdefghijklmnopqrstuvwxyz")
"""Characters that make a number part of a longer expression or word where they touch it: 5-day, 4x, 3/4."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One number of a text. `digits` and where they stand are given where another number could stand there."""

    value: Fraction
    start: int = -1
    end: int = -1
    digits: Numeral | None = None
    is_percentage: bool = False


def mentions(document: Document) -> tuple[Mention, ...]:
    """Every number of a text, whatever it is part of. What has no single value gives each number in it."""
    return tuple(found for span in document.spans for found in _mentions(document, span))


def _mentions(document: Document, span: Span) -> Iterator[Mention]:
    if span.type in QUANTITIES and (value := quantity_value(document.text, span)) is not None:
        yield _exchangeable(document, span) or Mention(value)
        if span.type is SpanType.ORDINAL and value:
            yield Mention(1 / value)  # "a fifth" is written like "the fifth"
    else:
        values = map(number_value, _DIGITS.findall(span.of(document.text)))
        yield from (Mention(value) for value in values if value is not None)


def _exchangeable(document: Document, span: Span) -> Mention | None:
    """The mention, if it is a plain number in digits that another number could replace."""
    text = document.text
    match = _EXCHANGEABLE.fullmatch(span.of(text))
    if match is None or span.type not in {SpanType.NUMBER, SpanType.CURRENCY, SpanType.PERCENT}:
        return None
    digits = numeral(match["digits"])
    touching = {text[span.start - 1 : span.start].lower(), text[span.end : span.end + 1].lower()}
    if digits is None or touching & _PHRASE_ENDS or _behind_article(text, span.start):
        return None
    if _converts(document, span, digits.value):
        return None
    start, end = (span.start + place for place in match.span("digits"))
    return Mention(digits.value, start, end, digits, span.type is SpanType.PERCENT)


def _converts(document: Document, span: Span, value: Fraction) -> bool:
    """Whether the number says how many of the unit behind it make another unit of the text: 16 ounces to the pound."""
    units = {other.start: _unit(other.of(document.text)) for other in document.of_type(SpanType.UNIT)}
    behind = units.get(span.end + 1)
    if behind is None:
        return False
    ratios = (unit.factor / behind.factor for unit in units.values() if unit and unit.powers == behind.powers)
    return any(_NEAR * ratio <= value <= ratio / _NEAR for ratio in ratios)


def _unit(word: str) -> Unit | None:
    try:
        return named(word)
    except NotAUnit:
        return None


def _behind_article(text: str, start: int) -> bool:
    """Whether "a" or "an" stands before, which would have to change with the number."""
    return text[max(0, start - 8) : start].lower().split()[-1:] in (["a"], ["an"])


def implied_constants(document: Document) -> frozenset[Fraction]:
    """The numbers that the words of a text may bring in: 7 by *week*, 12 by *dozen*. One is always among them."""
    words = set(document.words)
    if document.pieces(SpanType.PERCENT):
        words.add("percent")
    if document.pieces(SpanType.CURRENCY):
        words.add("dollars")
    return frozenset({Fraction(1)} | {number for number, cues in _constants() if not cues.isdisjoint(words)})


@cache
def _constants() -> tuple[tuple[Fraction, frozenset[str]], ...]:
    return tuple((Fraction(number), frozenset(cues.split())) for number, cues in template_yaml(CONSTANTS).items())
