"""What each quantity is related to: twice of what, more than what, per what, and in which order operations nest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from semifactual.resources import template_yaml
from semifactual.text.spans import SpanType
from semifactual.validate.contract import Pair, check
from semifactual.validate.verdict import Finding, failed, first_fault, passed, undecided
from semifactual.validate.wording.alignment import Alignment, Token
from semifactual.validate.wording.carriers import sentences
from semifactual.validate.wording.operations import same_order
from semifactual.validate.wording.roles import converse
from semifactual.validate.words import family

RELATIONS = "checks/relations.yaml"

_REACH = 9
"""Tokens behind a quantity among which its relation is looked for."""
_SPREAD_REACH = 4
ANY = "*"
"""Stands for a thing that is only pointed at: hers, that, the latter."""

Related = dict[tuple[str, str], list[frozenset[str]]]
"""For each quantity and relation, the words that it relates to, once for each mention."""


@check("relations", "every quantity is of, per, than and as much as what it was, and operations nest as they did")
def relations(pair: Pair) -> Finding:
    rules = (_same_spread, same_order) if pair.in_other_words else _RULES
    return first_fault(rule(pair) for rule in rules)


def _same_spread(pair: Pair) -> Finding:
    """What is said of each is not said of all together: $8 each, $8 in total."""
    shown = pair.alignment.written
    was, now = _spreads(pair.alignment.before), _spreads(pair.alignment.after)
    for quantity in sorted(was.keys() & now.keys()):
        if was[quantity].isdisjoint(now[quantity]):
            return failed(f"{shown(quantity)!r} {'/'.join(was[quantity])} became {'/'.join(now[quantity])}")
    return passed()


def _spreads(side: Sequence[Token]) -> dict[str, set[str]]:
    """Whether each quantity is one of several equal ones or what they make together, where words behind it say so."""
    found: dict[str, set[str]] = defaultdict(set)
    for place, token in enumerate(side):
        for behind in side[place + 1 : place + 1 + _SPREAD_REACH] if token.quantity else ():
            if behind.quantity or behind.opens_clause:
                break
            spread = _spread_words().get(behind.word)
            if spread is not None:
                found[token.key].add(spread)
    return found


def _same_things(pair: Pair) -> Finding:
    """Two thirds of the rest are not two thirds of the plants, and 50 cards not 50 of each kind."""
    shown = pair.alignment.written
    was, now = related_of(pair.alignment)
    after, turned = pair.alignment.after, converse(pair)
    for (quantity, how), things in sorted(was.items()):
        found = now.get((quantity, how), [])
        if how == "than" and turned:
            continue
        for thing in things if len(found) >= len(things) else ():
            if not any(_kin(thing, other) for other in found):
                return undecided(
                    f"{shown(quantity)!r} {how} {_listed(pair, [thing])}: in the rewrite {how} {_listed(pair, found)}"
                )
    stated = {token.key for token in after}
    for quantity, how in sorted(was.keys() - now.keys()):
        if how == "than" and quantity in stated and not _compared_still(quantity, after):
            return undecided(
                f"{shown(quantity)!r} than {_listed(pair, was[quantity, how])}: the rewrite does not say so"
            )
    new = sorted(now.keys() - was.keys())
    near = _neighbours(pair.alignment.before) if new else {}
    for quantity, how in new:
        things = now[quantity, how]
        if quantity in near and any(_strange(quantity, how, thing, near[quantity]) for thing in things):
            return undecided(f"{shown(quantity)!r} {how} {_listed(pair, things)}: the original does not say so")
    return passed()


def _compared_still(quantity: str, side: Sequence[Token]) -> bool:
    """Whether a quantity stands in a sentence that compares something."""
    return any(
        not _words("comparing").isdisjoint(token.word for token in sentence)
        for sentence in sentences(side)
        if any(token.key == quantity for token in sentence)
    )


def _strange(quantity: str, how: str, thing: frozenset[str], near: frozenset[str]) -> bool:
    """Whether what a quantity is said to be per, or a share of, does not stand in its sentence of the original."""
    if how == "per":
        return not _kin(thing, near)
    share = quantity.endswith("%") or "/" in quantity
    return how == "of" and share and ANY not in thing and any(not _kin(frozenset((word,)), near) for word in thing)


def _neighbours(side: Sequence[Token]) -> dict[str, frozenset[str]]:
    """For each quantity, all words of the sentences that state it."""
    found: dict[str, set[str]] = defaultdict(set)
    for sentence in sentences(side):
        words = {token.key for token in sentence}
        for token in sentence:
            if token.quantity:
                found[token.key] |= words
    return {quantity: frozenset(words) for quantity, words in found.items()}


@lru_cache(maxsize=2)
def related_of(alignment: Alignment) -> tuple[Related, Related]:
    """What the quantities of the original and those of the rewrite are related to."""
    return related(alignment.before), related(alignment.after)


def related(side: Sequence[Token]) -> Related:
    """What every quantity of a text is related to, within its clause and up to the next quantity."""
    found: Related = defaultdict(list)
    for place, token in enumerate(side):
        if token.quantity:
            behind = dict(_relations_behind(side[place + 1 : place + 1 + _REACH]))
            for how, things in behind.items():
                found[token.key, how].append(things)
    return found


def _relations_behind(following: Sequence[Token]) -> Iterator[tuple[str, frozenset[str]]]:
    how, table, previous = "", _table(), ""
    ends, anaphors, amounts = _words("ends"), _words("anaphors"), _words("amounts")
    things: set[str] = set()
    for token in following:
        if token.quantity or token.opens_clause or token.word in ends:
            break
        article = token.word in ("a", "an") and not _unit_behind(token, following)
        bare = token.word in ("each", "every") and previous not in _words("before_each")
        bare = bare or (token.word == "of" and previous in ("that", "those"))
        previous = token.word
        if token.word in table and not article and not bare:
            if things:
                yield how, frozenset(things)
            how, things = table[token.word], set()
        elif how and token.word in anaphors:
            things.add(ANY)
        elif how and token.content and token.word not in amounts:
            things.add(token.key)
    if things:
        yield how, frozenset(things)


def _unit_behind(article: Token, following: Sequence[Token]) -> bool:
    """Whether an article says "per", as in "two a day"."""
    return any(
        first is article and second.type in (SpanType.UNIT, SpanType.NUMBER_WORD)
        for first, second in pairwise(following)
    )


_RULES = (_same_spread, _same_things, same_order)


def _kin(these: frozenset[str], those: frozenset[str]) -> bool:
    these, those = (side - {ANY} or side for side in (these, those))
    if ANY in these or ANY in those:
        return True
    return not set(map(family, these)).isdisjoint(map(family, those))


def _listed(pair: Pair, things: Sequence[frozenset[str]]) -> str:
    """The words of some things as they stand in the texts."""
    return pair.alignment.quoted(frozenset().union(*things)) or "it"


@cache
def _table() -> dict[str, str]:
    """The relation that each word states."""
    return {word: how for how, words in template_yaml(RELATIONS)["relations"].items() for word in words.split()}


@cache
def _spread_words() -> dict[str, str]:
    """Each and together, by the words that say so."""
    return {word: spread for spread, words in template_yaml(RELATIONS)["spreads"].items() for word in words.split()}


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(template_yaml(RELATIONS)[name].split())


def people_words() -> frozenset[str]:
    """Words for people who may be counted beside someone named."""
    return _words("people")
