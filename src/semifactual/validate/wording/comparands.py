"""What stands on either side of each "than", and whether two texts say it the other way round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from semifactual.text.spans import SpanType
from semifactual.validate.wording.alignment import Alignment, Token

_PERSONS = frozenset({"i", "he", "she", "they", "it", "we", "you"})
_BEHIND = 4
"""Tokens behind "than" among which the other side is looked for."""
_NEAR = 3
_CLAUSE = 20
"""Tokens before "than" among which the first side is looked for: next to it, then in its whole clause."""


@lru_cache(maxsize=2)
def turned_round(alignment: Alignment) -> tuple[str, str] | None:
    """Two things that the rewrite compares in the other order: A than B, B than A. None where there are none."""
    return _turned(alignment, _NEAR) or _turned(alignment, _CLAUSE)


def _turned(alignment: Alignment, reach: int) -> tuple[str, str] | None:
    was = list(_sides(alignment.before, reach))
    for left, right in _sides(alignment.after, reach) if was else ():
        if any(left & old_left and right & old_right for old_left, old_right in was):
            continue
        for old_left, old_right in was:
            if left & old_right and right & old_left:
                return min(left & old_right), min(right & old_left)
    return None


def _sides(side: Sequence[Token], reach: int) -> Iterator[tuple[set[str], set[str]]]:
    """The things before each "than" in its clause and those right behind it, what is on both sides left out."""
    start = 0
    for place, token in enumerate(side):
        if token.opens_clause:
            start = place
        if token.word == "than":
            left = {other.key for other in side[max(start, place - reach) : place] if _thing(other)}
            right: set[str] = set()
            for other in side[place + 1 : place + 1 + _BEHIND]:
                if other.opens_clause:
                    break
                right |= {other.key} if _thing(other) else set()
            yield left - right, right - left


def _thing(token: Token) -> bool:
    said = token.content or token.word in _PERSONS
    return said and not token.quantity and token.type is not SpanType.COMPARISON
