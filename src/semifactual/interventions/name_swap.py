"""name_swap: one or all persons of a story get other names, of the same gender and new to the text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from random import Random

from semifactual.interventions.registry import intervention
from semifactual.text.document import Document
from semifactual.text.genders import likely_genders, named_as, own_gender, told_genders, usual_gender
from semifactual.text.lexicon import (
    Gender,
    first_names,
    given_names,
    names_of,
    person_words,
    proper_nouns,
    word_list,
)
from semifactual.text.likeness import are_alike, sound_of
from semifactual.text.persons import (
    is_person,
    name_key,
    names_person,
    pronouns,
    tokens_of,
    word_after,
    word_before,
)
from semifactual.text.spans import SpanType
from semifactual.types import Draft, Family
from semifactual.validate.common import COMMON
from semifactual.validate.contract import Contract
from semifactual.validate.renaming import (
    names_apart,
    one_name_each,
    only_words_replaced,
    renamed_persons,
    same_gender,
    spelling_of_names,
)

CONTRACT = Contract(
    checks=(*COMMON, only_words_replaced, renamed_persons, one_name_each, names_apart, same_gender, spelling_of_names),
    frozen=frozenset(SpanType) - {SpanType.NAME},
    guarded=frozenset({SpanType.NAME}),
)

NAMES = "lexicon/first_names.yaml"

_DRAFTS = 6
_MOST_PERSONS = 60
_TELLING = 3
"""Letters. Two names that begin with the same ones look like two spellings of one."""


@intervention(
    "name_swap",
    family=Family.ENTITY,
    contract=CONTRACT,
    summary="other names for one or all persons, everywhere in the text, of the same gender",
    example=(
        "Tessa has 8 shells, and her brother Omar has twice as many. How many shells does Omar have?",
        "Nadine has 8 shells, and her brother Felix has twice as many. How many shells does Felix have?",
    ),
    templates=(NAMES,),
)
def rewrite(original: Document, rng: Random) -> Iterator[Draft]:
    """Yield up to six drafts: all persons renamed and one of them alone, in turn, with other names each time."""
    tokens = tokens_of(original.text)
    places = _places_of_persons(tokens)
    if not 0 < len(places) <= _MOST_PERSONS:
        return
    if not person_words("spelling").isdisjoint(token.lower() for token in tokens):
        return
    everybody = sorted(places)
    genders = _genders(tokens, places)
    begun = {name_key(token)[:_TELLING] for token in tokens if token.isalpha()}
    others = _names(tokens)
    for number in range(_DRAFTS):
        chosen = everybody if number % 2 == 0 else [rng.choice(everybody)]
        names = _draw({old: genders[old] for old in chosen}, begun, others - set(chosen), rng)
        if len(names) < len(chosen):
            continue
        renamed = list(tokens)
        for old, new in names.items():
            for place in places[old]:
                renamed[place] = new
        yield Draft("".join(renamed), {"names": names})


def _places_of_persons(tokens: Sequence[str]) -> dict[str, list[int]]:
    """Where each person's name stands, for the persons who can be renamed beyond doubt."""
    spelt: dict[str, list[int]] = defaultdict(list)
    for place, token in enumerate(tokens):
        if token.isalpha():
            spelt[name_key(token)].append(place)
    return {
        tokens[places[0]]: places
        for key, places in spelt.items()
        if _is_clearly_person(tokens, places) and not any(_may_be_one(key, other) for other in spelt if other != key)
    }


def _may_be_one(key: str, other: str) -> bool:
    """Whether one word may be short for the other, or its plural."""
    short, long = sorted((key, other), key=len)
    return len(short) >= _TELLING and long.startswith(short)


def _is_clearly_person(tokens: Sequence[str], places: Sequence[int]) -> bool:
    """Whether all of `places` hold one given name in one spelling, which stands alone and names a person."""
    name = tokens[places[0]]
    if name not in given_names() or any(tokens[place] != name for place in places):
        return False
    for place in places:
        before, after = word_before(tokens, place), word_after(tokens, place)
        if before.lower() in word_list("title") or before in given_names() or after[:1].isupper():
            return False
        if names_person(tokens, place) is False or "".join(tokens[place + 1 : place + 2]) in ("'", "’", "-", "_"):
            return False
    return is_person(tokens, places) is True


def _names(tokens: Sequence[str]) -> frozenset[str]:
    """All given names of the text, and whatever else names a person there."""
    return frozenset(
        token
        for place, token in enumerate(tokens)
        if token in first_names() or (token[:1].isupper() and token.isalpha() and names_person(tokens, place))
    )


def _genders(tokens: Sequence[str], places: Mapping[str, Sequence[int]]) -> dict[str, Gender | None]:
    """Of what gender each person's new name must be: what pronouns say for certain, then the old name, then readers."""
    names = _names(tokens)
    persons = {place: name_key(token) for place, token in enumerate(tokens) if token in names}
    told, likely = told_genders(tokens, persons), likely_genders(tokens, persons)
    said = {gender for _, gender in pronouns(tokens)}
    alone = len(set(persons.values())) == 1
    genders: dict[str, Gender | None] = {}
    for name in places:
        key, own = name_key(name), own_gender(name)
        titles = {gender for place in places[name] if (gender := named_as(tokens, place))}
        certain = titles or (said if alone else set()) or ({own} if own else told.get(key, set()))
        if len(certain) == 1:
            (genders[name],) = certain
        else:
            genders[name] = None if certain else likely.get(key) or usual_gender(name)
    return genders


def _draw(genders: Mapping[str, Gender | None], begun: Set[str], others: Set[str], rng: Random) -> dict[str, str]:
    """A new name of the wanted gender for each person, unlike the `others`, and begun as no other word of the text is.

    The names of all persons begin with other letters too, as long as there are enough of these. Where the names run
    out, some persons get none.
    """
    taken, around = set(begun), set(others)
    names: dict[str, str] = {}
    for old, gender in genders.items():
        free = [name for name in _pool(gender) if name_key(name)[:_TELLING] not in taken]
        free = [name for name in free if not any(are_alike(name, other) for other in around)]
        if not free:
            break
        initials = {sound_of(other)[:1] for other in around}
        names[old] = rng.choice([name for name in free if sound_of(name)[:1] not in initials] or free)
        taken.add(name_key(names[old])[:_TELLING])
        around.add(names[old])
    return names


@cache
def _pool(gender: Gender | None) -> tuple[str, ...]:
    """The names to draw from: no word, place or mathematician, nobody in particular, and easy to set in a genitive."""
    names = [name for name in names_of(gender.value if gender else "either") if usual_gender(name) is gender]
    spared = proper_nouns("places", "peoples", "brands", "eponyms").union(names_of("spared"))
    return tuple(name for name in names if name in first_names() and name not in spared and name[-1] not in "sxz")
