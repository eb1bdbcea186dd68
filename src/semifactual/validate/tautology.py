"""The closed grammar of tautologies: sentences that no fact could contradict, because they repeat themselves."""

from __future__ import annotations

import re
from functools import cache

from semifactual.resources import template_yaml
from semifactual.text.document import Document
from semifactual.text.spans import SpanType
from semifactual.validate.words import stem

GRAMMAR_WORDS = "checks/vacuous.yaml"

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
    r"(?:whoever|whatever|anyone\s+who|everyone\s+who|those\s+who|what)"
    r"\s+(?P<same>(?:(?:will|can|must|may)\s+)?\w+),?\s+(?P=same)"
)
_RELATIVE = re.compile(
    r"(?:(?:a|an|the|any|every|all|each)\s+)?[\w-]+\s+(?:that|which|who)\s+(?:is|are)\s+(?P<same>[\w-]+)"
    r"\s+(?:is|are)\s+(?P=same)"
)
_AS_IT_IS = re.compile(r"[\w-]+(?:\s+[\w-]+){0,2}\s+(?:is\s+what\s+it\s+is|are\s+what\s+they\s+are)")
_GOING_ON = re.compile(r"(?:those|people|all)\s+who\s+(?P<verb>\w+)\s+are\s+(?P=verb)ing")
_CONDITIONAL = re.compile(r"(?:if|when|where|whenever)\s+(?P<same>\w+(?:\s+\w+){1,4}),\s+(?:then\s+)?(?P=same)")
_CONDITION_BEHIND = re.compile(r"(?P<same>\w+(?:\s+\w+){1,4})\s+(?:if|when|whenever|where)\s+(?P=same)")
_CONDITION_ON_IT = re.compile(
    r"(?:if|when|whenever)\s+(?:something|anything|(?:an?|the)\s+\w+)\s+(?P<same>(?:is\s+)?\w+)"
    r",\s+(?:then\s+)?it\s+(?P=same)"
)
_ON_THEM = re.compile(
    r"\w+\s+(?P<same>(?:(?:is|are)\s+)?\w+)\s+(?:if|when|whenever|where|as)\s+(?:it|they)\s+(?P=same)"
)
_RELATIVE_VERB = re.compile(
    r"(?:anything|everything|whatever|those|things|(?:an?|any|every)\s+\w+)\s+that\s+(?P<same>\w+)\s+(?P=same)"
)
_EITHER = re.compile(
    r"(?:either\s+)?(?P<subject>it|the\s+\w+)\s+(?:(?P<aux>is|was|will(?:\s+be)?)\s+)?(?:either\s+)?(?P<verb>\w+),?"
    r"\s+or\s+(?:(?P=subject)\s+)?(?:(?:(?P=aux)|does|did|will)\s+)?not\s+(?:be\s+)?(?P<again>\w+)"
)
"""It rains or it does not rain: both say nothing together."""
_REPEATING = (
    _FREE_RELATIVE, _REPEATED_VERB, _RELATIVE, _RELATIVE_VERB, _AS_IT_IS, _GOING_ON, _CONDITIONAL, _CONDITION_BEHIND,
    _CONDITION_ON_IT, _ON_THEM,
)  # fmt: skip
_ONCE_MORE = re.compile(r"((?:a|an|the)?\s?\w+)\s+(?:is|are)\s+\1\Z")
"""A rose is a rose is a rose."""
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


def is_tautology(statement: str) -> bool:
    """Whether one sentence repeats itself in a way that no fact could contradict."""
    sentence = " ".join(statement.removesuffix(".").removesuffix("!").split())
    if not re.fullmatch(r"[^\W\d_]+(?:[ ,'’-]{1,2}[^\W\d_]+)*", sentence):
        return False
    either = _EITHER.fullmatch(sentence.lower())
    denies_itself = either is not None and stem(either["verb"]) == stem(either["again"])
    if _is_loaded(sentence, frozenset({"not", "either", "or"}) if denies_itself else frozenset()):
        return False
    sentence = sentence.lower()
    if denies_itself or sentence in template_yaml(GRAMMAR_WORDS)["fixed"]:
        return True
    if any(pattern.fullmatch(sentence) for pattern in _REPEATING):
        return True
    copula = _COPULA.search(sentence)
    if copula is None:
        return False
    subject, predicate = sentence[: copula.start()], _ONCE_MORE.sub(r"\1", sentence[copula.end() :])
    return _repeats(subject.split(), predicate.split())


def _is_loaded(sentence: str, admitted: frozenset[str]) -> bool:
    """Whether a sentence speaks of quantities or persons, denies something, or speaks of the text as a text."""
    document = Document(sentence)
    if any(word in grammar_words("meta") or word in grammar_words("persons") for word in document.words):
        return True
    harmless = grammar_words("determiners") | grammar_words("innocent") | admitted
    return any(span.of(sentence).lower() not in harmless for span in document.of_type(*_LOADED))


def _repeats(subject: list[str], predicate: list[str]) -> bool:
    """Whether the predicate says of the subject what the subject's own words say: A is A, AB are B, AB are A."""
    determiner = subject[0] if len(subject) > 1 and subject[0] in grammar_words("determiners") else ""
    noun_phrase = subject[1:] if determiner else subject
    article = predicate[0] if len(predicate) > 1 and predicate[0] in _PREDICATE_DETERMINERS else ""
    said = predicate[1:] if article else predicate
    if not 1 <= len(noun_phrase) <= 4 or not said:
        return False
    if len(said) == 1 and said[0] in grammar_words("reflexive"):
        return True
    if article == "the" and determiner != "the":
        return False
    if said == noun_phrase:
        return True
    if noun_phrase[0] in grammar_words("privative"):
        return False
    is_head = said == noun_phrase[-len(said) :]
    is_adjective = len(said) == 1 and not article and said[0] in noun_phrase[:-1]
    is_derived = len(said) == len(noun_phrase) == 1 and not article and _is_of(said[0], noun_phrase[0])
    return is_head or is_adjective or is_derived


_DERIVED = (("", "y"), ("e", "y"), ("", "al"), ("", "ical"), ("", "ful"), ("y", "iful"), ("", "ous"), ("", "en"),
            ("ence", "ent"), ("ance", "ant"), ("ness", ""), ("iness", "y"), ("ty", ""), ("ery", "e"))  # fmt: skip
"""How a noun ends, and the adjective that says what the noun says: silence is silent, clouds are cloudy."""


def _is_of(adjective: str, noun: str) -> bool:
    """Whether an adjective is made of the noun, or the noun of the adjective."""
    forms = {noun, noun.removesuffix("s")}
    derived = {f"{form[: len(form) - len(old)]}{new}" for form in forms for old, new in _DERIVED if form.endswith(old)}
    return adjective in derived and len(adjective) > 2


@cache
def grammar_words(name: str) -> frozenset[str]:
    """One of the grammar's word lists."""
    return frozenset(template_yaml(GRAMMAR_WORDS)[name].split())
