"""The word lists behind the lexer, loaded once from templates/lexicon."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from functools import cache

from semifactual.resources import template_lines, template_yaml
from semifactual.text.spans import SpanType

WORDS = "lexicon/words.yaml"

_COMMON = 1500
"""Occurrences in the corpus behind pyspellchecker's list."""


@cache
def word_list(name: str) -> frozenset[str]:
    """One of the lists of words.yaml, as lower-case words."""
    return frozenset(template_yaml(WORDS)[name].split())


@cache
def number_words() -> dict[str, Fraction]:
    """Every cardinal, fraction and multiplier word with its value."""
    return {word: Fraction(value) for word, value in template_yaml(WORDS)["number"].items()}


@cache
def ordinal_words() -> dict[str, Fraction]:
    """Every ordinal word with its place, those included that have another meaning too: second, third."""
    return {word: Fraction(place) for word, place in template_yaml(WORDS)["ordinal"].items()}


@cache
def word_types() -> dict[str, SpanType]:
    """The type of each lower-case word that is more than an ordinary word."""
    types: dict[str, SpanType] = {}
    for name, span_type in (
        ("meridiem", SpanType.TIME),
        ("time", SpanType.TIME),
        ("unit", SpanType.UNIT),
        ("keyword", SpanType.KEYWORD),
        ("quantifier", SpanType.QUANTIFIER),
        ("comparison", SpanType.COMPARISON),
        ("negation", SpanType.NEGATION),
    ):
        types.update(dict.fromkeys(word_list(name), span_type))
    types.update(dict.fromkeys(ordinal_words(), SpanType.ORDINAL))
    types.update(dict.fromkeys(number_words(), SpanType.NUMBER_WORD))
    return types


@cache
def irregular_verbs() -> dict[str, tuple[str, ...]]:
    """The forms of every irregular verb by its base form, the past first."""
    return {base: tuple(forms.split()) for base, forms in template_yaml("lexicon/irregular_verbs.yaml").items()}


@cache
def base_of_irregular() -> dict[str, str]:
    """The base form of every irregular verb form: bought, buy; slept, sleep."""
    return {form: base for base, forms in irregular_verbs().items() for form in forms}


class Gender(StrEnum):
    """The genders that names, titles and pronouns tell."""

    FEMALE = "female"
    MALE = "male"


@cache
def names_of(gender: str) -> tuple[str, ...]:
    """The given names of one list, in alphabetical order: those of a gender, or ``either``."""
    return tuple(template_yaml("lexicon/first_names.yaml")[gender].split())


@cache
def gender_of_names() -> dict[str, Gender]:
    """What gender a given name tells; names of either gender are left out."""
    return {name: gender for gender in Gender for name in names_of(gender)}


@cache
def given_names() -> frozenset[str]:
    """All given names, those that are ordinary words included."""
    return frozenset(gender_of_names()) | frozenset(names_of("either"))


@cache
def first_names() -> frozenset[str]:
    """Given names that are not ordinary words."""
    return given_names() - ambiguous_names()


@cache
def ambiguous_names() -> frozenset[str]:
    """Names that are ordinary words as well: Will, May, Rose, Bill."""
    return _words_of("lexicon/ambiguous_names.txt")


@cache
def proper_nouns(*lists: str) -> frozenset[str]:
    """The words of some lists of proper_nouns.yaml, as they are written."""
    listed = template_yaml("lexicon/proper_nouns.yaml")
    return frozenset(word for name in lists for word in listed[name].split())


@cache
def person_words(name: str) -> frozenset[str]:
    """One of the lists of persons.yaml that is not told by gender, as lower-case words."""
    return frozenset(template_yaml("lexicon/persons.yaml")[name].split())


@cache
def gendered_words(name: str) -> dict[str, Gender | None]:
    """The words of one of the lists of persons.yaml that tell a gender, with it; None for words of either."""
    listed = template_yaml("lexicon/persons.yaml")[name].items()
    return {word: None if gender == "either" else Gender(gender) for gender, words in listed for word in words.split()}


def without_possessive(word: str) -> str:
    """The word without the ``'s`` of a possessive.

    >>> without_possessive("Nora's"), without_possessive("his")
    ('Nora', 'his')
    """
    return word.removesuffix("'s").removesuffix("’s")


def _words_of(template: str) -> frozenset[str]:
    return frozenset(word for line in template_lines(template) for word in line.split())


@cache
def english_words() -> frozenset[str]:
    """Lower-case English words, inflected forms included (pyspellchecker's list): is this a real word?"""
    return frozenset(_word_counts())


@cache
def common_words() -> frozenset[str]:
    """The English words that everybody uses. Rarer ones may well be names: granger, trisha."""
    return frozenset(word for word, count in _word_counts().items() if count >= _COMMON)


@cache
def _word_counts() -> dict[str, int]:
    from spellchecker import SpellChecker

    return dict(SpellChecker(distance=1).word_frequency.dictionary)
