"""In which order operations nest: twice the reciprocal is not the reciprocal of twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from semifactual.resources import template_yaml
from semifactual.text.spans import SpanType
from semifactual.validate.contract import Pair
from semifactual.validate.verdict import Finding, passed, undecided
from semifactual.validate.wording.alignment import Token
from semifactual.validate.words import stem

RELATIONS = "checks/relations.yaml"


def same_order(pair: Pair) -> Finding:
    """Twice the reciprocal is not the reciprocal of twice: operations on the same quantities nest in the same order."""
    shown = pair.alignment.written
    old, new = list(_operations(pair.alignment.before)), list(_operations(pair.alignment.after))
    orders: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for run in new:
        orders.setdefault(tuple(sorted(run)), []).append(run)
    for run in old:
        same = orders.get(tuple(sorted(run)), [])
        if same and run not in same:
            nested, now = (" … ".join(repr(shown(key)) for key in keys) for keys in (run, same[0]))
            return undecided(f"{nested} became {now}")
    return passed()


def _operations(side: Sequence[Token]) -> Iterator[tuple[str, ...]]:
    """The quantities and words of operations of each clause, in order, where it has both."""
    run: list[str] = []
    breaks, operations = _stems("breaks"), _stems("operations")
    for token in side:
        if run and (token.opens_clause or token.key in breaks):
            yield from _worth_comparing(run)
            run = []
        number = token.quantity and token.key != "#1" and not token.key.endswith("th")
        if number or token.type is SpanType.MATH or token.key in operations:
            run.append(token.key)
    yield from _worth_comparing(run)


def _worth_comparing(run: Sequence[str]) -> Iterator[tuple[str, ...]]:
    if len(set(run)) > 1 and not _stems("operations").isdisjoint(run):
        yield tuple(run)


@cache
def _stems(name: str) -> frozenset[str]:
    return frozenset(map(stem, template_yaml(RELATIONS)[name].split()))
