"""Words that exclude each other: one may not take another's place, whatever else a rewrite does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
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
    replaced = set(_replaced(pair))
    for word, other in sorted(replaced):
        if (other, word) in replaced:
            return failed(f"{word!r} and {other!r} changed places")
    return passed()


def _replaced(pair: Pair) -> Iterator[tuple[str, str]]:
    """Words that stand in the rewrite where a word that excludes them stood, the other words being aligned."""
    before, after = ([stem(word) for word in document.words] for document in (pair.original, pair.rewrite))
    for change, start, stop, other, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if change == "replace" and stop - start == end - other:
            for old, new in zip(before[start:stop], after[other:end], strict=True):
                if new in _alternatives().get(old, ()):
                    yield old, new


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
