"""Who is compared with whom, what a share is of, and who is counted in: none of them may be turned round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from semifactual.text.spans import SpanType
from semifactual.validate.contract import Pair, check
from semifactual.validate.verdict import Finding, failed, first_fault, passed, undecided
from semifactual.validate.wording.alignment import Alignment, Token
from semifactual.validate.wording.carriers import sentences
from semifactual.validate.wording.comparands import turned_round
from semifactual.validate.wording.relations import ANY, people_words, related_of
from semifactual.validate.wording.roles import converse

_REACH = 9
_BEFORE_SHARE = 7
"""Tokens before a share among which that of which it is the share is looked for."""
_JOINING = ("and", "with", "plus")
_COMPARING = ("than", "as")
_NEAR_NAME = 5

Rule = Callable[[Alignment], Finding]


@check("comparisons", "nothing that is compared changed sides, and nobody is counted in or left out")
def comparisons(pair: Pair) -> Finding:
    rules = _RULES[2:] if converse(pair) else _RULES
    return first_fault(rule(pair.alignment) for rule in rules)


def _same_sides(alignment: Alignment) -> Finding:
    """More girls than boys are not more boys than girls."""
    turned = turned_round(alignment)
    if turned is None:
        return passed()
    one, other = map(alignment.written, turned)
    return failed(f"compares {one!r} with {other!r}, the original {other!r} with {one!r}")


def _same_ratio(alignment: Alignment) -> Finding:
    """The ratio of this to that is not the ratio of that to this."""
    for (first, second), (new_first, new_second) in zip(
        _ratios(alignment.before), _ratios(alignment.after), strict=False
    ):
        if first & new_second and second & new_first:
            return failed(f"the ratio of {alignment.quoted(first)} to {alignment.quoted(second)} is turned round")
    return passed()


def _ratios(side: Sequence[Token]) -> Iterator[tuple[set[str], set[str]]]:
    """For each ratio that a text speaks of, the words that only its first and only its second part have."""
    for place, token in enumerate(side):
        if token.key == "ratio":
            behind = side[place + 1 : place + 1 + 2 * _REACH]
            to = next((n for n, other in enumerate(behind) if other.word == "to"), 0)
            first = {other.key for other in behind[:to] if other.content}
            second = {other.key for other in behind[to : to + _REACH] if other.content}
            yield first - second, second - first


def _same_owner(alignment: Alignment) -> Finding:
    """Riley's 3 fewer are not 3 fewer than Riley has."""
    was, now = related_of(alignment)
    owners = _owners(alignment.before) if any(how in _COMPARING for _, how in now) else {}
    for (quantity, how), things in sorted(now.items()):
        known = frozenset().union(*was.get((quantity, how), []))
        for thing in things if how in _COMPARING else ():
            written = alignment.written(quantity)
            if turned := (thing & owners.get(quantity, set())) - known:
                return undecided(
                    f"{written!r} {how} {alignment.quoted(turned)}: the original says it of {alignment.quoted(turned)}"
                )
    return passed()


def _owners(side: Sequence[Token]) -> dict[str, set[str]]:
    """For each quantity, the name right before it in its sentence, at every mention."""
    found: dict[str, set[str]] = {}
    for sentence in sentences(side):
        owner = ""
        for token in sentence:
            if token.type is SpanType.NAME:
                owner = token.key
            elif token.quantity and owner:
                found.setdefault(token.key, set()).add(owner)
    return found


def _same_base(alignment: Alignment) -> Finding:
    """What is 2 % of a need is not that of which the need is 2 %."""
    was, now = related_of(alignment)
    for (quantity, how), things in sorted(was.items()):
        found = now.get((quantity, how), [])
        if how == "of" and found and all(thing == {ANY} for thing in found):
            words = frozenset().union(*things) - {ANY}
            if any(words <= set(ahead) for ahead in _ahead(alignment.after, quantity) if words):
                return undecided(
                    f"{alignment.written(quantity)!r} of {alignment.quoted(words)}: in the rewrite that is the share"
                )
    return passed()


def _ahead(side: Sequence[Token], quantity: str) -> Iterator[list[str]]:
    """The words before each mention of a quantity."""
    for place, token in enumerate(side):
        if token.key == quantity:
            yield [other.key for other in side[max(0, place - _BEFORE_SHARE) : place]]


def _same_company(alignment: Alignment) -> Finding:
    """Brenda and nine friends are ten."""
    joined, after = _joined(alignment.before), alignment.after
    if not joined:
        return passed()
    for place, token in enumerate(after):
        if token.key in joined:
            near = after[max(0, place - _NEAR_NAME) : place + 1 + _NEAR_NAME]
            if any(other.word in _JOINING for other in near) and any(other.type is SpanType.NAME for other in near):
                return passed()
    stated = joined & {token.key for token in after}
    if stated:
        return undecided(f"{alignment.written(min(stated))!r} counts people beside a name, in the rewrite beside none")
    return passed()


def _joined(side: Sequence[Token]) -> set[str]:
    """The quantities of people that are joined to a name: Ann and 3 friends, John with his five friends."""
    found = set()
    for place, token in enumerate(side):
        if not token.quantity:
            continue
        ahead, behind = side[max(0, place - 3) : place], side[place + 1 : place + 5]
        beside = any(name.type is SpanType.NAME and word.word in _JOINING for name, word in pairwise(ahead))
        if beside and not people_words().isdisjoint(other.word for other in behind):
            found.add(token.key)
    return found


_RULES: tuple[Rule, ...] = (_same_sides, _same_owner, _same_ratio, _same_base, _same_company)
