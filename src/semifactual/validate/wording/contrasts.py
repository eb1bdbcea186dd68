"""Words that exclude each other: one may not take another's place, whatever else a rewrite does."""

from __future__ import annotations

from collections import Counter
from functools import cache

from semifactual.resources import template_yaml
from semifactual.text.lexicon import word_list
from semifactual.text.spans import ALPHABETIC
from semifactual.validate.contract import Pair, check
from semifactual.validate.verdict import Finding, failed, passed
from semifactual.validate.wording.alignment import Token
from semifactual.validate.wording.modifiers import MODIFIERS
from semifactual.validate.wording.roles import converse
from semifactual.validate.words import meaning

CONTRASTS = "checks/contrasts.yaml"


_PREFIXES = ("over", "under", "un", "in", "im", "dis", "mis", "non", "ir", "out", "up", "down", "de", "ex")
_SHORTEST_CORE = 4


@check("contrasts", "no word replaced by one that excludes it: bought by sold, boys by girls, and by or")
def contrasts(pair: Pair) -> Finding:
    if pair.in_other_words:
        return _in_place(pair)
    changes = pair.alignment.changes
    before = Counter(_said(token) for change in changes for token in change.before)
    after = Counter(_said(token) for change in changes for token in change.after)
    lost, gained = before - after, after - before
    for change in changes:
        gone, come = ({_said(token) for token in side} for side in (change.before, change.after))
        for word in sorted(gone & lost.keys() & _alternatives().keys()):
            for other in sorted(come & gained.keys() & _alternatives()[word]):
                return failed(_became(pair, word, other))
    for word in sorted(lost.keys() & _fixed()):
        for other in sorted(gained.keys() & _alternatives()[word]) if _vanished(pair, word) else ():
            return failed(_became(pair, word, other))
    cores = {core: word for word in pair.alignment.lost if word.isalpha() for core in _cores(word)}
    for other in sorted(filter(str.isalpha, pair.alignment.gained)):
        if core := min(_cores(other) & cores.keys(), default=""):
            return failed(_became(pair, cores[core], other))
    return _exchanged(pair)


def _vanished(pair: Pair, word: str) -> bool:
    return all(_said(token) != word for token in pair.alignment.after)


def _became(pair: Pair, word: str, other: str) -> str:
    return f"{pair.alignment.written(word)!r} became {pair.alignment.written(other)!r}"


def _said(token: Token) -> str:
    """What a token says as a word: the first, which is a number too."""
    return meaning(token.word) if token.quantity else token.key


def _exchanged(pair: Pair) -> Finding:
    """Two words that stand where the other stood, the words around them being the same."""
    replaced = {
        (old.key, new.key)
        for change in pair.alignment.changes
        if len(change.before) == len(change.after)
        for old, new in zip(change.before, change.after, strict=True)
        if old.content and new.content and old.type in ALPHABETIC and new.type in ALPHABETIC and not new.quantity
    }
    turned = converse(pair)
    for word, other in sorted(replaced):
        if word < other and (other, word) in replaced and not turned:
            return failed(f"{pair.alignment.written(word)!r} and {pair.alignment.written(other)!r} changed places")
    return passed()


def _cores(word: str) -> set[str]:
    """A word, and what is left of it without a prefix that turns meanings round: overstate, untidy."""
    found = {word}
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= _SHORTEST_CORE:
            found.add(word[len(prefix) :])
    return found


def _in_place(pair: Pair) -> Finding:
    """The rule for a text that is told in other words: no single word became another that excludes it."""
    for change in pair.alignment.changes:
        if len(change.before) == len(change.after) == 1:
            word, other = change.before[0].key, change.after[0].key
            if other in _alternatives().get(word, ()):
                return failed(_became(pair, word, other))
    return passed()


@cache
def _fixed() -> frozenset[str]:
    """The words of contrasts that no turn of a sentence exchanges, as "buy from" and "sell to" are."""
    words = frozenset(word for line in template_yaml(CONTRASTS) for word in line.split())
    turning = word_list("function") | word_list("quantifier") | word_list("comparison") | _converses()
    return frozenset(map(meaning, words)) - frozenset(map(meaning, turning))


def _converses() -> frozenset[str]:
    return frozenset(template_yaml(MODIFIERS)["converse_verbs"].split())


@cache
def _alternatives() -> dict[str, frozenset[str]]:
    """For each stem that stands in contrasts.yaml, the stems that exclude it."""
    found: dict[str, set[str]] = {}
    for line in template_yaml(CONTRASTS):
        stems = {meaning(word) for word in line.split()}
        for word in stems:
            found.setdefault(word, set()).update(stems - {word})
    return {word: frozenset(others) for word, others in found.items()}
