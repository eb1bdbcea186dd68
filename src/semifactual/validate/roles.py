"""Guarded words by role: what they do to the mathematics, whichever word of the role does it."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from semifactual.resources import template_yaml
from semifactual.text.document import Document
from semifactual.validate.contract import Pair, check
from semifactual.validate.verdict import Finding, failed, passed
from semifactual.validate.words import difference, is_content, stem

ROLES = "checks/roles.yaml"

_PERCENT_OF = re.compile(r"(?:%|percent|half|thirds?|quarters?|fourths?|fifths?)\s*\$?\s+(off?)\b", re.IGNORECASE)
_BY_TO = re.compile(
    r"\b(?:in|de)creas\w*(?:\s+\w+){0,3}?\s+(by|to)\b|\breduc\w+(?:\s+\w+){0,3}?\s+(by|to)\b", re.IGNORECASE
)
_EXCHANGES = (("each", "total"), ("total", "each"), ("or", "both"))
"""Loose roles that may come or go, but not one for the other."""

_PRICE_EACH = re.compile(r"[$€£¥]\s?[\d.,]+\s+(?:each|apiece|per|a|an|every)\b")
_PER = re.compile(r"\b(?:per|each|every)\s+([a-z]+)")


@cache
def _table(strictness: str) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """The phrases of one table by their first word, the longest first, each with its role ("" if it is ignored)."""
    tables = template_yaml(ROLES)
    role_of = dict.fromkeys(tables["ignored"], "")
    role_of |= {phrase: role for role, phrases in tables[strictness].items() for phrase in phrases}
    table: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for phrase in sorted(role_of, key=lambda phrase: -len(phrase.split())):
        words = tuple(phrase.split())
        table.setdefault(words[0], []).append((words, role_of[phrase]))
    return table


def roles(document: Document, strictness: str = "strict") -> Counter[str]:
    """How often each role of roles.yaml occurs in the prose of a text."""
    table = _table(strictness)
    words = document.words
    found: Counter[str] = Counter()
    position = 0
    while position < len(words):
        candidates = table.get(words[position], ())
        length, role = next(((len(p), r) for p, r in candidates if words[position : position + len(p)] == p), (1, ""))
        if role:
            found[role] += 1
        position += length
    return found


def gained_roles(before: Document, after: Document) -> list[str]:
    """The strict roles that `after` has more often than `before`, in alphabetical order."""
    return sorted(roles(after) - roles(before))


@check("guarded_words", "no comparison, quantifier, negation or mathematical condition lost, gained or exchanged")
def guarded_words(pair: Pair) -> Finding:
    change = difference(roles(pair.original), roles(pair.rewrite))
    if change:
        return failed(change)
    for pattern in (_PERCENT_OF, _BY_TO):
        before = Counter("".join(m).lower() for m in pattern.findall(pair.original.text))
        after = Counter("".join(m).lower() for m in pattern.findall(pair.rewrite.text))
        if before != after:
            return failed(difference(before, after))
    before, after = roles(pair.original, "loose"), roles(pair.rewrite, "loose")
    for lost, gained in _EXCHANGES:
        if before[lost] > after[lost] and after[gained] > before[gained]:
            return failed(f"{lost!r} became {gained!r}")
    if before["each"] > after["each"] and _count(_PRICE_EACH, pair.original) > _count(_PRICE_EACH, pair.rewrite):
        return failed("a price for each became a price")
    return _rates(pair)


def _count(pattern: re.Pattern[str], document: Document) -> int:
    return len(pattern.findall(document.text))


def _rates(pair: Pair) -> Finding:
    """Per what: the noun behind "per" may not become another noun of the text."""
    before = _rate_nouns(pair.original)
    after = _rate_nouns(pair.rewrite)
    spoken_of = {stem(word) for word in pair.original.words}
    strange = sorted((after - before) & spoken_of)
    if strange and before - after:
        return failed(f"per {', '.join(sorted(before - after))} became per {', '.join(strange)}")
    return passed()


def _rate_nouns(document: Document) -> set[str]:
    return {stem(noun) for noun in _PER.findall(document.text.lower()) if is_content(noun)}
