"""Clauses: nothing with content of its own is added to a text or taken from it."""

from __future__ import annotations

from collections import Counter
from functools import cache

from semifactual.text.lexicon import word_list
from semifactual.validate.contract import Pair, check
from semifactual.validate.quoting import excerpt
from semifactual.validate.verdict import Finding, failed, passed, undecided
from semifactual.validate.wording.alignment import Token

_CLAUSE = 3
"""Words with content that make a clause."""


@check("clauses", "no clause that the original lacks, and none of the original's gone")
def clauses(pair: Pair) -> Finding:
    if pair.in_other_words:
        return passed("told in other words")
    alignment = pair.alignment
    for change in alignment.changes:
        gone, come = _among(change.before, alignment.lost), _among(change.after, alignment.gained)
        if len(come) - len(gone) >= _CLAUSE:
            return failed(f"adds {excerpt(pair.rewrite.text, come[0].start, come[-1].end)}")
        if len(gone) > _CLAUSE and not change.after:
            return undecided(f"lacks {excerpt(pair.original.text, gone[0].start, gone[-1].end)}")
    return passed()


def _among(side: tuple[Token, ...], net: Counter[str]) -> list[Token]:
    """The tokens with content whose number changed in the text as a whole: what merely moved is not among them."""
    return [token for token in side if token.content and token.key in net and token.word not in _asking()]


@cache
def _asking() -> frozenset[str]:
    """Words that another form of the question does without."""
    return word_list("empty_in_question") | word_list("ask") | {"please", "kindly", "go", "ahead", "say", "suppose"}
