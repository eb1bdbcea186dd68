"""Guarded words by role: what they do to the mathematics, whichever word of the role does it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache

from semifactual.resources import template_yaml
from semifactual.text.document import Document
from semifactual.validate.contract import Pair, check
from semifactual.validate.verdict import Finding, failed, first_fault, passed, undecided
from semifactual.validate.wording.comparands import turned_round
from semifactual.validate.wording.quantities import quantities
from semifactual.validate.words import difference, is_content, stem

ROLES = "checks/roles.yaml"

_PERCENT_OF = re.compile(
    r"(?:%|percent)\$?\s{1,3}(off?)\b|(?:half|thirds?|quarters?|fourths?|fifths?)\s{1,3}(off)\b", re.IGNORECASE
)
_BY_TO = re.compile(
    r"\b(?:in|de)creas\w*(?:\s{1,3}\w+){0,3}?\s{1,3}(by|to)\b|\breduc\w+(?:\s{1,3}\w+){0,3}?\s{1,3}(by|to)\b",
    re.IGNORECASE,
)
_SHARES = ("%", "percent", "half", "third", "quarter", "fourth", "fifth")
_CHANGES = ("creas", "reduc")
_EXCHANGES = (
    ("each", "total"),
    ("total", "each"),
    ("or", "both"),
    ("both", "one of"),
    ("all", "some"),
    ("all", "one of"),
)
"""Loose roles of which one may not come for the other."""

_NOT_ADDED = frozenset({"or", "other", "left"})
"""Loose roles that a sentence does not carry unless it says them."""

_DOMAIN = frozenset({"integer", "factor", "multiple"})
"""Strict roles of nouns that condition a problem wherever they stand; of others, one mention may be left out."""
_DIRECTIONS = ("more", "less")
_AGGREGATES = frozenset({"difference", "mean", "median", "product"})
"""Strict roles that exclude a total."""
_CARRYING = frozenset({"or", "left", "total", "some"})
"""Loose roles that nothing else of a sentence carries."""
_DISPENSABLE = frozenset({"also", "both", "all", "each", "one of"})
"""Loose roles that a sentence may go without."""

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


@cache
def every_role_stem() -> frozenset[str]:
    """The stems of all words of all roles, strict and loose."""
    entries = (entry for strictness in ("strict", "loose") for found in _table(strictness).values() for entry in found)
    return frozenset(stem(word) for words, role in entries if role for word in words)


@lru_cache(maxsize=16)
def roles(document: Document, strictness: str = "strict") -> Counter[str]:
    """How often each role of roles.yaml occurs in the prose of a text. Not to be changed: it is remembered."""
    return roles_in(document.words, strictness)


def roles_in(words: Sequence[str], strictness: str = "strict") -> Counter[str]:
    """How often each role of roles.yaml occurs in a run of lower-case words."""
    return Counter(role for role, _ in _phrases_in(words, strictness))


def _phrases_in(words: Sequence[str], strictness: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each phrase of a run of words that has a role, with that role."""
    table = _table(strictness)
    if table.keys().isdisjoint(words):
        return
    done = 0
    for position, word in enumerate(words):
        if position < done or word not in table:
            continue
        for phrase, role in table[word]:
            if len(phrase) == 1 or tuple(words[position : position + len(phrase)]) == phrase:
                done = position + len(phrase)
                if role:
                    yield role, phrase
                break


def gained_roles(before: Document, after: Document) -> list[str]:
    """The strict roles that `after` has more often than `before`, in alphabetical order."""
    return sorted(roles(after) - roles(before))


@check("guarded_words", "no comparison, quantifier, negation or mathematical condition lost, gained or exchanged")
def guarded_words(pair: Pair) -> Finding:
    if pair.in_other_words:
        return _in_other_words(pair)
    rules = (_strict_roles, _hypothetical, _prepositions, _rates, _loose_roles)
    return first_fault(rule(pair) for rule in rules)


def _strict_roles(pair: Pair) -> Finding:
    before, after = roles(pair.original), roles(pair.rewrite)
    if before == after:
        return passed()
    after = after.copy()
    for role in template_yaml(ROLES)["restated"]:
        after[role] = min(after[role], before[role])
    repeated = frozenset(role for role in template_yaml(ROLES)["repeated"] if before[role] and after[role])
    for role in repeated:
        after[role] = min(after[role], before[role])
    lost, gained = _apart(pair, before, after)
    if exchange := _opposite(pair, lost, gained):
        return failed(exchange)
    for family in template_yaml(ROLES)["families"]:
        if not lost.keys().isdisjoint(family) and not gained.keys().isdisjoint(family):
            lost, gained = _without(lost, family), _without(gained, family)
    totals = roles(pair.rewrite, "loose")["total"] - roles(pair.original, "loose")["total"]
    if totals and (aggregates := sorted(_AGGREGATES & (lost if totals > 0 else gained).keys())):
        return failed(f"{aggregates[0]!r} and 'total' were exchanged")
    if lost or gained:
        lost = _without(lost, repeated - _DOMAIN)
        weak = (repeated | frozenset(template_yaml(ROLES)["weak"])) - _changed_alone(pair)
        weak |= frozenset(template_yaml(ROLES)["exchanged"])
        lost, gained = _without(lost, weak), _without(gained, weak)
    if not lost and not gained:
        return passed()
    return failed(difference(lost, gained, _written(pair)))


def _apart(pair: Pair, before: Counter[str], after: Counter[str]) -> tuple[Counter[str], Counter[str]]:
    """The roles that were lost and gained, more and less left out where a comparison is said from its other side."""
    lost, gained = before - after, after - before
    if converse(pair):
        return _without(lost, _DIRECTIONS), _without(gained, _DIRECTIONS)
    return lost, gained


def converse(pair: Pair) -> bool:
    """Whether a comparison is said from its other side: A has 3 more than B, B has 3 fewer than A."""
    before, after = roles(pair.original), roles(pair.rewrite)
    if before == after:
        return False
    flipped = (before["more"] - after["more"]) * (before["less"] - after["less"]) < 0
    return flipped and turned_round(pair.alignment) is not None


def _opposite(pair: Pair, lost: Counter[str], gained: Counter[str]) -> str:
    """A role that came for one which excludes it; empty where there is none."""
    for group in _opposites():
        if (gone := sorted(group & lost.keys())) and (come := sorted(group & gained.keys())):
            written = _written(pair)
            return f"{written[gone[0]]!r} became {written[come[0]]!r}"
    return ""


def _written(pair: Pair) -> dict[str, str]:
    """For each strict role that a text has, the first phrase that says so: the original's, if it has one."""
    found: dict[str, str] = {}
    for document in (pair.original, pair.rewrite):
        for role, phrase in _phrases_in(document.words, "strict"):
            found.setdefault(role, " ".join(phrase))
    return found


def _without(found: Counter[str], some: Iterable[str]) -> Counter[str]:
    return Counter({role: number for role, number in found.items() if role not in some})


def _changed_alone(pair: Pair, strictness: str = "strict") -> frozenset[str]:
    """The roles that changed where nothing around them did."""
    words: list[str] = []
    for change in pair.alignment.changes:
        if change.tight:
            for side in (change.before, change.after):
                words += [*(token.word for token in side), "."]
    return frozenset(roles_in(words, strictness))


def _hypothetical(pair: Pair) -> Finding:
    """Whether a plan became an act or an act a plan: "wants to" inserted or dropped, and nothing else there."""
    words = frozenset(stem(word) for word in template_yaml(ROLES)["hypothetical"].split())
    for change in pair.alignment.changes:
        for side, other in ((change.before, change.after), (change.after, change.before)):
            if change.tight and not other and len(side) == 2 and side[0].key in words and side[1].key == "to":
                return failed(f"{side[0].key} to: {'lost' if side is change.before else 'gained'}")
    return passed()


def _in_other_words(pair: Pair) -> Finding:
    """The rule for a text that is told in other words: no role gone that only its words can say, none exchanged."""
    before, after = roles(pair.original), roles(pair.rewrite)
    lost, gained = _apart(pair, before, after)
    if exchange := _opposite(pair, lost, gained):
        return failed(exchange)
    for role, grounds in template_yaml(ROLES)["grounded"].items():
        if gained[role] and not any(before[ground] for ground in grounds):
            return failed(f"gained {_written(pair)[role]!r}")
    lost.pop("not", None)
    denied = gained.pop("not", 0)
    hard = difference(_without(lost, _everyday()), _without(gained, _everyday()), _written(pair))
    if hard:
        return failed(hard)
    shares, new_shares = (_found(_PERCENT_OF, document) for document in (pair.original, pair.rewrite))
    if shares - new_shares and new_shares - shares:
        return failed(difference(shares, new_shares))
    if denied:
        return undecided(f"gained {_written(pair)['not']!r}, which may deny what the original says, or say it again")
    return passed()


@cache
def _everyday() -> frozenset[str]:
    return frozenset(word.replace("-", " ") for word in template_yaml(ROLES)["everyday"].split())


@cache
def _opposites() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(line.split(", ")) for line in template_yaml(ROLES)["opposites"])


def _prepositions(pair: Pair) -> Finding:
    """Of and off behind a share, by and to behind a change."""
    texts = (pair.original.text.lower(), pair.rewrite.text.lower())
    for pattern, needed in ((_PERCENT_OF, _SHARES), (_BY_TO, _CHANGES)):
        if not any(word in text for text in texts for word in needed):
            continue
        before, after = (_found(pattern, document) for document in (pair.original, pair.rewrite))
        if before - after and after - before:
            return failed(difference(before, after))
    return passed()


def _found(pattern: re.Pattern[str], document: Document) -> Counter[str]:
    """What the groups of a pattern hold in a text, in lower case."""
    return Counter("".join(match.groups(default="")).lower() for match in pattern.finditer(document.text))


def _loose_roles(pair: Pair) -> Finding:
    before, after = roles(pair.original, "loose"), roles(pair.rewrite, "loose")
    if before == after:
        return passed()
    for lost, gained in _EXCHANGES:
        if before[lost] > after[lost] and after[gained] > before[gained]:
            return failed(f"{lost!r} became {gained!r}")
    spread = before["each"] or before["all"] or before["both"] or any(q.implied for q in quantities(pair.original))
    if after["each"] and not spread:
        return undecided("gained 'each'")
    if after["total"] and not before["total"] and _stated(pair.rewrite)["total"]:
        return undecided("gained 'total'")
    fewer = {role for role in before - after if not after[role] or role in ("left", "total")}
    if missing := sorted(fewer & (_changed_alone(pair, "loose") - _DISPENSABLE | _CARRYING)):
        return undecided(f"lost {', '.join(map(repr, missing))}")
    leaving = {"left"} if "leave" in pair.original.words else set()
    added = sorted((after - before).keys() & _NOT_ADDED - leaving)
    return undecided(f"gained {', '.join(map(repr, added))}") if added else passed()


def _stated(document: Document) -> Counter[str]:
    """The loose roles of what a text states, its questions left out."""
    asked = set(document.questions)
    words = (word for place in document.sentences if place not in asked for word in document.words_between(*place))
    return roles_in(tuple(words), "loose")


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
