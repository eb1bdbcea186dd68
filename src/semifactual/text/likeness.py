"""Names that a reader confuses: Jon and John, Shay and Shea, Alexa and Alexis."""

from __future__ import annotations

import re
from functools import lru_cache

from semifactual.text.edits import is_single_typo
from semifactual.text.persons import name_key

_BEGINNING = 3
"""Letters. Two names that begin with the same ones look like two spellings of one."""
_SOUNDS = (
    (r"ph", "f"),
    (r"sh|sch", "x"),
    (r"ck|q|c(?![eiyh])|ch(?=r)", "k"),
    (r"c(?=[eiy])|z", "s"),
    (r"\Ag(?=[eiy])", "j"),
    (r"ea\Z|a[iy]|e[iy](?!\Z)", "e"),
    (r"ee|ea|ie|ey|y", "i"),
    (r"(?<=.)h|e\Z", ""),
    (r"(.)\1+", r"\1"),
)
"""Spellings and the sound that each stands for, in the order in which they are replaced."""
_FOLDED = tuple((re.compile(spelling), sound) for spelling, sound in _SOUNDS)


def are_alike(first: str, second: str) -> bool:
    """Whether one letter tells two names apart, or they sound the same, or begin with the same three letters.

    >>> are_alike("Shay", "Shea"), are_alike("Tim", "Tom"), are_alike("Kathy", "Cathie"), are_alike("Ann", "Amy")
    (True, True, True, False)
    """
    one, other = name_key(first), name_key(second)
    begun = one[:_BEGINNING] == other[:_BEGINNING] and min(len(one), len(other)) >= _BEGINNING
    return begun or one == other or is_single_typo(one, other) or sound_of(one) == sound_of(other)


@lru_cache(maxsize=8192)
def sound_of(name: str) -> str:
    """How a name sounds, roughly: one letter for each sound."""
    heard = name_key(name)
    for spelling, sound in _FOLDED:
        heard = spelling.sub(sound, heard)
    return heard
