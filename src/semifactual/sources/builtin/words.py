"""English for templates: plurals, articles and pronouns of the words in templates/problems/words.yaml."""

from __future__ import annotations

import re
from functools import cache

from semifactual.resources import template_yaml

WORDS = "problems/words.yaml"
PERSON = "person"

_PRONOUNS = {
    "she": {"he": "she", "him": "her", "his": "her", "himself": "herself"},
    "he": {"he": "he", "him": "him", "his": "his", "himself": "himself"},
}
_SENTENCE_START = re.compile(r"(?:^|(?<=[.?!] ))[a-z]")
_SOUNDS_LIKE_CONSONANT = ("uni", "use", "uti", "eu", "one")
_SILENT_H = ("hour", "honest", "heir")


def word_list(name: str) -> tuple[str, ...]:
    """The words of one list; KeyError for a name that no list has."""
    words = template_yaml(WORDS)
    if name == PERSON:
        return tuple(sorted(_gender()))
    return tuple(words["things"][name])


def word_form(word: str, form: str) -> str:
    """A form of a word: ``s`` is the plural of a thing; ``he him his himself`` are the pronouns of a person.

    >>> word_form("loaf/loaves", ""), word_form("loaf/loaves", "s"), word_form("Lena", "his")
    ('loaf', 'loaves', 'her')
    """
    if form == "":
        return word.partition("/")[0]
    if form == "s":
        return plural(word)
    return _PRONOUNS[_gender()[word]][form]


def plural(noun: str) -> str:
    """The plural of a noun, or what stands behind its slash.

    >>> plural("box"), plural("berry"), plural("toy"), plural("shelf/shelves")
    ('boxes', 'berries', 'toys', 'shelves')
    """
    singular, _, irregular = noun.partition("/")
    if irregular:
        return irregular
    if singular.endswith(("s", "x", "z", "ch", "sh")):
        return singular + "es"
    if singular.endswith("y") and singular[-2] not in "aeiou":
        return singular[:-1] + "ies"
    return singular + "s"


def article(following: str) -> str:
    """``a`` or ``an``, by the sound of what follows, be it a word or a number in digits.

    >>> article("umbrella"), article("uniform"), article("80"), article("18"), article("12")
    ('an', 'a', 'an', 'an', 'a')
    """
    if following[0].isdigit():
        return "an" if following[0] == "8" or following in ("11", "18") else "a"
    if following.startswith(_SILENT_H):
        return "an"
    return "an" if following[0].lower() in "aeiou" and not following.startswith(_SOUNDS_LIKE_CONSONANT) else "a"


def with_capitals(text: str) -> str:
    """`text` with a capital at the start of each sentence."""
    return _SENTENCE_START.sub(lambda match: match[0].upper(), text)


@cache
def _gender() -> dict[str, str]:
    people = template_yaml(WORDS)["people"]
    return {name: pronoun for pronoun, names in people.items() for name in names}
