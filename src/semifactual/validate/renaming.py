"""Rules for a rewrite that gives persons other names: which words changed, whose names they are, and who is who."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from semifactual.text.genders import named_as, own_gender, told_genders, usual_gender
from semifactual.text.lexicon import (
    common_words,
    first_names,
    gender_of_names,
    gendered_words,
    given_names,
    person_words,
    proper_nouns,
    word_list,
)
from semifactual.text.likeness import are_alike
from semifactual.text.persons import (
    as_name,
    given_name,
    is_person,
    name_key,
    names_person,
    pronouns,
    tokens_of,
    word_after,
    word_before,
)
from semifactual.text.renaming import Renaming, renaming
from semifactual.validate.contract import NOTHING_CHANGED, Pair, check
from semifactual.validate.verdict import Finding, failed, passed, undecided

_SHORTEST_NICKNAME = 3
_MOST_PERSONS = 60
"""Among more nobody keeps the names apart."""
_PLURALS = ("s", "es")
_LETTERS_OF_NAMES = re.compile(r"\bletters?\b[^.?!]{1,60}\bnames?\b|\bnames?\b[^.?!]{1,60}\bletters?\b", re.IGNORECASE)


def _of(pair: Pair) -> Renaming:
    return renaming(pair.original.text, pair.rewrite.text)


@check("only_words_replaced", "single words stand in the place of single words; all else is the same, byte for byte")
def only_words_replaced(pair: Pair) -> Finding:
    if pair.edit is None:
        return NOTHING_CHANGED
    found = _of(pair)
    if found.other:
        return failed(found.other)
    if not found.swaps:
        return failed("no word was replaced")
    for place in found.swaps:
        word, name = found.before[place], found.after[place]
        if len(word) < 2 or len(name) < 2:
            return failed(f"{word!r} became {name!r}: a single letter names no person")
        if not (_capitals(word) == _capitals(name) or (word.islower() and name.istitle())):
            return failed(f"{word!r} became {name!r}: the capitals differ")
    return passed(", ".join(f"{found.before[place]} -> {found.after[place]}" for place in found.swaps[:8]))


def _capitals(word: str) -> str:
    return "lower" if word.islower() else "upper" if word.isupper() else "title" if word[0].isupper() else "mixed"


@check("renamed_persons", "each replaced word is the name of a person or an animal, and so is the word in its stead")
def renamed_persons(pair: Pair) -> Finding:
    found = _of(pair)
    for place in found.swaps:
        if names_person(found.before, place) is False:
            return failed(f"{_around(found.before, place)!r} names no person")
    doubtful = ""
    for key, places in found.places.items():
        verdict = is_person(found.before, places)
        if verdict is False:
            return failed(f"{found.before[places[0]]!r} is no person")
        if verdict is None and not _is_plural(key, found.places):
            doubtful = doubtful or f"nothing shows that {found.before[places[0]]!r} is a person"
    surnames = {found.after[place] for place in found.swaps if _is_surname(found.after, place)}
    for place in found.swaps:
        name = given_name(found.after[place])
        if _names_something_else(name):
            return failed(f"{name!r} is no person's name")
        if name not in given_names() and name.lower() in common_words() and found.after[place] not in surnames:
            doubtful = doubtful or f"{name!r} may be no person's name"
    return undecided(doubtful) if doubtful else passed(f"{len(found.places)} persons")


def _names_something_else(name: str) -> bool:
    if name in given_names():
        return False
    if name.lower() in word_list("date") or name.lower() in word_list("function"):
        return True
    return name in proper_nouns("places", "peoples", "brands", "holidays", "place_nouns")


def _is_plural(key: str, names: Collection[str]) -> bool:
    """Whether a name is the plural of one of these names, as a family is called by it."""
    return any(key.endswith(ending) and key.removesuffix(ending) in names for ending in _PLURALS)


def _is_surname(tokens: Sequence[str], place: int) -> bool:
    """Whether a title, a capitalised word or the article of a family stands right before a word."""
    before = word_before(tokens, place)
    return before in given_names() or before.lower() in ("the", *gendered_words("named_as"))


def _around(tokens: Sequence[str], place: int) -> str:
    return "".join(tokens[max(0, place - 2) : place + 3]).strip()


@check("one_name_each", "one new name for each old one, wherever it stands, and none that the text has already")
def one_name_each(pair: Pair) -> Finding:
    found = _of(pair)
    owners: dict[str, str] = {}
    theirs = {name_key(token) for token in found.before if token[0].isalpha()}
    for key, names in found.new_names.items():
        keys = {name_key(name) for name in names}
        if len(keys) > 1:
            return failed(f"{as_name(key)} became {' and '.join(names)}")
        (new,) = keys
        if new in theirs:
            return failed(f"{as_name(key)} became {names[0]}, which the original has already")
        if owners.setdefault(new, key) != key:
            return failed(f"{as_name(owners[new])} and {as_name(key)} both became {names[0]}")
    changed = set(found.swaps)
    for places in found.places.values():
        for place in places:
            if not found.other and place not in changed and names_person(found.before, place) is not False:
                return failed(f"{_around(found.before, place)!r} keeps the old name")
    return _other_spellings(found)


def _other_spellings(found: Renaming) -> Finding:
    """Plurals, which must follow their name, and names of which one may be short for the other."""
    words = {name_key(token): token for token in found.before if token[0].isalpha() and token[0].isupper()}
    families = {
        name_key(word_after(found.before, place)) for place, token in enumerate(found.before) if token in ("the", "The")
    }
    for key, names in found.new_names.items():
        for plural in (f"{key}{ending}" for ending in _PLURALS):
            if plural not in words or words[plural] in first_names():
                continue
            if plural in common_words() and plural not in families:
                continue
            if set(found.new_names.get(plural, ())).isdisjoint(f"{names[0]}{ending}" for ending in _PLURALS):
                return failed(f"{words[plural]} is the plural of {as_name(key)}, and did not become one of {names[0]}")
    for short, long in pairwise(sorted(words)):
        if short in found.new_names or long in found.new_names:
            known = {gender_of_names().get(as_name(name)) for name in (short, long)} - {None}
            is_short = len(short) >= _SHORTEST_NICKNAME and long.startswith(short) and long not in (f"{short}s",)
            if is_short and len(known) < 2 and given_names().issuperset((words[short], words[long])):
                return undecided(f"{words[short]} may be short for {words[long]}")
    return passed()


@check("names_apart", "no new name that a reader would confuse with another person's")
def names_apart(pair: Pair) -> Finding:
    found = _of(pair)
    old = {key: found.before[place] for place, key in sorted(_persons(found).items(), reverse=True)}
    new = {key: names[0] for key, names in found.new_names.items()}
    if len(old) > _MOST_PERSONS:
        return passed("a list of names, not a story")
    for key, name in new.items():
        if _is_titled(found.before, found.places[key][0]):
            continue
        for other, kept in old.items():
            now = new.get(other, kept)
            if key != other and name_key(name) != name_key(now) and are_alike(name, now) and not are_alike(key, other):
                return failed(f"{as_name(key)} became {name}, too much like {now}")
    return passed()


@check("same_gender", "no new name is of another gender than the pronouns and titles that stand for its bearer")
def same_gender(pair: Pair) -> Finding:
    found = _of(pair)
    for place in found.swaps:
        told = named_as(found.before, place)
        gender = usual_gender(found.after[place])
        surname = _is_titled(found.before, place) and own_gender(found.before[place]) is not told
        if told and gender and told is not gender and not surname:
            return failed(f"{word_before(found.before, place)} {as_name(found.after[place])}")
    spoken = list(pronouns(found.before))
    if not spoken:
        return passed("no pronoun tells a gender")
    persons = _persons(found)
    told_of = told_genders(found.before, persons)
    for key, names in found.new_names.items():
        gender, place = usual_gender(names[0]), found.places[key][0]
        if gender is None or _is_titled(found.before, place):
            continue
        own = own_gender(found.before[place])
        if any(named_as(found.before, other) for other in found.places[key]):
            continue
        if len(set(persons.values())) == 1:
            if all(said is not gender for _, said in spoken):
                return failed(f"{names[0]} beside {found.before[spoken[0][0]]!r}")
        elif own is not None and own is not gender:
            return failed(f"{as_name(key)} became {names[0]}, of another gender")
        elif own is None and told_of.get(key, {gender}) != {gender}:
            return failed(f"a pronoun tells another gender of {as_name(key)}, who became {names[0]}")
    return passed()


def _is_titled(tokens: Sequence[str], place: int) -> bool:
    """Whether a word is a surname, which tells no gender: a title such as Mrs. or a given name stands before it."""
    before = word_before(tokens, place)
    return before in given_names() or before.lower() in word_list("title") - {"aunt", "uncle"}


def _persons(found: Renaming) -> dict[int, str]:
    """The keys of all persons of the original by the places of their names."""
    return {
        place: name_key(token)
        for place, token in enumerate(found.before)
        if token in first_names()
        or (token[0].isupper() and (name_key(token) in found.new_names or names_person(found.before, place)))
    }


@check("spelling_of_names", "neither the answer nor the question is about a name itself")
def spelling_of_names(pair: Pair) -> Finding:
    if pair.edit is None:
        return NOTHING_CHANGED
    found = _of(pair)
    answer = {name_key(token) for token in tokens_of(pair.answer or "") if token[0].isalpha()}
    if renamed := sorted(answer & found.new_names.keys()):
        return failed(f"the answer names {as_name(renamed[0])}")
    words = {token.lower() for token in found.before}
    spelt = sorted(words & person_words("spelling"))
    if spelt or _LETTERS_OF_NAMES.search(pair.original.text):
        return undecided(f"the text speaks of {spelt[0] if spelt else 'the letters of a name'}")
    return passed()
