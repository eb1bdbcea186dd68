"""The quantities of a text by value, unit and the thing that each counts, however they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

from semifactual.answers.units import NotAUnit, named
from semifactual.resources import template_yaml
from semifactual.text.document import Document
from semifactual.text.lexicon import number_words
from semifactual.text.spans import Span, SpanType
from semifactual.text.values import number_value, quantity_value
from semifactual.validate.words import is_content

QUANTITY_WORDS = "checks/quantities.yaml"

_READ = (
    SpanType.NUMBER,
    SpanType.NUMBER_WORD,
    SpanType.CURRENCY,
    SpanType.PERCENT,
    SpanType.ORDINAL,
    SpanType.MATH,
)
_PROSE = (SpanType.WORD, SpanType.QUANTIFIER, SpanType.KEYWORD, SpanType.COMPARISON)
_IMPLYING = (*_PROSE, SpanType.UNIT)
_IN_MATH = re.compile(r"(?:\$|\\\()\s*(\\?\$)?\s*(-?[\d,]*\.?\d+)\s*(\\?%)?\s*(?:\$|\\\))\Z")
_CLOCK = re.compile(r"(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s?([ap])?", re.IGNORECASE)
_RATIO = re.compile(r"\b(?:ratio|proportion)", re.IGNORECASE)
_UNIT_WITHIN = 3
"""Spans behind a number among which its unit is looked for."""

_ONE = Fraction(1)
_REMEMBERED = 16
"""Documents whose quantities are remembered: those of the pair in hand, which several checks ask for."""


class Quantity(NamedTuple):
    """One mention of a quantity. `size` is its value in base units of `dimension`, where a unit of measure follows."""

    value: Fraction
    sort: str
    """What tells equal values apart: ``%``, ``th``, ``:`` for a time of day, and nothing for a plain number."""
    start: int
    end: int
    dimension: str = ""
    size: Fraction = Fraction(0)
    loose: bool = False
    """Whether a text may say this quantity or leave it out: one, a pair, the first."""
    implied: bool = False
    """Whether no number states it, but a unit or another word: an hour, both."""

    def of(self, text: str) -> str:
        """How its text, which is `text`, writes it."""
        return text[self.start : self.end]

    @property
    def share(self) -> Fraction:
        """The value as a plain number: 20 % is 1/5."""
        return self.value / 100 if self.sort == "%" else self.value


@lru_cache(maxsize=_REMEMBERED)
def quantities(document: Document) -> tuple[Quantity, ...]:
    """Every quantity that a text states, in order: ``half an hour`` is 1/2 with 1,800 seconds, ``$5`` is 5 dollars.

    A unit of measure without a number is a loose quantity of one unit.
    """
    spans = [span for span in document.spans if span.type is not SpanType.SPACE]
    return tuple(_read(document.text, spans))


def _read(text: str, spans: Sequence[Span]) -> Iterator[Quantity]:
    position = 0
    implying = _implying()
    while position < len(spans):
        span = spans[position]
        found = None
        if span.type in _PROSE and text[span.start : span.end].lower() not in implying:
            position += 1
            continue
        if span.type in _READ:
            found = _number_at(text, spans, position)
        elif span.type in (SpanType.TIME, SpanType.RATIO):
            yield from _compound_at(text, span)
        elif span.type in _IMPLYING:
            implied = _implied_at(text, span)
            if implied is not None:
                yield implied
                longer = _and_a_half(text, spans, implied, position + 1)
                if longer is not None:
                    yield longer
                    position += 3
        position += 1
        if found is not None:
            found, position = _extended(text, spans, found, position)
            yield _with_unit(text, spans, found, position)


def _number_at(text: str, spans: Sequence[Span], position: int) -> Quantity | None:
    """The quantity of one span."""
    span = spans[position]
    piece = span.of(text).lower()
    if piece.removesuffix(" one") in _words("ordinals"):
        return _part_or_place(text, spans, position)
    if span.type is SpanType.MATH:
        return _in_formula(span, piece)
    value = _value(span.of(text), span.type)
    if value is None:
        return None
    sort = {SpanType.PERCENT: "%", SpanType.ORDINAL: "th"}.get(span.type, "")
    if span.type is SpanType.CURRENCY:
        return Quantity(value, "", span.start, span.end, "USD:1", value)
    return Quantity(value, sort, span.start, span.end, loose=piece in _words("loose") or (value == 1 and sort != "%"))


@lru_cache(maxsize=4096)
def _value(piece: str, span_type: SpanType) -> Fraction | None:
    """The value of a span by its text."""
    value = quantity_value(piece, Span(0, len(piece), span_type))
    return _parts(piece.lower()) if value is None else value


def _parts(piece: str) -> Fraction | None:
    """The value of a fraction in words whose parts are one: one-fourth, a singular that is an ordinal elsewhere."""
    many, _, part = piece.replace("-", " ").partition(" ")
    size, count = _words("ordinals").get(part.removesuffix("s")), number_words().get(many)
    return count / size if size and count else None


def _in_formula(span: Span, piece: str) -> Quantity | None:
    """The quantity of a formula that is a plain number: ``$54$``, ``$\\$14.40$``, ``$20\\%$``."""
    simple = _IN_MATH.match(piece)
    value = number_value(simple[2]) if simple else None
    if simple is None or value is None:
        return None
    if simple[1]:
        return Quantity(value, "", span.start, span.end, "USD:1", value)
    return Quantity(value, "%" if simple[3] else "", span.start, span.end)


def _part_or_place(text: str, spans: Sequence[Span], position: int) -> Quantity:
    """A third: a part (a third of it) or a place in an order (the third child), as its neighbours say."""
    span = spans[position]
    place = _words("ordinals")[span.of(text).lower().removesuffix(" one")]
    before = spans[position - 1].of(text).lower() if position else ""
    after = spans[position + 1].of(text).lower() if position + 1 < len(spans) else ""
    part = not after.isalpha() or not is_content(after) or after in ("more", "less", "fewer")
    if part and place > 1 and before in ("a", "an", "one", "by", "only", "another"):
        return Quantity(1 / place, "", span.start, span.end)
    return Quantity(place, "th", span.start, span.end, loose=place <= 3)


def _extended(text: str, spans: Sequence[Span], quantity: Quantity, position: int) -> tuple[Quantity, int]:
    """The quantity with what multiplies it or adds to it: 2 million, half a dozen, two and a half."""
    words = [span.of(text).lower() for span in spans[position : position + 3]]
    if not words or words[0] not in _extending():
        return quantity, position
    values = [number_words().get(word) for word in words]
    if values and values[0] is not None and values[0] >= 12 and quantity.sort != "th":
        return _times(quantity, values[0], spans[position].end), position + 1
    if quantity.value < 1 and words[:1] in (["a"], ["of"]) and len(values) > 1 and (values[1] or 0) >= 12:
        return _times(quantity, values[1] or Fraction(1), spans[position + 1].end), position + 2
    if words[:2] == ["and", "a"] and len(values) > 2 and 0 < (values[2] or 0) < 1:
        more = quantity._replace(value=quantity.value + (values[2] or 0), end=spans[position + 2].end, loose=False)
        return _extended(text, spans, more, position + 3)
    if words[:1] in (["percent"], ["%"], ["percentage"]):
        return quantity._replace(sort="%", loose=False), position + 1
    return quantity, position


@cache
def _extending() -> frozenset[str]:
    """The words that may make a number behind which they stand another one."""
    return frozenset(number_words()) | {"a", "of", "and", "percent", "percentage", "%"}


def _times(quantity: Quantity, factor: Fraction, end: int) -> Quantity:
    return quantity._replace(value=quantity.value * factor, size=quantity.size * factor, end=end, loose=False)


def _with_unit(text: str, spans: Sequence[Span], quantity: Quantity, position: int) -> Quantity:
    """The quantity in the unit that follows it, where one does: 5 hours, 15-minute, 2 more days, 6 square feet."""
    if quantity.dimension:
        return quantity
    for span in spans[position : position + _UNIT_WITHIN]:
        if span.type is SpanType.UNIT:
            return _measured(quantity, span.of(text).lower())
        if span.of(text).lower() not in _before_units():
            break
    return quantity


@cache
def _before_units() -> frozenset[str]:
    return frozenset(template_yaml(QUANTITY_WORDS)["before_units"])


def _measured(quantity: Quantity, word: str) -> Quantity:
    measure = measure_of(word)
    if measure is None:
        return quantity
    dimension, factor = measure
    return quantity._replace(dimension=dimension, size=quantity.value * factor)


@lru_cache(maxsize=4096)
def measure_of(word: str) -> tuple[str, Fraction] | None:
    """The dimension of a unit word and its size in base units."""
    own = template_yaml(QUANTITY_WORDS)["measures"].get(word)
    if own is not None:
        size, dimension = own.split()
        return f"{dimension}:1", Fraction(size)
    try:
        unit = named(word)
    except NotAUnit:
        return None
    if any(base.startswith("#") for base, _ in unit.powers):
        return None
    return " ".join(f"{base}:{power}" for base, power in unit.powers), unit.factor


def _implied_at(text: str, span: Span) -> Quantity | None:
    """A unit without a number (an hour, per week, daily) or a word that implies a number (both)."""
    word = span.of(text).lower()
    value = _words("implied").get(word)
    if value is not None:
        return Quantity(value, "", span.start, span.end, loose=True, implied=True)
    measure = measure_of(word)
    if measure is None:
        return None
    return Quantity(_ONE, "", span.start, span.end, measure[0], measure[1], loose=True, implied=True)


@cache
def _implying() -> frozenset[str]:
    """The words beside units that state a quantity without a number."""
    table = template_yaml(QUANTITY_WORDS)
    return frozenset((*table["implied"], *table["measures"]))


def _and_a_half(text: str, spans: Sequence[Span], unit: Quantity, position: int) -> Quantity | None:
    """A minute and a half: the unit and its part as one quantity."""
    words = [span.of(text).lower() for span in spans[position : position + 3]]
    part = number_words().get(words[2]) if words[:2] == ["and", "a"] and len(words) == 3 else None
    if part is None or part >= 1 or not unit.dimension:
        return None
    return unit._replace(value=1 + part, size=unit.size * (1 + part), loose=False)


def _compound_at(text: str, span: Span) -> Iterator[Quantity]:
    """A time of day in minutes, or each part of a ratio."""
    piece = span.of(text).lower()
    if span.type is SpanType.RATIO or (piece[-1].isdigit() and _RATIO.search(text)):
        for match in re.finditer(r"\d+", piece):
            yield Quantity(Fraction(match[0][:200]), "", span.start + match.start(), span.start + match.end())
        return
    clock = _CLOCK.match({"noon": "12:00 p", "midday": "12:00 p", "midnight": "12:00 a"}.get(piece, piece))
    if clock:
        minutes = Fraction(60 * (int(clock[1]) % 12 + 12 * (clock[3] == "p")) + int(clock[2] or 0))
        yield Quantity(minutes, ":", span.start, span.end, loose=piece == "midday")


@cache
def _words(name: str) -> dict[str, Fraction]:
    """One of the lists of quantities.yaml, by lower-case word."""
    return {str(word): Fraction(str(value)) for word, value in template_yaml(QUANTITY_WORDS)[name].items()}
