"""Answers in words, and letters of multiple-choice questions."""

from __future__ import annotations

import re
from functools import cache

from semifactual.resources import template_yaml

from .tree import Choice, Phrase

_TEXT_COMMAND = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mbox|boldsymbol|bf|rm)\s*\{([^{}]*)\}")
_SPACING = re.compile(r"\\[,;:! ]|~|\\quad|\\left|\\right")
_WORDS = re.compile(r"[A-Za-z][A-Za-z'’. -]*")
_LETTER = re.compile(
    r"(?:(?:[Tt]he )?(?:correct )?(?:[Oo]ption|[Cc]hoice|[Aa]nswer)(?: is)?:? *)?"
    r"(?:\((?P<inside>[A-Ja-e])\)|(?P<bare>[A-J]|[a-d])(?=$|[).:]))[).:]?(?: +(?P<text>.+))?",
    re.DOTALL,
)
_LETTERS = re.compile(r"[A-J](?:(?: *,? *(?:and)? *)[A-J])+")
_LEAD = re.compile(r"^(?:the )?(?:final )?answer(?: is|:|=)?:? *", re.IGNORECASE)


@cache
def _synonyms() -> dict[str, str]:
    return {phrase: phrases[0] for phrases in template_yaml("answers/synonyms.yaml") for phrase in phrases}


def plain(text: str) -> str:
    """The text without fonts, spacing commands and doubled spaces."""
    before = None
    while before != text:
        before, text = text, _TEXT_COMMAND.sub(r"\1", text)
    return " ".join(_SPACING.sub(" ", text).replace("$", "").split())


def phrase(text: str) -> Phrase | None:
    r"""An answer of words alone: case, articles and a final stop do not matter; known synonyms are one phrase.

    >>> phrase(r"\text{An ellipse}.")
    Phrase(text='ellipse')
    """
    words = plain(text).rstrip(".")
    if not _WORDS.fullmatch(words):
        return None
    lowered = words.lower()
    lowered = _synonyms().get(lowered, lowered)
    for article in ("a ", "an ", "the "):
        lowered = lowered.removeprefix(article)
    return Phrase(_synonyms().get(lowered, lowered))


def choice(text: str) -> Choice | None:
    r"""The letter or letters A to J that an answer names, with the option's text where it follows.

    >>> choice(r"\textbf{(D)}\ 12")
    Choice(letters='D', text='12')
    >>> choice("A, C")
    Choice(letters='AC', text='')
    """
    words = plain(text)
    if _LETTERS.fullmatch(words):
        letters = re.findall(r"[A-J]", words)
        is_spaced = len(words) > len(letters)
        return Choice("".join(sorted(letters))) if is_spaced or letters == sorted(set(letters)) else None
    match = _LETTER.fullmatch(words.rstrip("."))
    if match is None:
        return None
    return Choice((match["inside"] or match["bare"]).upper(), (match["text"] or "").strip())


def without_lead(text: str) -> str:
    """The answer without "The answer is" before it."""
    return _LEAD.sub("", text, count=1)


def is_words(text: str) -> bool:
    """Whether the text consists of letters, spaces and simple punctuation, with a word of two letters or more.

    Beside a hyphen it takes three, because ``p-q`` and ``ab-c`` are differences.
    """
    words = plain(text)
    longest = max(map(len, re.findall(r"[A-Za-z]+", words)), default=0)
    return bool(_WORDS.fullmatch(words)) and longest >= (3 if "-" in words else 2)
