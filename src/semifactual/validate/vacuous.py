"""The closed grammar of distractors: sentences that say nothing, random strings, decorative tags."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from semifactual.text.lexicon import english_words, word_list, word_types
from semifactual.validate.tautology import grammar_words, is_tautology
from semifactual.validate.words import is_content, stem


class DistractorForm(StrEnum):
    """What kind of nothing a distractor says."""

    IDENTITY = "identity"
    """An integer equals itself: ``Note that 7 = 7.``"""
    TAUTOLOGY = "tautology"
    """A sentence that is true by its form alone: ``Gravel is gravel.``"""
    CODE = "code"
    """A random string of 6 to 12 letters and digits: ``kQ7mZ2xW``"""
    TAG = "tag"
    """A bracket that holds ornaments or a code: ``[~ o ~]``, ``[tag: mx93q]``"""


def classify_distractor(text: str) -> DistractorForm | None:
    """The form of one vacuous distractor; None for anything that says something, or is more than one.

    What the distractor shares with a problem is not looked at: that needs the problem.

    >>> [form.value for form in map(classify_distractor, ("Tall pines are tall.", "[tag: mx93q]", "1 = 1")) if form]
    ['tautology', 'tag', 'identity']
    >>> [classify_distractor(text) for text in ("Round coins are never round.", "1 = 2", "[add it]")]
    [None, None, None]
    """
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    if _is_tag(text):
        return DistractorForm.TAG
    if _CODE.fullmatch(text) and _is_gibberish(text):
        return DistractorForm.CODE
    statement = _ASIDE.sub("", _OPENER.sub("", text))
    if _is_identity(statement):
        return DistractorForm.IDENTITY
    if is_tautology(statement):
        return DistractorForm.TAUTOLOGY
    return None


def distractor_stems(words: Iterable[str]) -> set[str]:
    """The stems of the words of a distractor that speak of something, as "all", "thing" and "whatever" do not."""
    empty = grammar_words("determiners") | grammar_words("empty")
    return {stem(word) for word in words if is_content(word) and word not in empty}


_LONGEST = 90
"""Characters. What is longer is no aside any more."""

_PHRASES = (
    r"after\s+all|of\s+course|as\s+ever|as\s+always|indeed|naturally|surely|as\s+we(?:\s+all)?\s+know|as\s+they\s+say"
)
_OPENER = re.compile(rf"\A(?:(?:please\s+)?note\s+that|(?:{_PHRASES}),?)\s+", re.IGNORECASE)
_ASIDE = re.compile(rf",\s+(?:{_PHRASES}),|,?\s+(?:{_PHRASES})(?=[.!]?\Z)", re.IGNORECASE)

# Random strings ------------------------------------------------------------------------------------------------------

_CODE = re.compile(r"[A-Za-z0-9]{6,12}")
_READABLE_CODE = re.compile(
    r"0[xXbBoO][0-9a-fA-F]+|\d+[eE]\d+|\d+[A-Za-z]{1,3}|[A-Za-z]\d+|(?i:ans|sol|key|res|val)\w*", re.ASCII
)
"""Strings that mean something: prefixed numerals, 12e5, a number with a unit, x12; and what announces an answer."""
_TERM = re.compile(r"(?:\d*[abcnixyz])+\d*|(?:\d+[a-z]{1,2}){2,}\d*", re.ASCII)
"""Strings that mathematics can read where nothing says that they are a label: 3x5y, 5km20mi."""


def _is_gibberish(code: str, *, labeled: bool = False) -> bool:
    """Whether a string of letters and digits is neither a word, nor a number, nor a term."""
    if _READABLE_CODE.fullmatch(code) or (not labeled and _TERM.fullmatch(code)):
        return False
    if not any(c.isalpha() for c in code) or _spells_a_word(code):
        return False
    return any(c.isdigit() for c in code) or not re.search(r"[aeiou]", code, re.IGNORECASE)


def _spells_a_word(code: str) -> bool:
    """Whether the letters of `code` spell a word of four letters or more, or a run of them is a mathematical word."""
    for run in re.findall(r"[a-z]{3,}", code.lower()):
        if run in word_types() or run in word_list("ask"):
            return True
        for start in range(len(run) - 3):
            if any(run[start:end] in english_words() for end in range(start + 4, len(run) + 1)):
                return True
    return False


# Tags ----------------------------------------------------------------------------------------------------------------

_BRACKETS = {"[": "]", "{": "}", "<": ">"}
_LABELED = re.compile(
    r"(?:(?P<label>[A-Za-z]{2,10}|#)(?:[\s:#=_.-]{1,3}|(?<=#)))?(?P<code>[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*)"
)
_ORNAMENT = re.compile(r"[-~*.o_:;|^#=+<>v•·°◦○●◇◆★☆♦♪–—'`,!/ ]+")
_SAYS_SOMETHING = re.compile(r"!--|=|[-–—]>|<[-–—]|\A[._\s]+\Z")
"""A comment, a relation, an arrow, a gap or a blank."""
_LONE_SIGNS = frozenset("-–—+*/=<>^|:!?,.#'ov")
"""Alone in a bracket, these tell a reader to do something: add, subtract, compare."""


def _is_tag(text: str) -> bool:
    """Whether `text` is one bracket with ornaments, or with a code, inside. Plain words might be a hint."""
    if len(text) < 3 or _BRACKETS.get(text[0]) != text[-1]:
        return False
    inside = text[1:-1].strip()
    if len(inside) > 20 or not inside:
        return False
    if _SAYS_SOMETHING.search(inside):
        return False
    if _ORNAMENT.fullmatch(inside):
        letters = sum(c.isalpha() for c in inside)
        return letters <= 1 and (len(inside) > 1 or inside not in _LONE_SIGNS)
    match = _LABELED.fullmatch(inside.strip("~*.:|· "))
    if match is None or text[0] != "[":
        return False
    code = re.sub(r"[-_]", "", match["code"])
    label = (match["label"] or "").lower()
    if label in word_types() or label in word_list("ask") | grammar_words("meta") | grammar_words("telling"):
        return False
    return 3 <= len(code) <= 12 and _is_gibberish(code, labeled=label != "") and any(c.isdigit() for c in code)


# Identities -----------------------------------------------------------------------------------------------------------

_IDENTITY = re.compile(r"(\$?)(-?(?:0|[1-9]\d*))\s*(?:=|==|equals|is|is equal to)\s*(-?\d+)\1\.?")


def _is_identity(statement: str) -> bool:
    match = _IDENTITY.fullmatch(statement)
    return match is not None and match[2] == match[3]
