"""Phrases that rules look for, and how often a text holds them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from semifactual.resources import template_yaml
from semifactual.text.lexicon import base_of_irregular, irregular_verbs, word_list
from semifactual.validate.quoting import quoted

PHRASES = "checks/phrases.yaml"
SYNONYMS = "checks/synonyms.yaml"

_WORD = re.compile(r"[^\W\d_]+")
_FAMILY = 4
"""First letters that words of one family share."""


@dataclass(frozen=True)
class Phrases:
    """A list of phrases, found as whole words in any case, the longest first."""

    pattern: re.Pattern[str]
    first_words: frozenset[str]

    @classmethod
    def of(cls, phrases: Iterable[str], *, opening: bool = False) -> Phrases:
        """Compile a list; with `opening`, a phrase counts only where a text, a sentence or a bracket starts."""
        ordered = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
        body = "|".join(r"\s+".join(re.escape(word) for word in phrase.split()) for phrase in ordered)
        place = r"(?:\A|(?<=[.?!:(\[]\s)|(?<=[(\[\n]))" if opening else ""
        pattern = re.compile(rf"{place}(?<![\w'’-])(?:{body})(?![\w'’])", re.IGNORECASE)
        return cls(pattern, frozenset(_WORD.match(phrase)[0] for phrase in ordered))  # type: ignore[index]

    def count(self, text: str) -> Counter[str]:
        """How often each phrase stands in `text`, by its lower-case form."""
        if self.first_words.isdisjoint(_WORD.findall(text.lower())):
            return Counter()
        return Counter(" ".join(match.lower().split()) for match in self.pattern.findall(text))

    def gained(self, before: str, after: str) -> list[str]:
        """The phrases that stand more often in `after` than in `before`, in alphabetical order."""
        found = self.count(after)
        return sorted(found - self.count(before)) if found else []


@cache
def phrases(name: str) -> Phrases:
    """One list of phrases.yaml. Lists named ``..._openings`` match only where something opens."""
    return Phrases.of(template_yaml(PHRASES)[name], opening=name.endswith("_openings"))


def difference(before: Counter[str], after: Counter[str], written: Mapping[str, str] | None = None) -> str:
    """What was lost and gained between two multisets, as one line of evidence; empty if they are equal.

    `written` says how items stand in the texts, where that is not what they are compared by.
    """
    if before == after:
        return ""
    parts = []
    for what, found in (("lost", before - after), ("gained", after - before)):
        if found:
            items = sorted(found.elements())[:6]
            parts.append(f"{what} {quoted((written or {}).get(item, item) for item in items)}")
    return "; ".join(parts)


@cache
def stem(word: str) -> str:
    """A crude stem that joins the inflections of one word: buys, bought; apple, apples; stories, story."""
    word = base_of_irregular().get(word.lower(), word.lower())
    for ending, replacement in (
        ("ies", "y"),
        ("ied", "y"),
        ("sses", "ss"),
        ("ing", ""),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
        ("e", ""),
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 2 and not word.endswith(("ss", "eed")):
            return word[: len(word) - len(ending)] + replacement
    return word


@lru_cache(maxsize=65536)
def meaning(word: str) -> str:
    """The stem of a word, or of the first of its synonyms where it has some: kids, child."""
    return _synonyms().get(stem(word), stem(word))


@cache
def _synonyms() -> dict[str, str]:
    """For each stem of synonyms.yaml, the first stem of its line."""
    lines = [[stem(word) for word in line.split()] for line in template_yaml(SYNONYMS)]
    return {other: first for first, *others in lines for other in others}


def family(word: str) -> str:
    """What the stems of one word family begin with: weigh and weight, invest and investment."""
    return word[:_FAMILY]


def content_stems(words: Iterable[str]) -> set[str]:
    """The stems of the words that carry content of their own."""
    return {stem(word) for word in words if is_content(word)}


def is_verb(word: str) -> bool:
    """Whether a lower-case word is a form of an irregular verb or one that often follows a name."""
    return word in base_of_irregular() or word in irregular_verbs() or word in word_list("verb_after_name")


def is_content(word: str) -> bool:
    """Whether a lower-case word carries content of its own."""
    return len(word) > 1 and word not in word_list("function")
