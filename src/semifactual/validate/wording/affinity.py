"""Which quantity of an original each quantity of a rewrite resembles, by the words around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

from semifactual.validate.contract import Pair
from semifactual.validate.wording.alignment import Token

_REACH = 5
"""Tokens on either side of a quantity that tell what it is about."""
_FAMILY = 5
"""First letters that the words of one family share."""
_MARGIN = 0.2
"""How much more a quantity must resemble another than itself before the two count as exchanged."""
_MOST = 60
"""Quantities of a text. More are a table, whose neighbours say little, and every two of them would be compared."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One quantity with the families of the words around it, within its sentence and up to the next quantity."""

    key: str
    around: frozenset[str]


def exchanged_quantities(pair: Pair) -> tuple[str, str] | None:
    """Two quantities each of which stands in the rewrite among the other's words; None where there are none."""
    was = list(_mentions(pair.alignment.before))
    now = list(_mentions(pair.alignment.after))
    if max(len(was), len(now)) > _MOST:
        return None
    known, unmoved = {mention.key for mention in was}, frozenset(was)
    moved = (mention for mention in now if mention.key in known and mention not in unmoved)
    for first, second in combinations(moved, 2):
        if first.key != second.key and _prefers(first, second.key, was) and _prefers(second, first.key, was):
            return pair.alignment.written(first.key), pair.alignment.written(second.key)
    return None


def _prefers(mention: Mention, other: str, was: Sequence[Mention]) -> bool:
    """Whether a quantity of the rewrite resembles another quantity of the original more than itself."""
    return _likeness(mention, other, was) > _likeness(mention, mention.key, was) + _MARGIN


def _likeness(mention: Mention, key: str, was: Iterable[Mention]) -> float:
    """How much the words around a mention are those around a quantity of the original, where they are most so."""
    return max((_overlap(mention.around, other.around) for other in was if other.key == key), default=0.0)


def _overlap(these: frozenset[str], those: frozenset[str]) -> float:
    return len(these & those) / sqrt(1 + len(these | those))


def _mentions(side: Sequence[Token]) -> Iterator[Mention]:
    for place, token in enumerate(side):
        if token.quantity and token.key != "#1":
            yield Mention(token.key, frozenset((*_behind(side, place), *_before(side, place))))


def _behind(side: Sequence[Token], place: int) -> Iterator[str]:
    """The families of the words behind a quantity, up to the end of its sentence or the next quantity."""
    for token in side[place + 1 : place + 1 + _REACH]:
        if token.quantity or token.opens_sentence:
            return
        if token.content:
            yield token.key[:_FAMILY]


def _before(side: Sequence[Token], place: int) -> Iterator[str]:
    """The families of the words before a quantity, back to the start of its sentence or the quantity before it."""
    for at in range(place - 1, max(-1, place - 1 - _REACH), -1):
        if side[at].quantity or side[at + 1].opens_sentence:
            return
        if side[at].content:
            yield side[at].key[:_FAMILY]
