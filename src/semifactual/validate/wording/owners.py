"""Whose things are: pronouns keep their gender, owners their things, and nobody comes to have what is new."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from semifactual.resources import template_yaml
from semifactual.text.spans import SpanType
from semifactual.validate.contract import Pair, check
from semifactual.validate.quoting import excerpt
from semifactual.validate.verdict import Finding, failed, passed, undecided
from semifactual.validate.wording.alignment import Token
from semifactual.validate.words import family

OWNERS = "checks/owners.yaml"


@check("pronouns", "nobody who was he becomes she, or the other way round")
def pronouns(pair: Pair) -> Finding:
    before, after = (_genders(side) for side in (pair.alignment.before, pair.alignment.after))
    if len(before) == 1 and (new := after - before):
        return failed(f"gained a pronoun that is {new.pop()}, where the original's are {before.pop()}")
    return passed()


def _genders(side: Sequence[Token]) -> set[str]:
    words = {token.word for token in side}
    return {gender for gender in ("male", "female") if not words.isdisjoint(_words(gender))}


@check("owners", "nothing changed its owner: the donkey's load is not the truck's")
def owners(pair: Pair) -> Finding:
    before = _owned(pair.alignment.before, pair.original.text)
    after = _owned(pair.alignment.after, pair.rewrite.text)
    for thing in sorted(before.keys() & after.keys()):
        if before[thing].isdisjoint(after[thing]) and after[thing] <= pair.alignment.known:
            owner, other = (pair.alignment.quoted(side[thing]) for side in (before, after))
            return undecided(f"{pair.alignment.written(thing)!r} of {owner} became that of {other}")
    return passed()


def _owned(side: Sequence[Token], text: str) -> dict[str, set[str]]:
    """For each thing that stands behind a possessive, whose it is."""
    found: dict[str, set[str]] = defaultdict(set)
    if "'s" not in text and "’s" not in text:
        return found
    for owner, thing in pairwise(side):
        behind = text[owner.start + len(owner.word) : owner.start + len(owner.word) + 2]
        if behind in ("'s", "’s") and thing.content and not thing.gap and not owner.quantity:
            found[thing.key].add(owner.key)
    return found


@check("possessions", "nobody has what the original does not speak of: his donkey, her truck")
def possessions(pair: Pair) -> Finding:
    if pair.in_other_words:
        return passed("told in other words")
    theirs = {family(word) for token in pair.alignment.before for word in (token.key, token.word)}
    for change in pair.alignment.changes:
        for owner, thing in pairwise(change.after):
            known = not theirs.isdisjoint((family(thing.key), family(thing.word)))
            new = thing.content and thing.type is SpanType.WORD and not known
            if new and owner.word in _words("possessives") and not _abstract(thing.word):
                return undecided(
                    f"{excerpt(pair.rewrite.text, owner.start, thing.end)}: the original has no {thing.word!r}"
                )
    return passed()


def _abstract(word: str) -> bool:
    """Whether a word names no thing: an act or a state that a verb of the original may turn into."""
    act = word.removesuffix("s").endswith(("tion", "sion", "ment", "ness", "ance", "ence"))
    return act or word in _words("abstract")


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(template_yaml(OWNERS)[name].split())
