"""Pronouns around an inserted sentence: whom they mean, and whether they still mean the same."""

from __future__ import annotations

import re

from semifactual.text.document import Document
from semifactual.text.lexicon import without_possessive, word_list
from semifactual.text.spans import SpanType
from semifactual.validate.asides.reckoning import AMOUNTS, classes_of, dimensions_of, interaction_words
from semifactual.validate.words import is_content, stem

_PERSONS = frozenset({"he", "she", "him", "her", "his", "hers"})
_GROUPS = frozenset(
    {"they", "them", "their", "these", "those", "each", "all", "both", "others", "either", "neither", "any", "some",
     "many", "most", "half", "one", "another"}
)  # fmt: skip
_ALONE = frozenset({"it", "this", "that", "its"})
_SINGULAR = frozenset({"this", "that", "each", "another", "either", "neither"})
_PLURAL = frozenset({"these", "those", "all", "both", "many", "most", "some"})
_EXPLETIVE = re.compile(
    r"\W*it (?:costs?|takes?|took|will (?:take|cost)|is (?:known|given|also known)|rain\w*|snow\w*"
    r"|(?:is|was|had been) (?:an? )?(?:(?:very|quite|rather) )?(?P<weather>\w+))\b",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?:\b(?:the|an?|his|her|their|its|this|that|one)|['’]s)(?: [\w-]+){0,2} \Z", re.IGNORECASE)
_REACH = 60
_NEAR = 3
"""Words at the start of a sentence among which the pronoun stands that leans on what comes before."""
_OPENERS = frozenset(
    {"if", "when", "then", "so", "after", "suppose", "since", "and", "but", "while", "given", "that", "for", "later",
     "on", "in", "at", "of", "now", "what", "do", "does", "did", "will", "would", "are", "is"}
)  # fmt: skip


def loosened_reference(original: Document, position: int, added: Document) -> str | None:
    """The pronoun behind, or in, an inserted sentence that may mean something else now; None where all is well."""
    earlier = [original.text[start:end] for start, end in original.sentences if start < position]
    opening = _leaning_word(added, 0, len(added.text))
    if not earlier:
        return opening if opening in _PERSONS | _GROUPS | _ALONE - {"that"} and not _is_expletive(added.text) else None
    following = next((span for span in original.sentences if span[0] >= position), None)
    if following is None:
        return None
    word = _leaning_word(original, *following)
    if word is None or word == opening or _is_expletive(original.text[following[0] : following[1]]):
        return None
    noun = _noun_behind(original, word, *following)
    if noun is not None and not _could_be(added, noun):
        return None
    return word if _offers_another(added, word, Document(" ".join(earlier[-2:]))) else None


def _is_expletive(sentence: str) -> bool:
    """Whether the "it" that opens a sentence means nothing: it takes an hour, it was sunny."""
    match = _EXPLETIVE.match(sentence)
    return match is not None and (match["weather"] is None or match["weather"].lower() in interaction_words("weather"))


def _leaning_word(document: Document, start: int, end: int) -> str | None:
    """The pronoun in the first words of a sentence, with nothing but small words before it."""
    for word in document.words_between(start, end)[:_NEAR]:
        if word in interaction_words("leaning"):
            return word
        if word not in _OPENERS:
            return None
    return None


def _noun_behind(document: Document, pronoun: str, start: int, end: int) -> str | None:
    """The noun that a pronoun stands before, where it stands before one: this rate, these boxes; not: this costs."""
    words = document.words_between(start, end)
    place = words.index(pronoun) + 1
    noun = words[place] if place < len(words) else ""
    number = _SINGULAR if pronoun in _SINGULAR else _PLURAL
    is_noun = pronoun in number and is_content(noun) and noun.endswith("s") is (number is _PLURAL)
    return noun if is_noun else None


def _could_be(added: Document, noun: str) -> bool:
    """Whether a sentence speaks of such a thing, or says an amount, which a rate or a price may be."""
    if dimensions_of(noun) or noun in interaction_words("abstract"):
        return any(added.of_type(*AMOUNTS))
    return any(stem(word) == stem(noun) or classes_of(word) & classes_of(noun) for word in added.words)


def _offers_another(added: Document, pronoun: str, before: Document) -> bool:
    """Whether the added sentence names something new that the pronoun could take up."""
    known = {stem(word) for word in before.words}
    if pronoun in _PERSONS:
        return any(stem(word) not in known for word in _people(added))
    for span in added.of_type(SpanType.WORD, SpanType.KEYWORD):
        word = span.of(added.text).lower()
        if not is_content(word) or stem(word) in known or word in word_list("function"):
            continue
        plural = word.endswith("s") and not word.endswith(("ss", "us", "is"))
        if plural if pronoun in _GROUPS else _behind_article(added, span.start) and not plural:
            return True
    return False


def _people(document: Document) -> list[str]:
    """The names and the nouns for one person in a sentence."""
    names = [without_possessive(name).lower() for name in document.pieces(SpanType.NAME)]
    names = [name for name in names if name not in word_list("date")]
    nouns = (word for word in document.words if "people" in classes_of(word) and word != "people")
    return names + [word for word in nouns if not word.endswith("s")]


def _behind_article(document: Document, start: int) -> bool:
    """Whether an article, or what stands for one, precedes the word at `start`, with two words between at most."""
    return _ARTICLE.search(document.text[max(0, start - _REACH) : start]) is not None
