"""Guarded words by role: what they do to the mathematics, whichever word of the role does it."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from semifactual.resources import template_yaml
from semifactual.text.document import Document
from semifactual.validate.contract import Pair, check
from semifactual.validate.verdict import Finding, failed, passed, undecided
from semifactual.validate.words import difference, is_content, stem

ROLES = "checks/roles.yaml"

_PERCENT_OF = re.compile(
    r"(?:%|percent)\$?\s{1,3}(off?)\b|(?:half|thirds?|quarters?|fourths?|fifths?)\s{1,3}(off)\b", re.IGNORECASE
)
_BY_TO = re.compile(
    r"\b(?:in|de)creas\w*(?:\s{1,3}\w+){0,3}?\s{1,3}(by|to)\b|\breduc\w+(?:\s{1,3}\w+){0,3}?\s{1,3}(by|to)\b",
    re.IGNORECASE,
)
_EXCHANGES = (("each", "total"), ("total", "each"), ("or", "both"))
"""Loose roles of which one may not come for the other."""

_NOT_ADDED = frozenset({"or", "other", "some"})
"""Loose roles that a sentence does not carry unless it says them."""

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


@cache
def role_words() -> frozenset[str]:
    """The single words that have a strict role of their own."""
    return frozenset(
        word for entries in _table("strict").values() for (word, *rest), role in entries if role and not rest
    )


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
    for rule in (_strict_roles, _prepositions, _rates, _loose_roles):
        finding = rule(pair)
        if not finding.passed:
            return finding
    return passed()


def _strict_roles(pair: Pair) -> Finding:
    change = difference(roles(pair.original), roles(pair.rewrite))
    return failed(change) if change else passed()


def _prepositions(pair: Pair) -> Finding:
    """Of and off behind a share, by and to behind a change."""
    for pattern in (_PERCENT_OF, _BY_TO):
        before, after = (_found(pattern, document) for document in (pair.original, pair.rewrite))
        if before != after:
            return failed(difference(before, after))
    return passed()


def _found(pattern: re.Pattern[str], document: Document) -> Counter[str]:
    """What the groups of a pattern hold in a text, in lower case."""
    return Counter("".join(match.groups(default="")).lower() for match in pattern.finditer(document.text))


def _loose_roles(pair: Pair) -> Finding:
    before, after = roles(pair.original, "loose"), roles(pair.rewrite, "loose")
    for lost, gained in _EXCHANGES:
        if before[lost] > after[lost] and after[gained] > before[gained]:
            return failed(f"{lost!r} became {gained!r}")
    if missing := sorted(before - after):
        return undecided(f"lost {', '.join(map(repr, missing))}")
    added = sorted((after - before).keys() & _NOT_ADDED)
    return undecided(f"gained {', '.join(map(repr, added))}") if added else passed()


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
