"""Who is a person in a text: the words around a capitalised word tell Rose the gardener from a rose and a street."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence

from semifactual.text.lexicon import (
    Gender,
    ambiguous_names,
    base_of_irregular,
    common_words,
    first_names,
    gendered_words,
    given_names,
    irregular_verbs,
    person_words,
    proper_nouns,
    word_list,
)

_TOKEN = re.compile(r"(?<=[^\W\d_])['’]s?(?![^\W\d_])|[^\W\d_]+|\d+|\s+|.", re.DOTALL)

_JOINT = re.compile(r"[ '’-]")
_CAPITALISED = r"[^\W\d_a-zß-ÿ][^\W\d_]*"
_CHAIN = re.compile(rf"{_CAPITALISED}(?:[ '’-]{_CAPITALISED})+|{_TOKEN.pattern}", re.DOTALL)

_BEFORE_DATES = frozenset(
    {"in", "on", "since", "until", "till", "during", "of", "by", "last", "next", "every", "each", "early", "late",
     "mid", "from", "through", "before", "after"}
)  # fmt: skip
_BEFORE_PLACES = frozenset({"in", "near", "around", "across", "throughout", "visit", "visits", "visited", "visiting"})
_BEFORE_STRANGERS = frozenset({"as", "for", "with", "by", "to"})
"""What stands before names of persons, and less often before other names."""
_NEVER_NAMES = ("function", "ask", "discourse", "title")
_LONGEST_TITLE = 3
"""Words between the first word of an institution's name and the noun that says what it is."""


def tokens_of(text: str, names: Collection[str] = ()) -> list[str]:
    """The words, possessive endings, numbers, white spaces and marks of a text, which concatenate to it.

    Names of several words that `names` lists are one token each. Only a word's token begins with a letter.

    >>> tokens_of("Mary Ann's 2 figs", ["Mary Ann"])
    ['Mary Ann', "'s", ' ', '2', ' ', 'figs']
    """
    if not names:
        return _TOKEN.findall(text)
    listed = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.findall(rf"(?<!\w)(?:{listed})(?!\w)|{_TOKEN.pattern}", text, re.DOTALL)


def chains_of(text: str) -> list[str]:
    """Tokens as those of `tokens_of`, but for capitalised words in a row, which are one token: ``The Mary Ann``."""
    return _CHAIN.findall(text)


def name_key(word: str) -> str:
    """What the spellings of one name share: no capitals and no accents."""
    if word.isascii():
        return word.lower()
    return "".join(c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c))


def as_name(word: str) -> str:
    """A word as a name would be written: ``amy`` and ``AMY`` as ``Amy``, but ``McKay`` as it is."""
    return word.capitalize() if word.islower() or word.isupper() else word


def given_name(word: str) -> str:
    """The first of the names that a token holds, as a name would be written.

    >>> given_name("Mary Ann"), given_name("anne-Marie"), given_name("OMAR")
    ('Mary', 'Anne', 'Omar')
    """
    return as_name(_JOINT.split(word)[0])


def is_possessive(token: str) -> bool:
    """Whether a token is the ending of a possessive, or the apostrophe that stands for it."""
    return token[0] in "'’"


def word_before(tokens: Sequence[str], index: int) -> str:
    """The word right before a token, over white space and the full stop of an abbreviation; empty if there is none."""
    index -= 1
    if index > 0 and tokens[index].isspace():
        index -= 1
    if index > 0 and tokens[index] == "." and tokens[index - 1].lower() in word_list("abbreviation"):
        index -= 1
    return tokens[index] if index >= 0 and tokens[index][0].isalpha() else ""


def word_after(tokens: Sequence[str], index: int) -> str:
    """The word right behind a token, over white space alone; empty if there is none."""
    index += 1
    if index < len(tokens) and tokens[index].isspace():
        index += 1
    return tokens[index] if index < len(tokens) and tokens[index][0].isalpha() else ""


def names_person(tokens: Sequence[str], index: int) -> bool | None:
    """Whether the word at `index` names a person or an animal there; None where its neighbours do not tell.

    >>> [names_person(tokens_of(text), 0) for text in ("Rose bought figs.", "April 3 was warm.", "Zorblax!")]
    [True, False, None]
    """
    word = tokens[index]
    name = given_name(word)
    if word.islower() and (len(word) < 3 or name not in first_names()):
        return False
    if name not in given_names() and any(name.lower() in word_list(words) for words in _NEVER_NAMES):
        return False
    before, after = word_before(tokens, index), word_after(tokens, index)
    if before.lower() in gendered_words("named_as") and after not in proper_nouns("place_nouns"):
        return True
    if before.lower() in ("a", "an") or _is_other_name(tokens, index, name, before, after):
        return False
    if word.isupper() and len(word) > 2 and name not in given_names() and not (before + after).isupper():
        return False
    if before.lower() == "the":
        return _is_family(name, after)
    return True if _acts(tokens, index, name, before, after) else None


def _is_family(name: str, after: str) -> bool | None:
    """Whether "the" and a word name a family, as the Osei family or the Oseis; None where it may be a plural noun."""
    if after.lower() in person_words("family_nouns"):
        return True
    if not name.endswith("s") or after[:1].isupper():
        return False
    return None if name[:-1].lower() in common_words() else True


def _is_other_name(tokens: Sequence[str], index: int, name: str, before: str, after: str) -> bool:
    """Whether a word names a day, a place, a people, a brand, or a mathematician by what is called after him."""
    lower = name.lower()
    if lower in word_list("date"):
        neighbours = (tokens[i] for i in (index - 2, index - 1, index + 1, index + 2) if 0 <= i < len(tokens))
        if name not in given_names() or before.lower() in _BEFORE_DATES or _joined_to(tokens, index, _is_date):
            return True
        return any(token.isdigit() or token == "$" for token in neighbours)
    if name not in given_names() and name in proper_nouns("places", "peoples", "brands", "holidays", "place_nouns"):
        return True
    if name in proper_nouns("places") and before.lower() in _BEFORE_PLACES:
        return True
    if before[:1].isupper() and before.lower() in proper_nouns("place_openers"):
        return True
    if name in proper_nouns("eponyms"):
        owned = index + 1 < len(tokens) and is_possessive(tokens[index + 1])
        named = word_after(tokens, index + 1) if owned else after
        return named.lower() in proper_nouns("eponymous") or name not in given_names()
    if name not in given_names() and after in proper_nouns("eponymous"):
        return True
    return _is_in_title(tokens, index)


def _is_date(word: str) -> bool:
    """Whether a word names a month or a day."""
    return word.lower() in word_list("date")


def _is_in_title(tokens: Sequence[str], index: int) -> bool:
    """Whether capitalised words lead from here to what an institution or a place is: Herbert Hoover School."""
    for _ in range(_LONGEST_TITLE):
        after = word_after(tokens, index)
        if not after[:1].isupper():
            return False
        if after in proper_nouns("place_nouns"):
            return True
        index += 1 + (tokens[index + 1].isspace())
    return False


def _joined_to(tokens: Sequence[str], index: int, is_wanted: Callable[[str], bool]) -> bool:
    """Whether "and", "or" or a comma joins a word of the wanted sort to the one at `index`."""
    for step in (-1, 1):
        place = index + step
        joined = False
        while 0 <= place < len(tokens) and (tokens[place].isspace() or tokens[place] in (",", "and", "or", "&")):
            joined = joined or not tokens[place].isspace()
            place += step
        if joined and 0 <= place < len(tokens) and is_wanted(tokens[place]):
            return True
    return False


def _acts(tokens: Sequence[str], index: int, name: str, before: str, after: str) -> bool:
    """Whether a word does, owns or is given something, as names do."""
    if _is_verb(after) or before.lower() in person_words("before_names"):
        return True
    if after == "the" or (after[:1].isupper() and _is_verb(word_after(tokens, index + 2))):
        return True
    following = tokens[index + 1 : index + 4]
    if following[:1] == [","] and following[-1:] == ["who"]:
        return True
    if _joined_to(tokens, index, first_names().__contains__):
        return True
    if name.lower() in word_list("date"):
        return False
    if following and is_possessive(following[0]) and word_after(tokens, index + 1).islower():
        return True
    is_rare = name.lower() not in common_words()
    return (is_rare or name in given_names()) and _stands_like_a_name(tokens, index, before, after)


def _stands_like_a_name(tokens: Sequence[str], index: int, before: str, after: str) -> bool:
    """Whether the place of a capitalised word that is no common one is more often a person's than another thing's."""
    if after[:1].isupper() or tokens[index + 1 : index + 2] == ["-"]:
        return False
    joined = before.lower() in person_words("before_subjects")
    if before in _BEFORE_STRANGERS or joined or (before == "" and after.endswith("s") and after.islower()):
        return True
    in_apposition = index > 1 and tokens[index - 1].isspace() and tokens[index - 2] == ","
    return in_apposition and word_before(tokens, index - 2).lower() in gendered_words("named_as")


def _is_verb(word: str) -> bool:
    """Whether a word that follows a noun can only be its verb."""
    if word in person_words("after_names") or word in word_list("verb_after_name"):
        return True
    if word.endswith("ed") and word.islower():
        return True
    return word in base_of_irregular() or (word.endswith("s") and word[:-1] in irregular_verbs())


def is_person(tokens: Sequence[str], places: Sequence[int]) -> bool | None:
    """Whether the word at all of `places` is a person's name; None where nothing shows it.

    A given name that is no ordinary word needs no sign. Any other word needs one that speaks for it; a common word
    needs to be introduced as well, or a pronoun somewhere in the text.
    """
    signs = {names_person(tokens, place) for place in places}
    name = given_name(tokens[places[0]])
    if name in first_names():
        return signs != {False}
    if True not in signs:
        return False if False in signs else None
    if name in ambiguous_names() or name.lower() not in common_words():
        return True
    introduced = any(_is_introduced(tokens, place) for place in places)
    return True if introduced or next(pronouns(tokens), None) else None


def _is_introduced(tokens: Sequence[str], index: int) -> bool:
    """Whether a title, a relation or a given name stands before a word, or "the" and a relation behind it."""
    named_as, before = gendered_words("named_as"), word_before(tokens, index)
    if before.lower() in named_as or before in given_names():
        return True
    return word_after(tokens, index) == "the" and word_after(tokens, index + 2) in named_as


def pronouns(tokens: Sequence[str]) -> Iterator[tuple[int, Gender]]:
    """The places of the pronouns that tell a gender, with it."""
    told = gendered_words("pronouns")
    for place, token in enumerate(tokens):
        gender = told.get(token.lower())
        if gender is not None:
            yield place, gender
