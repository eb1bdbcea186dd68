"""The eight categories of tokens by which drift is reported, from a token's text alone."""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from functools import cache

from semifactual.resources import template_lines


class Category(StrEnum):
    """What a token is. Every text falls into exactly one."""

    REFLECTION = "reflection marker"
    """A word with which a response turns back on itself: wait, but, alternatively, ..."""
    CONNECTIVE = "discourse connective"
    """A word that ties statements together, and is no reflection marker: and, if, therefore, ..."""
    WORD = "word"
    """Holds a letter, and is none of the above."""
    PUNCTUATION = "punctuation"
    """Only characters that Unicode calls punctuation, none of them a mathematical symbol."""
    MATH = "math symbol"
    """Begins with a backslash, or has no letter and a character of mathematics or LaTeX."""
    NUMBER = "number"
    """A signed integer, decimal or percentage."""
    WHITESPACE = "whitespace"
    """Only white space."""
    OTHER = "other"
    """The rest: control tokens, pieces of characters, pictures."""


CATEGORIES = tuple(Category)

_NUMBER = re.compile(r"[+\-−]?(?:\d+(?:,\d{3})*(?:\.\d*)?|\.\d+)\\?%?")
_CONTROL = re.compile(r"<\|[^<>]*\|>|</?(?:s|[a-z_]{3,})>|<0x[0-9A-F]{2}>")
"""Texts that no writer means as text: chat markers, tags of thought, bytes that stand for a part of a character."""
_BROKEN = "\N{REPLACEMENT CHARACTER}"


def categorise(text: str) -> Category:
    r"""The category of a token with this text.

    Case, surrounding space and punctuation at the edges are ignored where words and numbers are matched.

    >>> categorise(" Wait,").value, categorise("\\therefore").value, categorise(" 3.5%").value
    ('reflection marker', 'math symbol', 'number')
    """
    if not text or _BROKEN in text:
        return Category.OTHER
    inner = text.strip()
    if not inner:
        return Category.WHITESPACE
    if _CONTROL.fullmatch(inner):
        return Category.OTHER
    if inner.startswith("\\"):
        return Category.MATH
    return _lexical(inner) or _by_characters(inner)


def _lexical(inner: str) -> Category | None:
    """The category of a listed word or a number; None for anything else."""
    core = _without_edges(inner)
    word = core.casefold()
    if word in _words("tokens/reflections.txt"):
        return Category.REFLECTION
    if word in _words("tokens/connectives.txt"):
        return Category.CONNECTIVE
    if _NUMBER.fullmatch(inner) or _NUMBER.fullmatch(core) or _NUMBER.fullmatch(_without_edges(inner, kept="%+-−.")):
        return Category.NUMBER
    return None


def _by_characters(inner: str) -> Category:
    symbols = _math_symbols()
    math = [character in symbols or unicodedata.category(character) == "Sm" for character in inner]
    punctuation = [_is_punctuation(character) for character in inner]
    if any(math) and all(map(max, math, punctuation)):
        return Category.MATH
    if all(punctuation):
        return Category.PUNCTUATION
    if any(map(str.isalpha, inner)):
        return Category.WORD
    return Category.MATH if any(math) else Category.OTHER


def _without_edges(text: str, kept: str = "") -> str:
    """The text without punctuation and space at its ends; characters in `kept` do not count as punctuation."""
    first, last = 0, len(text)
    while first < last and _is_edge(text[first], kept):
        first += 1
    while last > first and _is_edge(text[last - 1], kept):
        last -= 1
    return text[first:last]


def _is_edge(character: str, kept: str) -> bool:
    return character not in kept and (character.isspace() or _is_punctuation(character))


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character).startswith("P")


@cache
def _words(template: str) -> frozenset[str]:
    return frozenset(word for line in template_lines(template) for word in line.split())


@cache
def _math_symbols() -> frozenset[str]:
    return frozenset(symbol for line in template_lines("tokens/math_symbols.txt") for symbol in line.split())
