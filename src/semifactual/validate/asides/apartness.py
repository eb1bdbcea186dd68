"""Sentences that stand apart: they tell of somebody else, of elsewhere, of another time, or take back what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from semifactual.text.document import Document
from semifactual.text.lexicon import gendered_words, without_possessive, word_types
from semifactual.text.spans import SpanType
from semifactual.text.values import quantity_value
from semifactual.validate.asides.reckoning import AMOUNTS, Reckoning, classes_of, governed, interaction_words
from semifactual.validate.words import is_content, stem

_NOUNS = frozenset({SpanType.WORD, SpanType.KEYWORD, SpanType.UNIT})
_LONGEST_NOUN = 3
_OTHER_TIME = re.compile(
    r"\b(?:last|next|the previous) (?:year|month|week|summer|season)\b|\bthe year before\b|\byesterday\b|\btomorrow\b"
)
_TURN = re.compile(r"\b(?:but|however|although|though|yet)\b")
_TAKEN_BACK = re.compile(
    r"\b(?:expired|refus\w+|declin\w+|reject\w+|ignor\w+|never|not|cancel\w*|mind|back|return(?:s|ed)?)\b|n['’]t\b"
)
_THERE = re.compile(
    r"\bthere (?:is|are|was|were) (?:also )?(?:an?|another) (?P<thing>[a-z]+(?: [a-z]+)??)"
    r"(?= (?:with|of|in|that|who|which)\b|[,.]|$)"
)
_PRONOUNS = frozenset({"he", "she", "they", "him", "her", "them", "his", "their", "i", "we", "my", "our", "you"})


def counted_amounts(sentence: Document) -> Iterator[str | None]:
    """For each amount, the noun that it counts; None where it counts none: a price, a share, "another 12"."""
    run: list[str] | None = None
    for span in sentence.spans:
        word = span.of(sentence.text).lower()
        if span.type in AMOUNTS:
            if run is not None:
                yield _head(run)
            run = []
        elif run is not None and (span.type is SpanType.SPACE or word == "-" or word in interaction_words("skipped")):
            continue
        elif run is not None and span.type in _NOUNS and is_content(word) and len(run) < _LONGEST_NOUN:
            run.append(word)
        elif run is not None:
            yield _head(run)
            run = None
    if run is not None:
        yield _head(run)


def _head(run: list[str]) -> str | None:
    """The first plural of some words, or else the last: chocolate bars, brown bread."""
    return next((word for word in run if word.endswith("s")), run[-1] if run else None)


def introduced(sentence: Document) -> list[str]:
    """The words for what "there is" says that there is one of."""
    there = _THERE.search(sentence.text.lower())
    return there["thing"].split() if there else []


def stands_apart(sentence: Document, known: Reckoning) -> bool:
    """Whether the sentence tells of what the problem may well leave alone, whatever it tells."""
    text = sentence.text.lower()
    if _OTHER_TIME.search(text) or _is_taken_back(sentence, text):
        return True
    if (thing := introduced(sentence)) and not any(stem(word) in known.counted for word in thing):
        return True
    return _is_of_others(sentence, known) or _is_elsewhere(sentence, known)


def _is_taken_back(sentence: Document, text: str) -> bool:
    """Whether what a sentence tells is undone in it: she has a coupon, but it has expired."""
    turn = _TURN.search(text, 1)
    if turn is None:
        return False
    if _TAKEN_BACK.search(text, turn.end()):
        return True
    before: set[object] = set()
    after: set[object] = set()
    for span in sentence.of_type(*AMOUNTS):
        (before if span.end <= turn.start() else after).add(quantity_value(sentence.text, span))
    return bool(before) and before == after


def _is_of_others(sentence: Document, known: Reckoning) -> bool:
    """Whether the sentence speaks of persons, none of whom the problem speaks of."""
    if not _PRONOUNS.isdisjoint(sentence.words):
        return False
    names = {without_possessive(name).lower() for name in sentence.pieces(SpanType.NAME)}
    nouns = {word for word in sentence.words if "people" in classes_of(word) or word in gendered_words("named_as")}
    persons = names | nouns
    return bool(persons) and persons.isdisjoint(known.names) and not any(stem(word) in known.stems for word in persons)


def _is_elsewhere(sentence: Document, known: Reckoning) -> bool:
    """Whether the question is about one place or thing alone, and the sentence about another."""
    if not known.places or not known.places.isdisjoint(stem(word) for word in sentence.words):
        return False
    heads = {head for head in counted_amounts(sentence) if head and word_types().get(head) is not SpanType.UNIT}
    others = governed(sentence, 0, len(sentence.text)) | {stem(head) for head in heads}
    return not others <= known.stems
