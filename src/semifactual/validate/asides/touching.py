"""Signs that a sentence touches what a problem computes: it adds, takes, prices, counts again, or sets a condition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from semifactual.text.document import Document
from semifactual.text.spans import Span, SpanType
from semifactual.validate.asides.apartness import counted_amounts, introduced, stands_apart
from semifactual.validate.asides.harmless import shorthand
from semifactual.validate.asides.reckoning import (
    SYMBOLIC,
    Reckoning,
    change_stems,
    dimensions_of,
    interaction_words,
    is_change,
)
from semifactual.validate.words import is_content, stem

_PRICES = frozenset({SpanType.CURRENCY, SpanType.PERCENT})
_WHOLE = r"(?:total|number|amount|average|sum)(?: number| amount)?(?: of)?(?: the| all)?(?: [a-z']+)?"
_ALTOGETHER = frozenset({"total", "altogether", "combined", "together", "remaining"})
_POINTING = frozenset({"them", "one", "ones", "some", "both", "these", "those", "it", "others"})
_NOUNS = frozenset({SpanType.WORD, SpanType.KEYWORD, SpanType.UNIT})
_SUBJECTS = frozenset(
    {"he", "she", "it", "they", "we", "who", "to", "and", "then", "will", "can", "could", "must", "also", "has", "had",
     "have"}
)  # fmt: skip
_MORE = frozenset({"another", "additional", "more", "extra", "again"})
_SHARE = re.compile(r"[#%](?:th)? of (?:the|his|her|their|its|our|my|these|those|them|@'s|what)\b")
_IS = re.compile(r"\b(?:is|are|was|were)\b")
_POINTED = re.compile(r"[#%] of (?:the|his|her|their|its|them|these|those|@'s)\b|\bone of\b")


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign that a sentence changes what is computed. One that is not `sure` only says why to look closer."""

    evidence: str
    sure: bool = True


def signs(sentence: Document, known: Reckoning) -> Iterator[Sign]:
    """The signs that the sentence changes what is computed, the clearest first.

    None is sure where the sentence tells of somebody or something that the problem does not reckon with.
    """
    is_apart = stands_apart(sentence, known)
    for sign in _signs(sentence, known):
        yield Sign(sign.evidence, sign.sure and not is_apart)


def _signs(sentence: Document, known: Reckoning) -> Iterator[Sign]:
    words, short = sentence.words, shorthand(sentence)
    amounts = list(counted_amounts(sentence))
    counted = _counted(words, [*amounts, *introduced(sentence)], known)
    things = [word for word in counted if not dimensions_of(word)]
    spoken = [word for word in words if is_content(word) and stem(word) in known.stems]
    changes = list(_changes(sentence))
    added = sorted(increments_in(sentence))
    is_bare = any(amount is None for amount in amounts)
    is_measured = any(dimensions_of(amount or "") & known.dimensions for amount in amounts)
    is_scaled = not _scaling_stems().isdisjoint(map(stem, words))
    if fees := sorted(interaction_words("fees").intersection(words)):
        yield Sign(f"it brings a {fees[0]}", sure=bool(amounts and spoken) or any(sentence.of_type(*_PRICES)))
    if added:
        sure = bool(things) or (is_bare and bool(changes)) or (is_measured and not _MORE.isdisjoint(added))
        yield Sign(f"it adds to what stands before: {', '.join(added)}", sure)
    if spoken and _SHARE.search(short):
        yield Sign(f"it takes a share of {', '.join(spoken[:3])}", sure=bool(changes) or _IS.search(short) is None)
    if changes and (counted or amounts or _POINTING.intersection(words)):
        repeated = is_measured and any(stem(verb) in known.stems - _light_stems() for verb in changes)
        sure = bool(amounts and (things or is_scaled)) or repeated or bool(_POINTED.search(short))
        yield Sign(f"something happens in it: {', '.join(list(dict.fromkeys(changes + counted))[:3])}", sure)
    if spoken and (denied := sentence.pieces(SpanType.NEGATION)):
        yield Sign(f"it denies something of {', '.join(spoken[:3])}: {', '.join(denied)}", sure=bool(counted))
    if counted and (whole := _whole(short, words, counted)):
        yield Sign(f"it says the {whole} of {', '.join(counted[:3])}")
    if spoken and any(sentence.of_type(*SYMBOLIC)):
        yield Sign(f"it states mathematics of {', '.join(spoken[:3])}")
    if spoken and (conditions := sorted(interaction_words("conditions").intersection(words))):
        yield Sign(f"it puts a condition on {', '.join(spoken[:3])}: {', '.join(conditions)}")


def _counted(words: Sequence[str], amounts: Sequence[str | None], known: Reckoning) -> list[str]:
    """What the sentence counts, or if it counts nothing speaks of, of what the problem counts or asks for.

    A unit is counted where it is asked for.
    """
    heads = [amount for amount in amounts if amount is not None] or words
    heads = [word for word in heads if word not in interaction_words("abstract")]
    return [
        word
        for word in heads
        if is_content(word) and stem(word) in (known.asked if dimensions_of(word) else known.counted)
    ]


def _whole(short: str, words: Sequence[str], counted: Sequence[str]) -> str:
    """The word by which the sentence says how many of these there are in all; empty where it does not."""
    said = next((match[0] for word in counted if (match := re.search(rf"\b{_WHOLE} {re.escape(word)}\b", short))), "")
    return said.partition(" ")[0] or next(iter(sorted(_ALTOGETHER.intersection(words))), "")


@cache
def _scaling_stems() -> frozenset[str]:
    return frozenset(map(stem, interaction_words("scalings")))


@cache
def _light_stems() -> frozenset[str]:
    """The stems of verbs that say little of what happens."""
    return frozenset(map(stem, interaction_words("light")))


def _changes(sentence: Document) -> Iterator[str]:
    """The verbs of change in the sentence. A form that may be a noun as well counts behind its subject alone."""
    before = None
    for span in sentence.spans:
        word = span.of(sentence.text).lower()
        may_be = stem(word) in change_stems()
        if is_change(word) or (may_be and before is not None and _is_subject(sentence, before, word)):
            yield word
        if span.type is not SpanType.SPACE:
            before = span


def _is_subject(sentence: Document, before: Span, verb: str) -> bool:
    """Whether a verb may have the word before it as its subject: a pronoun or name, or a noun of a third person."""
    if before.type is SpanType.NAME or before.of(sentence.text).lower() in _SUBJECTS:
        return True
    return verb.endswith("s") and before.type in _NOUNS and is_content(before.of(sentence.text).lower())


def increments_in(sentence: Document) -> set[str]:
    """Words that add to, or change, what stands before; "more than" with a number behind it does neither."""
    words = set(sentence.words)
    if "than" in words:
        words -= {"more", "fewer", "less"}
    return words & interaction_words("increments")
