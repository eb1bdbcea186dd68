"""Of what gender the persons of a text are: what titles and pronouns say of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from semifactual.text.lexicon import Gender, gender_of_names, gendered_words, names_of
from semifactual.text.persons import given_name, word_before

_Places = dict[str, int]
"""Persons by their keys, and where each is named first."""

_SENTENCE_ENDS = frozenset(".?!")


def own_gender(name: str) -> Gender | None:
    """The gender that a name tells beyond doubt; None for a name of either gender.

    >>> own_gender("Ines"), own_gender("Courtney")
    (<Gender.FEMALE: 'female'>, None)
    """
    return gender_of_names().get(given_name(name))


def usual_gender(name: str) -> Gender | None:
    """The gender that a reader expects behind a name, be it one of either gender; None where they expect none.

    >>> usual_gender("Ines"), usual_gender("Courtney"), usual_gender("Robin")
    (<Gender.FEMALE: 'female'>, <Gender.FEMALE: 'female'>, None)
    """
    return own_gender(name) or _expected().get(given_name(name))


@cache
def _expected() -> dict[str, Gender]:
    return {name: gender for gender in Gender for name in names_of(f"mostly_{gender.value}")}


def named_as(tokens: Sequence[str], place: int) -> Gender | None:
    """The gender that the title or relation right before a name tells: her brother Robin."""
    return gendered_words("named_as").get(word_before(tokens, place).lower())


def told_genders(tokens: Sequence[str], persons: Mapping[int, str]) -> dict[str, set[Gender]]:
    """What titles, relations and the pronouns that can stand for one person alone say of gender, by the person's key.

    `persons` has the keys of all persons by the places of their names. A pronoun stands for somebody of its sentence or
    the one before, or for anybody before where these name nobody, but for nobody whose name tells another gender.
    """
    told: dict[str, set[Gender]] = defaultdict(set)
    for place, key in persons.items():
        if (gender := named_as(tokens, place)) is not None:
            told[key].add(gender)
    for gender, here, before, ever in _references(tokens, persons):
        able = _able(gender, tokens, here | before) or _able(gender, tokens, ever)
        if len(able) == 1:
            told[able[0]].add(gender)
    return told


def likely_genders(tokens: Sequence[str], persons: Mapping[int, str]) -> dict[str, Gender]:
    """The gender that a reader supposes for each person, by key: what most pronouns say.

    Where a pronoun may stand for several persons, it counts for the first that its own sentence names, else for the
    first of the sentence before.
    """
    votes: dict[str, Counter[Gender]] = defaultdict(Counter)
    for gender, here, before, ever in _references(tokens, persons):
        for group in (here, before, ever):
            able = _able(gender, tokens, group)
            if able:
                votes[able[0]][gender] += 1
                break
    return {key: counted.most_common(1)[0][0] for key, counted in votes.items()}


def _able(gender: Gender, tokens: Sequence[str], named: _Places) -> list[str]:
    """The keys of the persons whose names do not tell another gender."""
    return [key for key, place in named.items() if own_gender(tokens[place]) in (gender, None)]


def _references(
    tokens: Sequence[str], persons: Mapping[int, str]
) -> Iterator[tuple[Gender, _Places, _Places, _Places]]:
    """Each pronoun's gender, and the persons named before it in its sentence, in the one before, and ever, in order."""
    ever: _Places = {}
    before: _Places = {}
    here: _Places = {}
    told = gendered_words("pronouns")
    for place, token in enumerate(tokens):
        if token in _SENTENCE_ENDS:
            before, here = here, {}
        elif place in persons:
            ever.setdefault(persons[place], place)
            here.setdefault(persons[place], place)
        elif (gender := told.get(token.lower())) is not None:
            yield gender, here, before, ever
