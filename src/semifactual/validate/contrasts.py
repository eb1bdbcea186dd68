"""Words that exclude each other: one may not take another's place, whatever else a rewrite does."""

from __future__ import annotations

from collections import Counter
from functools import cache

from semifactual.resources import template_yaml
from semifactual.text.document import Document
from semifactual.validate.contract import Pair, check
from semifactual.validate.verdict import Finding, failed, passed
from semifactual.validate.words import stem

CONTRASTS = "checks/contrasts.yaml"


@check("contrasts", "no word replaced by one that excludes it: bought by sold, boys by girls, and by or")
def contrasts(pair: Pair) -> Finding:
    before, after = _stems(pair.original), _stems(pair.rewrite)
    lost, gained = before - after, after - before
    for word in sorted(lost.keys() & _alternatives().keys()):
        for other in sorted(gained.keys() & _alternatives()[word]):
            return failed(f"{word!r} became {other!r}")
    return passed()


def _stems(document: Document) -> Counter[str]:
    return Counter(map(stem, document.words))


@cache
def _alternatives() -> dict[str, frozenset[str]]:
    """For each stem that stands in contrasts.yaml, the stems that exclude it."""
    found: dict[str, set[str]] = {}
    for line in template_yaml(CONTRASTS):
        stems = {stem(word) for word in line.split()}
        for word in stems:
            found.setdefault(word, set()).update(stems - {word})
    return {word: frozenset(others) for word, others in found.items()}
