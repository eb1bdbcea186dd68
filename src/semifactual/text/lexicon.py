"""The word lists behind the lexer, loaded once from templates/lexicon."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from semifactual.resources import template_lines, template_yaml
from semifactual.text.spans import SpanType

WORDS = "lexicon/words.yaml"


@cache
def word_list(name: str) -> frozenset[str]:
    """One of the lists of words.yaml, as lower-case words."""
    return frozenset(template_yaml(WORDS)[name].split())


@cache
def number_words() -> dict[str, Fraction]:
    """Every cardinal, fraction and multiplier word with its value."""
    return {word: Fraction(value) for word, value in template_yaml(WORDS)["number"].items()}


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
        ("ordinal", SpanType.ORDINAL),
    ):
        types.update(dict.fromkeys(word_list(name), span_type))
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


@cache
def first_names() -> frozenset[str]:
    """First names that are not ordinary words."""
    return _words_of("lexicon/first_names.txt")


@cache
def ambiguous_names() -> frozenset[str]:
    """Names that are ordinary words as well: Will, May, Rose, Bill."""
    return _words_of("lexicon/ambiguous_names.txt")


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
    from spellchecker import SpellChecker

    return frozenset(SpellChecker(distance=1).word_frequency.dictionary)
