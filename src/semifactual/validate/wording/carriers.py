"""Words that say something of each: $3 per nail, each box holds 6, daily; of what, and of which quantity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

from semifactual.resources import template_yaml
from semifactual.text.spans import SpanType
from semifactual.validate.wording.alignment import Token
from semifactual.validate.wording.quantities import measure_of
from semifactual.validate.words import is_verb

DISTRIBUTION = "checks/distribution.yaml"

_BEHIND = 4
"""Tokens from a quantity to the word behind it that says it of each."""
_AHEAD = 7
"""Tokens from such a word to the quantity that follows it."""
_TO_THING = 5
"""Tokens from such a word to the noun that it speaks of: each of her four boxes."""
_TO_UNIT = 3
"""Tokens from a quantity to the article that says "per" before a stretch of time: 6 more pages a day."""
MOST_TOKENS = 5_000
"""A longer text is no problem, and to compare what it says of each takes too long."""
_MONTH = Fraction(2_629_800)
"""Seconds of an average month."""


class Carrier(NamedTuple):
    """A word that says something of each."""

    place: int
    """Where it stands in its sentence."""
    thing: str = ""
    """The key of the noun that it speaks of, or the unit of time; empty where it names none."""
    seconds: Fraction = Fraction(0)
    """How long the stretch of time is; nothing for what is no time."""
    ahead: bool = False
    """Whether it stands before the quantity that it binds."""
    said: tuple[int, int] = (0, 0)
    """The offsets of what says so in the text, with the quantity that it binds."""


def states(token: Token) -> bool:
    """Whether a token states a quantity that is worth comparing: any but one, and no place in an order."""
    return token.quantity and token.key != "#1" and not token.key.endswith("th")


def value_of(token: Token) -> Fraction:
    """The value of a plain quantity, and one for any other."""
    try:
        return Fraction(token.key[1:])
    except ValueError:
        return Fraction(1)


def sentences(side: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The tokens of a text by sentence; a semicolon ends one too."""
    start = 0
    for place, token in enumerate(side):
        if token.opens_sentence and place > start:
            yield side[start:place]
            start = place
    if side:
        yield side[start:]


def carriers(sentence: Sequence[Token]) -> Iterator[Carrier]:
    """The words of a sentence that say something of each, in order."""
    each, articles, adverbs = words("each"), words("articles"), adverbs_of_time()
    for place, token in enumerate(sentence):
        if token.word in adverbs:
            found = carrier_of(place, adverbs[token.word], adverbs[token.word])
            yield found._replace(said=(token.start, token.end))
        elif token.word in each or (token.word in articles and _says_per(sentence, place)):
            yield _with_thing(sentence, place)


def carrier_of(place: int, key: str, word: str, many: Fraction = Fraction(1)) -> Carrier:
    """The carrier of a noun, or of so many of a unit of time."""
    seconds = seconds_of(word)
    return Carrier(place, word if seconds else key, seconds * many)


@lru_cache(maxsize=4096)
def seconds_of(word: str) -> Fraction:
    """How long the stretch of time is that a word names; nothing where it names none."""
    measure = measure_of("day" if word in words("days") else word)
    if measure is None or measure[0] not in ("s:1", "month:1"):
        return Fraction(0)
    return measure[1] * (_MONTH if measure[0] == "month:1" else 1)


def bindings(sentence: Sequence[Token], some: Sequence[Carrier]) -> Iterator[tuple[int, Carrier]]:
    """The places of the quantities that are said of each, with the carriers that say so."""
    for carrier in some:
        place = None if _leads(sentence, carrier) else _quantity_before(sentence, carrier.place)
        subject = carrier.thing or not carrier.place or sentence[carrier.place - 1].word not in words("object")
        if place is None and subject and sentence[carrier.place].word in ("each", "every"):
            place = _quantity_behind(sentence, carrier)
        if place is not None:
            first, last = sorted((place, carrier.place))
            said = sentence[first].start, max(sentence[last].end, carrier.said[1])
            yield place, carrier._replace(ahead=carrier.place < place, said=said)


def _says_per(sentence: Sequence[Token], place: int) -> bool:
    """Whether an article says "per": $3 a nail, 6 hours a day, twice a week."""
    if place + 1 >= len(sentence) or place == 0 or sentence[place].gap or sentence[place + 1].gap:
        return False
    if sentence[place - 1].quantity and sentence[place - 1].type is SpanType.CURRENCY:
        return True
    measured = any(token.quantity for token in sentence[max(0, place - _TO_UNIT) : place])
    return measured and bool(seconds_of(sentence[place + 1].word))


def _with_thing(sentence: Sequence[Token], place: int) -> Carrier:
    """The carrier at a place with the noun behind it, behind "of the" and the like, or behind a number."""
    many, start = Fraction(1), sentence[place].start
    alone = Carrier(place, said=(start, sentence[place].end))
    for at in range(place + 1, min(len(sentence), place + 1 + _TO_THING)):
        token = sentence[at]
        if token.opens_clause or sentence[place].word == "apiece":
            break
        if token.quantity:
            many = value_of(token) if at == place + 1 else many
        elif token.word not in words("skipped"):
            verbal = is_verbal(token.word) and not seconds_of(token.word)
            noun = token.content and token.word not in words("behind_floating") and not verbal
            if not noun:
                break
            return carrier_of(place, token.key, token.word, many)._replace(said=(start, token.end))
    return alone


def is_verbal(word: str) -> bool:
    """Whether a word looks like a form of a verb."""
    return word.endswith(("ing", "ed")) or is_verb(word)


def _leads(sentence: Sequence[Token], carrier: Carrier) -> bool:
    """Whether a carrier speaks of what follows: boxes each holding 3, and each box holds 3."""
    if sentence[carrier.place].opens_clause:
        return True
    if sentence[carrier.place].word != "each" or carrier.thing:
        return False
    behind = sentence[carrier.place + 1 : carrier.place + 2]
    ends = not behind or behind[0].opens_clause or behind[0].word in words("behind_floating")
    return not ends and behind[0].word != "of"


def _quantity_before(sentence: Sequence[Token], place: int) -> int | None:
    for at in range(place - 1, max(-1, place - 1 - _BEHIND), -1):
        if states(sentence[at]):
            return at
        if sentence[at + 1].opens_clause or sentence[at].word in words("barriers") or sentence[at].quantity:
            return None
    return None


def _quantity_behind(sentence: Sequence[Token], carrier: Carrier) -> int | None:
    named = not carrier.thing
    for at in range(carrier.place + 1, min(len(sentence), carrier.place + 1 + _AHEAD)):
        token = sentence[at]
        if token.opens_clause or token.word in words("parting"):
            return None
        if states(token) and named:
            return at
        named = named or token.key == carrier.thing or token.word == carrier.thing
    return None


@cache
def adverbs_of_time() -> dict[str, str]:
    """The words that say per what time in themselves, with the unit: daily, day."""
    found: dict[str, str] = template_yaml(DISTRIBUTION)["adverbs"]
    return found


@cache
def words(name: str) -> frozenset[str]:
    """One of the lists of distribution.yaml."""
    return frozenset(template_yaml(DISTRIBUTION)[name].split())
