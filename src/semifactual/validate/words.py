"""Phrases that rules look for, and how often a text holds them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache

from semifactual.resources import template_yaml
from semifactual.text.lexicon import base_of_irregular, word_list

PHRASES = "checks/phrases.yaml"


@cache
def phrase_pattern(name: str) -> re.Pattern[str]:
    """One list of phrases.yaml as a pattern of whole words, longest phrase first.

    A list whose name ends in ``_openings`` matches only at the start of the text, a sentence or a bracket.
    """
    pattern = whole_words(template_yaml(PHRASES)[name])
    if name.endswith("_openings"):
        return re.compile(rf"(?:\A|(?<=[.?!:(\[]\s)|(?<=[(\[\n])){pattern.pattern}", pattern.flags)
    return pattern


def whole_words(phrases: Iterable[str]) -> re.Pattern[str]:
    """A pattern that matches any of the phrases as whole words, in any case, with any white space between words."""
    ordered = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    body = "|".join(r"\s+".join(re.escape(word) for word in phrase.split()) for phrase in ordered)
    return re.compile(rf"(?<![\w'’-])(?:{body})(?![\w'’])", re.IGNORECASE)


def gained(pattern: re.Pattern[str], before: str, after: str) -> list[str]:
    """What `pattern` finds more often in `after` than in `before`, lower case, in alphabetical order."""
    found = Counter(" ".join(match.lower().split()) for match in pattern.findall(after))
    if not found:
        return []
    found.subtract(Counter(" ".join(match.lower().split()) for match in pattern.findall(before)))
    return sorted(phrase for phrase, count in found.items() if count > 0)


def difference(before: Counter[str], after: Counter[str]) -> str:
    """What was lost and gained between two multisets, as one line of evidence; empty if they are equal."""
    lost, won = before - after, after - before
    parts = []
    if lost:
        parts.append("lost " + ", ".join(repr(item) for item in sorted(lost.elements())[:6]))
    if won:
        parts.append("gained " + ", ".join(repr(item) for item in sorted(won.elements())[:6]))
    return "; ".join(parts)


@cache
def stem(word: str) -> str:
    """A crude stem that joins the inflections of one word: buys, bought; apple, apples; stories, story."""
    word = base_of_irregular().get(word.lower(), word.lower())
    for ending, replacement in (
        ("ies", "y"),
        ("sses", "ss"),
        ("ing", ""),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
        ("e", ""),
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 2 and not word.endswith("ss"):
            return word[: len(word) - len(ending)] + replacement
    return word


def is_content(word: str) -> bool:
    """Whether a lower-case word carries content of its own."""
    return len(word) > 1 and word not in word_list("function")
