"""The things of a text: what they are called, and what restricts them, may be neither exchanged, added nor dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from semifactual.resources import template_yaml
from semifactual.text.spans import SpanType
from semifactual.validate.contract import Pair, check
from semifactual.validate.quoting import excerpt
from semifactual.validate.verdict import Finding, passed, undecided
from semifactual.validate.wording.alignment import Alignment, Token
from semifactual.validate.wording.roles import every_role_stem
from semifactual.validate.words import family, is_verb

MODIFIERS = "checks/modifiers.yaml"

Phrases = tuple[tuple[Token, list[Token]], ...]

_NOMINAL = (SpanType.WORD, SpanType.KEYWORD, SpanType.COMPARISON, SpanType.QUANTIFIER)
_IN_PHRASE = (*_NOMINAL, SpanType.LABEL)
_LONGEST = 5
"""Words of a noun phrase behind its article or number."""


@check("modifiers", "no word that says which things are meant, added or dropped: apples are not green apples")
def modifiers(pair: Pair) -> Finding:
    if pair.in_other_words:
        return passed("told in other words")
    alignment = pair.alignment
    before, after = _changed(alignment)
    phrases = _phrases(alignment)
    nouns = [{token.key for _, phrase in side for token in phrase} for side in phrases]
    for modifier, noun in _modified(phrases[0]):
        if noun.key in nouns[1] and _alone(modifier, noun, before, alignment.lost, alignment.gained):
            return undecided(
                f"{excerpt(pair.original.text, modifier.start, noun.end)}: the rewrite has no {modifier.word!r} there"
            )
    for modifier, noun in _modified(phrases[1]):
        if noun.key in nouns[0] and _alone(modifier, noun, after, alignment.gained, alignment.lost):
            return undecided(
                f"{excerpt(pair.rewrite.text, modifier.start, noun.end)}: the original has no {modifier.word!r} there"
            )
    return passed()


@check("renamed_things", "no word of a noun phrase became another in the same surroundings: the width, the height")
def renamed_things(pair: Pair) -> Finding:
    if pair.in_other_words:
        return passed("told in other words")
    was, now = ({token.start for _, phrase in phrases for token in phrase} for phrases in _phrases(pair.alignment))
    single = [change for change in pair.alignment.changes if len(change.before) == len(change.after) == 1]
    replaced = {(change.before[0].key, change.after[0].key) for change in single}
    for old, new in ((change.before[0], change.after[0]) for change in single if change.tight):
        things = (old.start in was and new.start in now) or _mathematical(old, new) or _manners(old, new)
        exchanged = (new.key, old.key) in replaced
        if things and not exchanged and not _kin(old, new) and new.word not in _words("light"):
            return undecided(f"{old.word!r} became {new.word!r}")
    return passed()


@check("counted_nouns", "no number counts another thing of the original's than it did: 10 apples, 10 bags")
def counted_nouns(pair: Pair) -> Finding:
    if pair.in_other_words:
        return passed("told in other words")
    phrases = _phrases(pair.alignment)
    was, now = map(_counted, phrases)
    for quantity in sorted(was.keys() & now.keys()):
        if was[quantity].isdisjoint(now[quantity]) and now[quantity] <= pair.alignment.known:
            texts = (pair.original.text, pair.rewrite.text)
            one, other = (_first(text, side, quantity) for text, side in zip(texts, phrases, strict=True))
            return undecided(f"{one} became {other}")
    return passed()


def _first(text: str, phrases: Phrases, quantity: str) -> str:
    """The first noun phrase that a quantity opens, as it stands in its text."""
    opening, phrase = next(found for found in phrases if found[0].key == quantity)
    return excerpt(text, opening.start, phrase[-1].end)


def _counted(phrases: Phrases) -> dict[str, set[str]]:
    """For each quantity, the words of the noun phrases that it opens."""
    found: dict[str, set[str]] = {}
    for opening, phrase in phrases:
        if opening.quantity and opening.key != "#1":
            found.setdefault(opening.key, set()).update(token.key for token in phrase)
    return found


def _mathematical(old: Token, new: Token) -> bool:
    """Whether a word with a mathematical meaning became another one: the centroid, the incenter."""
    return old.type is SpanType.KEYWORD and new.type is SpanType.KEYWORD


def _manners(old: Token, new: Token) -> bool:
    """Whether an adverb became another one: directly, inversely."""
    return old.word.endswith("ly") and new.word.endswith("ly")


def _kin(old: Token, new: Token) -> bool:
    """Whether two words belong to one family, or stand for roles that other rules look after."""
    return family(old.key) == family(new.key) or {old.key, new.key} <= every_role_stem()


def _changed(alignment: Alignment) -> tuple[dict[int, tuple[Token, ...]], dict[int, tuple[Token, ...]]]:
    """For every changed token of each text, by its place, what stands for its stretch in the other text."""
    before = {token.start: change.after for change in alignment.changes for token in change.before}
    after = {token.start: change.before for change in alignment.changes for token in change.after}
    return before, after


def _alone(
    modifier: Token, noun: Token, changed: dict[int, tuple[Token, ...]], ours: Counter[str], theirs: Counter[str]
) -> bool:
    """Whether a modifier of a noun that stayed changed its number, and nothing with content took its place."""
    if modifier.key not in ours or noun.key in ours or modifier.start not in changed:
        return False
    others = (token for token in changed[modifier.start] if token.content and token.key not in every_role_stem())
    return not any(token.key in theirs for token in others)


def _modified(phrases: Phrases) -> Iterator[tuple[Token, Token]]:
    """Every modifier with the word of its noun phrase right behind it."""
    for _, phrase in phrases:
        for modifier, noun in pairwise(phrase):
            if not _light(modifier) and noun.key not in every_role_stem():
                yield modifier, noun


@lru_cache(maxsize=2)
def _phrases(alignment: Alignment) -> tuple[Phrases, Phrases]:
    """The noun phrases of the original and those of the rewrite, each behind its article or number."""
    return tuple(_opened_phrases(alignment.before)), tuple(_opened_phrases(alignment.after))


def _opened_phrases(side: Sequence[Token]) -> Iterator[tuple[Token, list[Token]]]:
    """The words with content behind each article, owner or number, up to a verb, a function word or a mark.

    What stands right before an article or a number is taken for a verb: the store sells 5 pens.
    """
    for place, opening in enumerate(side):
        if not (opening.quantity or opening.word in _words("determiners")):
            continue
        phrase: list[Token] = []
        for token in side[place + 1 : place + 1 + _LONGEST]:
            if not token.content or token.type not in _IN_PHRASE or token.gap not in ("", "-") or _verb(token.word):
                break
            phrase.append(token)
        if len(phrase) > 1 and _object_follows(side[place + 1 + len(phrase) : place + 2 + len(phrase)]):
            phrase.pop()
        if phrase:
            yield opening, phrase


def _object_follows(behind: Sequence[Token]) -> bool:
    """Whether an article or a number stands right behind a phrase, so that its last word is a verb."""
    return bool(behind) and not behind[0].gap and (behind[0].quantity or behind[0].word in _words("determiners"))


def _light(modifier: Token) -> bool:
    """Whether a word restricts nothing, or other rules look after it."""
    word = modifier.word
    return word.endswith("ly") or word in _words("light") or modifier.key in every_role_stem()


def _verb(word: str) -> bool:
    return is_verb(word) or word in _words("verbs")


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(template_yaml(MODIFIERS)[name].split())
