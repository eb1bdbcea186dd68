"""What a problem reckons with: the things that it counts and asks for, and what it measures."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from semifactual.resources import template_yaml
from semifactual.text.document import Document
from semifactual.text.lexicon import irregular_verbs, without_possessive, word_types
from semifactual.text.spans import SpanType
from semifactual.text.values import QUANTITIES
from semifactual.validate.wording.questions import question_of
from semifactual.validate.words import content_stems, is_content, stem

INTERACTION = "checks/interaction.yaml"

_NOUNS = frozenset({SpanType.WORD, SpanType.KEYWORD, SpanType.UNIT, SpanType.COMPARISON, SpanType.NAME})
AMOUNTS = frozenset(
    {SpanType.NUMBER, SpanType.NUMBER_WORD, SpanType.CURRENCY, SpanType.PERCENT, SpanType.ORDINAL, SpanType.RATIO}
)
"""The types of spans that say how much or how many."""
SYMBOLIC = frozenset({SpanType.MATH, SpanType.LATEX, SpanType.VARIABLE, SpanType.OPERATOR, SpanType.CODE})
"""The types of spans that are mathematics."""
_CLOCKS = frozenset({SpanType.TIME, SpanType.DATE})
_DISTRIBUTIVES = frozenset({"each", "every", "per", "many", "all", "both", "another", "more"})
_LOOKS = frozenset({"colour", "size"})
"""Dimensions that no unit measures."""
_GOVERNED = re.compile(
    r"\b(?:at|from|for|on|in)\s+(?:(?:the|an?|his|her|their)\s+)?((?:[a-z'’]+ ?){1,3})", re.IGNORECASE
)
_REACH = 3
"""Words behind a number among which the noun that it counts is looked for."""
_EVERYTHING = "things"
"""The class of nouns that stand for anything: items, objects."""
_PEOPLE = "people"
_AGENT = re.compile(r"(?:er|or|ist|ee|ian|ant)s?\Z")
"""Endings of nouns that often mean persons."""


@dataclass(frozen=True, slots=True)
class Reckoning:
    """What an added statement must not touch."""

    stems: frozenset[str]
    """The stems of all content words."""
    counted: frozenset[str]
    """Those of the words that a number or a distributive word stands before, and of what is asked for."""
    asked: frozenset[str]
    dimensions: frozenset[str]
    classes: frozenset[str]
    symbolic: bool
    """Whether the problem is written in formulas and variables."""
    names: frozenset[str]
    """The names in it, in lower case."""
    places: frozenset[str]
    """The stems of what the question limits itself to: "at the fair", "from the sale", "for the pears"."""

    def counts_like(self, words: Iterable[str]) -> str | None:
        """The first of these words that is counted here, or may count as something that is."""
        for word in words:
            if stem(word) in self.counted:
                return word
            theirs = classes_of(word) or ({_PEOPLE} if _AGENT.search(word) else frozenset())
            if theirs & self.classes or (theirs and _EVERYTHING in self.classes):
                return word
        return None


@lru_cache(maxsize=8)
def reckoning(document: Document) -> Reckoning:
    """What a problem's text reckons with. Cached, because all rewrites of a problem ask for it."""
    asked = frozenset(question_of(document).asked_for)
    counted = asked | frozenset(map(stem, _counted(document)))
    names = {stem(name) for name in document.pieces(SpanType.NAME)}
    names -= {stem(word) for word in document.pieces(SpanType.WORD, SpanType.KEYWORD) if word.islower()}
    classes = frozenset(name for word in counted for name in _classes().get(word, ()))
    stems = frozenset(content_stems(document.words))
    symbolic = any(document.of_type(*SYMBOLIC))
    spelled = frozenset(without_possessive(name).lower() for name in document.pieces(SpanType.NAME))
    places = frozenset(word for start, end in document.questions[-1:] for word in governed(document, start, end))
    measured = dimensions(document)
    return Reckoning(
        stems - names, counted - names, asked - names, measured, classes, symbolic, spelled, places - names
    )


def governed(document: Document, start: int, end: int) -> frozenset[str]:
    """The stems of the nouns that certain prepositions of a stretch of text govern: "at the fair", "for pears"."""
    found: set[str] = set()
    for match in _GOVERNED.finditer(document.text, start, end):
        noun = next((word for word in reversed(match[1].lower().split()) if is_content(word)), "")
        if noun and word_types().get(noun) is None and not dimensions_of(noun):
            found.add(stem(noun))
    return frozenset(found)


@cache
def dimensions_of(word: str) -> frozenset[str]:
    """What a word measures, if it is one of measuring."""
    return frozenset(name for name, listed in _dimensions().items() if word in listed and name not in _LOOKS)


def _counted(document: Document) -> set[str]:
    """The content words right behind a number, a formula or a distributive word, within the clause."""
    found: set[str] = set()
    left = 0
    for span in document.spans:
        piece = span.of(document.text).lower()
        if span.type in QUANTITIES or span.type is SpanType.MATH or piece in _DISTRIBUTIVES:
            left = _REACH
        elif span.type in _NOUNS and left:
            if is_content(piece):
                found.add(piece)
                left -= 1
            elif piece not in ("of", "the"):
                left = 0
        elif span.type is not SpanType.SPACE and piece != "-":
            left = 0
    return found


def dimensions(document: Document) -> frozenset[str]:
    """What a text measures: money, time, length ... by the words that speak of it."""
    ordinals = {piece.lower() for piece in document.pieces(SpanType.ORDINAL)}
    words = set(document.words) - ordinals
    found = {name for name, listed in _dimensions().items() if not words.isdisjoint(listed)}
    types = {span.type for span in document.spans}
    if SpanType.CURRENCY in types or "\\$" in document.text:
        found.add("money")
    if types & _CLOCKS:
        found.add("time")
    return frozenset(found)


@cache
def interaction_words(name: str) -> frozenset[str]:
    """One list of interaction.yaml."""
    return frozenset(template_yaml(INTERACTION)[name].split())


@cache
def _dimensions() -> dict[str, frozenset[str]]:
    return {name: frozenset(words.split()) for name, words in template_yaml(INTERACTION)["dimensions"].items()}


@cache
def _classes() -> dict[str, frozenset[str]]:
    """For the stem of each listed noun, its classes."""
    found: dict[str, set[str]] = {}
    for name, words in template_yaml(INTERACTION)["classes"].items():
        for word in words.split():
            found.setdefault(stem(word), set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}


def classes_of(word: str) -> frozenset[str]:
    """The classes of a noun."""
    return _classes().get(stem(word), frozenset())


@cache
def change_stems() -> frozenset[str]:
    """The stems of the verbs that change how much there is of something."""
    return frozenset(stem(verb) for verb in interaction_words("changes") if "-" not in verb)


@cache
def _past_changes() -> frozenset[str]:
    """Irregular forms of those verbs that are no other word: ate, given, sold."""
    listed = interaction_words("changes")
    verbs = {base: forms for base, forms in irregular_verbs().items() if base in listed}
    return frozenset(form for base, forms in verbs.items() for form in forms if form != base)


def is_change(word: str) -> bool:
    """Whether a lower-case word is plainly a form of a verb that changes an amount, and hardly a noun: ate, added."""
    if word in _past_changes():
        return True
    return word.endswith(("ed", "ing")) and stem(word) in change_stems() and not classes_of(word)
