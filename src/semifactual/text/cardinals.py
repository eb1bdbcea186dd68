"""Whole numbers in words: how a number is spelled, and whether some words spell it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from semifactual.text.lexicon import number_words
from semifactual.text.values import word_value

LARGEST_SPELLED = 10**15 - 1
MAGNITUDES = frozenset({"hundred", "thousand", "million", "billion", "trillion"})


def spelled(number: int) -> str:
    """A number from 0 to `LARGEST_SPELLED` in words, without "and".

    Raises:
        ValueError: the number lies outside.

    >>> spelled(1250), spelled(30), spelled(99)
    ('one thousand two hundred fifty', 'thirty', 'ninety-nine')
    """
    if not 0 <= number <= LARGEST_SPELLED:
        raise ValueError(f"{number} has no words here")
    words = _words()
    if number < 100:
        tens = number // 10 * 10
        return words[number] if number in words else f"{words[tens]}-{words[number - tens]}"
    scale = max(value for value in words if value <= number and value >= 100)
    count, rest = divmod(number, scale)
    return f"{spelled(count)} {words[scale]}" + (f" {spelled(rest)}" if rest else "")


@cache
def _words() -> dict[int, str]:
    """The one word of each number that has one; the lexicon lists it before others of that value."""
    table: dict[int, str] = {}
    for word, value in number_words().items():
        if value.denominator == 1:
            table.setdefault(int(value), word)
    return table


@cache
def cardinal_words() -> frozenset[str]:
    """The words that whole numbers are spelled with."""
    return frozenset(_words().values())


def bare_words(words: str) -> str:
    """Number words in the form that all spellings of a number share: no capitals, hyphens, commas and "and".

    >>> bare_words("One hundred and twenty-five"), bare_words("a thousand, two hundred")
    ('one hundred twenty five', 'one thousand two hundred')
    """
    plain = [word for word in words.lower().replace("-", " ").replace(",", " ").split() if word != "and"]
    if plain[:1] == ["a"] and plain[1:2] and plain[1] in MAGNITUDES:
        plain[0] = "one"
    return " ".join(plain)


def spellings(number: int) -> Iterator[str]:
    """The bare words of a number, and those that count it in hundreds: fifteen hundred."""
    yield bare_words(spelled(number))
    hundreds, rest = divmod(number, 100)
    if 11 <= hundreds <= 99 and hundreds % 10:
        yield bare_words(f"{spelled(hundreds)} hundred" + (f" {spelled(rest)}" if rest else ""))


def is_cardinal(words: str) -> bool:
    """Whether some words spell one whole number, as "twenty five" does and "five twenty" does not."""
    bare = bare_words(words)
    value = word_value(bare) if bare and cardinal_words().issuperset(bare.split()) else None
    return value is not None and value <= LARGEST_SPELLED and bare in spellings(int(value))
