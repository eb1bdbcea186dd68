"""Units of measure and counted nouns: what the words after a value mean."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from semifactual.resources import template_yaml

from .tree import Unit
from .words import words

PERCENT = Unit((("percent", 1),), text="%")
DEGREE = Unit((("degree", 1),), text="degree")
ANY = Unit((), text="units")
"""The word "units" itself: it names no dimension."""

MULTIPLES = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
"""Words between a number and its unit that multiply it."""

LETTER_UNITS = frozenset("mhgsLlNJWVKA")
"""Single letters that may be units after a number: otherwise they are variables."""

_NOT_A_NOUN = frozenset(
    words(
        "less more than least most not no or and but if mod modulo plus minus times over under approximately"
        " about around possibly maybe perhaps roughly remainder point any all some larger smaller greater each"
        " other is are was be the of to from with without between when where for as at by in on up also either"
        " neither both nor then so because one two three four five six seven eight nine ten zero none nan null"
        " undefined true false yes solution solutions answer base radix squared cubed factorial half halves third"
        " thirds quarter quarters fourths fifths sixths sevenths eighths ninths tenths hundredths thousandths"
        " double triple twice power root negative positive wrong incorrect infinity infinite pi score gross"
    )
)
"""Words that make what follows a number more than a counted thing: "5 or more", "40 less than 100", "5 thirds"."""

_PREFIXES = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_SUFFIXES = {"squared": 2, "cubed": 3}
MAX_NOUN_WORDS = 3


class NotAUnit(ValueError):
    """Words after a value that are neither a unit nor a counted noun."""


@cache
def _table() -> dict[str, Unit]:
    """Every name of every unit in templates/answers/units.yaml."""
    table: dict[str, Unit] = {}
    for size, *names in template_yaml("answers/units.yaml"):
        factor, *terms = str(size).split()
        powers = tuple(sorted((base, int(power or 1)) for base, _, power in (term.partition("^") for term in terms)))
        top, _, bottom = factor.partition("/")
        unit = Unit(powers, Fraction(top) / Fraction(bottom or 1), str(names[0]))
        for name in map(str, names):
            table[name] = unit
            if len(name) >= 4:
                table[name.lower()] = table[name.lower() + "s"] = unit
    return table


def _known(word: str) -> Unit | None:
    table = _table()
    return table.get(word) or (table.get(word.lower()) if len(word) >= 3 else None)


def is_unit_word(word: str) -> bool:
    """Whether a run of letters after a value names a unit of measure."""
    return len(word) > 1 and (word.lower() in _PREFIXES or _known(word) is not None)


def named(word: str) -> Unit:
    """The unit that a word names; a word that no table knows is a counted noun of its own.

    >>> named("km").factor
    Fraction(1000, 1)
    >>> named("apples") == named("apple")
    True
    """
    unit = _known(word)
    if unit is not None:
        return unit
    lowered = word.lower()
    if lowered in _NOT_A_NOUN or lowered in MULTIPLES:
        raise NotAUnit(word)
    return Unit(((f"#{_singular(lowered)}", 1),), text=_singular(lowered))


_IRREGULAR = {
    "people": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "mice": "mouse",
    "geese": "goose",
}


def _singular(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def combine(parts: Sequence[tuple[str, int]]) -> Unit:
    """The unit of a phrase such as ``[("square", 1), ("feet", 1)]`` or ``[("km", 1), ("h", -1)]``.

    Raises NotAUnit when a word cannot belong to a unit, or when the words are too many to be a noun.
    """
    terms: list[tuple[Unit, int]] = []
    pending = 1
    for word, power in parts:
        lowered = word.lower()
        if lowered in _PREFIXES:
            pending = _PREFIXES[lowered]
        elif lowered in _SUFFIXES and terms:
            unit, exponent = terms.pop()
            terms.append((unit, exponent * _SUFFIXES[lowered]))
        else:
            terms.append((ANY if lowered in {"unit", "units"} else named(word), power * pending))
            pending = 1
    return _product(terms)


def _product(terms: Sequence[tuple[Unit, int]]) -> Unit:
    powers: dict[str, int] = {}
    factor = Fraction(1)
    for unit, exponent in terms:
        factor *= unit.factor**exponent
        for base, size in unit.powers:
            powers[base] = powers.get(base, 0) + size * exponent
    if sum(base.startswith("#") for base in powers) > MAX_NOUN_WORDS:
        raise NotAUnit("more words than a counted noun has")
    text = " ".join(unit.text if exponent == 1 else f"{unit.text}^{exponent}" for unit, exponent in terms)
    return Unit(tuple(sorted((base, size) for base, size in powers.items() if size)), factor, text)
