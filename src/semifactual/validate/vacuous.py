"""The closed grammar of distractors: sentences that say nothing, random strings, decorative tags."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

from semifactual.resources import template_yaml
from semifactual.text.document import Document
from semifactual.text.lexicon import english_words, word_list, word_types
from semifactual.text.spans import SpanType

GRAMMAR_WORDS = "checks/vacuous.yaml"


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
    statement = _OPENER.sub("", text)
    if _is_identity(statement):
        return DistractorForm.IDENTITY
    if _is_tautology(statement):
        return DistractorForm.TAUTOLOGY
    return None


_LONGEST = 90
"""Characters. What is longer is no aside any more."""

_OPENER = re.compile(
    r"(?:(?:please\s+)?note\s+that|after\s+all,?|of\s+course,?|as\s+ever,?|as\s+always,?|indeed,?|naturally,?|surely,?)\s+",
    re.IGNORECASE,
)

# Random strings ------------------------------------------------------------------------------------------------------

_CODE = re.compile(r"[A-Za-z0-9]{6,12}")
_READABLE_CODE = re.compile(
    r"0[xXbBoO][0-9a-fA-F]+|\d+[eE]\d+|\d+[A-Za-z]{1,3}|[A-Za-z]\d+|(?:\d*[abcnixyz])+\d*|(?:\d+[a-z]{1,2}){2,}\d*"
    r"|(?i:ans|sol|key|res|val)\w*",
    re.ASCII,
)
"""Strings that mathematics can read: prefixed numerals, 12e5, a number with a unit, x12, 3x5y,
5km20mi; and what announces an answer."""


def _is_gibberish(code: str) -> bool:
    """Whether a string of letters and digits is neither a word, nor a number, nor a term."""
    if _READABLE_CODE.fullmatch(code) or not any(c.isalpha() for c in code) or _spells_a_word(code):
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
    r"(?:(?:tag|mark|marker|ref|id|label|key|code|token|stamp|batch|item)[\s:#=_-]*)?([A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*)",
    re.IGNORECASE,
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
    labeled = _LABELED.fullmatch(inside)
    if labeled is None or text[0] != "[":
        return False
    code = re.sub(r"[-_]", "", labeled[1])
    return 3 <= len(code) <= 12 and _is_gibberish(code) and any(c.isdigit() for c in code)


# Sentences -----------------------------------------------------------------------------------------------------------

_IDENTITY = re.compile(r"(\$?)(-?(?:0|[1-9]\d*))\s*(?:=|==|equals|is)\s*(-?\d+)\1\.?")
_PREDICATE_DETERMINERS = frozenset({"a", "an", "the"})
_COPULA = re.compile(
    r"\s+(?:will\s+(?:always\s+)?be|is|are|was|were|equals?|remains?|stays?)\s+(?:(?:always|still|just|ever)\s+)?"
)
_FREE_RELATIVE = re.compile(
    r"(?:anything|everything|something|nothing|whatever(?:\s+is)?|what\s+is|anyone|everyone|everybody|whoever\s+is"
    r"|anything\s+that\s+is|everything\s+that\s+is|all\s+that\s+is|those\s+who\s+are)"
    r"\s+(?P<same>[\w-]+)\s+(?:is|are)\s+(?P=same)"
)
_REPEATED_VERB = re.compile(
    r"(?:whoever|whatever|anyone\s+who|everyone\s+who|those\s+who|what)\s+(?P<same>\w+),?\s+(?P=same)"
)
_CONDITIONAL = re.compile(r"(?:if|when|where)\s+(?P<same>\w+(?:\s+\w+){1,4}),\s+(?:then\s+)?(?P=same)")
_LOADED = frozenset(
    {
        SpanType.NUMBER_WORD,
        SpanType.ORDINAL,
        SpanType.NEGATION,
        SpanType.KEYWORD,
        SpanType.COMPARISON,
        SpanType.QUANTIFIER,
    }
)


@cache
def _words(name: str) -> frozenset[str]:
    """One of the grammar's word lists."""
    return frozenset(template_yaml(GRAMMAR_WORDS)[name].split())


def _is_identity(statement: str) -> bool:
    match = _IDENTITY.fullmatch(statement)
    return match is not None and match[2] == match[3]


def _is_tautology(statement: str) -> bool:
    """Whether one sentence repeats itself in a way that no fact could contradict."""
    sentence = statement.removesuffix(".").removesuffix("!")
    if not re.fullmatch(r"[^\W\d_]+(?:[ ,'’-]{1,2}[^\W\d_]+)*", sentence) or _is_loaded(sentence):
        return False
    sentence = " ".join(sentence.lower().split())
    if sentence in template_yaml(GRAMMAR_WORDS)["fixed"]:
        return True
    if any(pattern.fullmatch(sentence) for pattern in (_FREE_RELATIVE, _REPEATED_VERB, _CONDITIONAL)):
        return True
    copula = _COPULA.search(sentence)
    return copula is not None and _repeats(sentence[: copula.start()].split(), sentence[copula.end() :].split())


def _is_loaded(sentence: str) -> bool:
    """Whether a sentence speaks of quantities, denies something, or speaks of the text as a text."""
    document = Document(sentence)
    if any(word in _words("meta") for word in document.words):
        return True
    loaded = (span.of(sentence).lower() for span in document.of_type(*_LOADED))
    return any(word not in _words("determiners") and word not in _words("innocent") for word in loaded)


def _repeats(subject: list[str], predicate: list[str]) -> bool:
    """Whether the predicate says of the subject what the subject's own words say: A is A, AB are B, AB are A."""
    determiner = subject[0] if len(subject) > 1 and subject[0] in _words("determiners") else ""
    noun_phrase = subject[1:] if determiner else subject
    article = predicate[0] if len(predicate) > 1 and predicate[0] in _PREDICATE_DETERMINERS else ""
    said = predicate[1:] if article else predicate
    if not 1 <= len(noun_phrase) <= 4 or not said:
        return False
    if len(said) == 1 and said[0] in _words("reflexive"):
        return True
    if article == "the" and determiner != "the":
        return False
    if said == noun_phrase:
        return True
    if noun_phrase[0] in _words("privative"):
        return False
    is_head = said == noun_phrase[-len(said) :]
    is_adjective = len(said) == 1 and not article and said[0] in noun_phrase[:-1]
    return is_head or is_adjective
