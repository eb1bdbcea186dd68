"""number_word: some or all of the plain numerals of the prose, in words."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby
from random import Random

from semifactual.interventions.registry import intervention
from semifactual.text.cardinals import spelled
from semifactual.text.document import Document
from semifactual.text.edits import Edit, apply_edits
from semifactual.text.lexicon import given_names, word_list, word_types
from semifactual.text.spans import Span, SpanType
from semifactual.types import Draft, Family
from semifactual.validate.common import COMMON, leak
from semifactual.validate.contract import Contract, Pair
from semifactual.validate.spelled_numbers import (
    only_numerals_spelled,
    opens_sentence,
    plain_numerals,
    same_number,
    whole_number,
    why_numeral_stays,
    words_apart,
)

CONTRACT = Contract(
    # No leak: equal numbers in the same places give nothing away, and looking for the answer costs most of the time.
    checks=(
        *(rule for rule in COMMON if rule is not leak),
        only_numerals_spelled,
        same_number,
        plain_numerals,
        words_apart,
    ),
    frozen=frozenset(SpanType) - {SpanType.NUMBER},
    guarded=frozenset({SpanType.NUMBER}),
)

_LIMITS = (10, 100)
"""Up to which numbers books spell them, by the one custom and the other."""
_SHORT = 100
"""Numbers up to here, and round ones, are spelled in books; longer ones only where there are no others."""
_MOST_WORDS = 6
_LONGEST_COMPOUND = 20
_BEHIND = re.compile(r"([ -])([^\W\d_]+)")
_BEFORE = re.compile(r"([^\W\d_]+) \Z")
_LABELS = frozenset(
    {"number", "page", "room", "chapter", "grade", "level", "question", "problem", "exercise", "step", "case", "figure",
     "base", "type", "version", "mod", "modulo"}
)  # fmt: skip
"""What a numeral behind these names, it does not count."""
_KEPT_WITH = frozenset({"dollar", "dollars", "cent", "cents", "percent", "percentage", "usd", "am", "pm", "in", "x"})
_MATHEMATICS = frozenset({SpanType.MATH, SpanType.LATEX, SpanType.VARIABLE})
_APART = re.compile(r"[.?!:]\s|\n")
_NEAR_MATHEMATICS = 3
"""Words at most between a formula and a numeral that goes with it."""
_NEAR_SPANS = 10
_NUMBERS = frozenset({SpanType.NUMBER_WORD, SpanType.ORDINAL})
_IN_LIST = re.compile(r"\s*(?:,|or|and|to|through|&|-|–|out of|[ -]?[a-z]{0,12} ?by)?(?:,?\s*(?:or|and))?\s*\$?\d")
_LIST_BEFORE = re.compile(r"\d[\d.]*%?\s*(?:,|,?\s*(?:or|and|to|through)|&|-|–|[ -]?[a-z]{0,12} ?by(?: a| an)?)\s*\Z")


@intervention(
    "number_word",
    family=Family.NOTATION,
    contract=CONTRACT,
    summary="some or all plain numerals of the prose in words of the same value",
    example=(
        "A baker fills 12 trays with 30 rolls each. How many rolls does she bake?",
        "A baker fills twelve trays with thirty rolls each. How many rolls does she bake?",
    ),
)
def rewrite(original: Document, rng: Random) -> Iterator[Draft]:
    """Yield up to three drafts: all eligible numerals in words, and those up to ten or a hundred, as in books."""
    lists = _eligible(original)
    seen: set[tuple[Span, ...]] = set()
    for limit in (None, *rng.sample(_LIMITS, len(_LIMITS))):
        chosen = tuple(span for spans in lists if limit is None or _all_up_to(limit, original, spans) for span in spans)
        if not chosen or chosen in seen:
            continue
        seen.add(chosen)
        edits = [Edit(span.start, span.end, _words(original, span)) for span in chosen]
        draft = Draft(
            apply_edits(original.text, edits),
            {"numbers": [{"numeral": edit.removed(original.text), "words": edit.replacement} for edit in edits]},
        )
        if words_apart.run(Pair(original, Document(draft.text))).passed:
            yield draft


def _all_up_to(limit: int, document: Document, spans: Sequence[Span]) -> bool:
    return all(_value(document, span) <= limit for span in spans)


def _value(document: Document, span: Span) -> int:
    return whole_number(span.of(document.text)) or 0


def _words(document: Document, span: Span) -> str:
    words = spelled(_value(document, span))
    return words.capitalize() if opens_sentence(document, span) else words


def _eligible(document: Document) -> list[list[Span]]:
    """The numerals that read well in words, by sentences: the short and round ones, or all where there are none.

    A sentence has all of its numerals in words or none, and so has the text all that say the same number.
    """
    words = {
        span: spelled(_value(document, span))
        for span in document.of_type(SpanType.NUMBER)
        if _reads_well(document, span)
    }
    short = {span for span in words if _value(document, span) <= _SHORT or words[span].count(" ") == 1}
    long = {span for span in words if len(re.split("[ -]", words[span])) <= _MOST_WORDS}
    return _all_or_none(document, short) or _all_or_none(document, long)


def _all_or_none(document: Document, fit: set[Span]) -> list[list[Span]]:
    """By sentences, those of the numerals that `fit` beside which nothing is left in digits that is like them."""
    counting = [span for span in document.of_type(SpanType.NUMBER) if span in fit or _counts(document, span)]
    starts = [start for start, _ in document.sentences]
    sentences = [list(spans) for _, spans in groupby(counting, key=lambda span: bisect_right(starts, span.start))]
    kept = {_value(document, span) for spans in sentences if not fit.issuperset(spans) for span in spans}
    return [spans for spans in sentences if kept.isdisjoint(_value(document, span) for span in spans)]


def _counts(document: Document, span: Span) -> bool:
    """Whether a numeral says how many, as others beside it do: no fraction, sum of money or abbreviated measure."""
    behind = _BEHIND.match(document.text, span.end)
    word = behind[2].lower() if behind else ""
    money = "$" in document.text[span.end : span.end + 1]
    return "/" not in span.of(document.text) and not money and word not in _KEPT_WITH and not _is_abbreviated(word)


def _reads_well(document: Document, span: Span) -> bool:
    """Whether a numeral stands alone in prose: no abbreviated unit, price or percentage, no label, no list."""
    text = document.text
    number = whole_number(span.of(text))
    if number is None or why_numeral_stays(document, span) or _is_beside_mathematics(document, span):
        return False
    left = text[max(0, span.start - 40) : span.start]
    if _IN_LIST.match(text, span.end) or _LIST_BEFORE.search(left):
        return False
    before = match[1] if (match := _BEFORE.search(left)) else ""
    if before in _LABELS or word_types().get(before.lower()) in _NUMBERS:
        return False
    if before.istitle() and before.lower() not in word_list("function") and before not in given_names():
        return False
    behind = _BEHIND.match(text, span.end)
    if behind is None:
        return True
    word = behind[2].lower()
    if behind[1] == "-" and number > _LONGEST_COMPOUND:
        return False
    return word not in _KEPT_WITH and word_types().get(word) not in _NUMBERS and not _is_abbreviated(word)


def _is_beside_mathematics(document: Document, span: Span) -> bool:
    """Whether a formula stands so near in the same sentence that the two go together: the integers 240 and $k$."""
    place = bisect_left(document.spans, span.start, key=lambda other: other.start)
    for other in document.spans[max(0, place - _NEAR_SPANS) : place + _NEAR_SPANS]:
        if other.type in _MATHEMATICS:
            first, second = sorted((span, other))
            between = document.text[first.end : second.start]
            if len(between.split()) <= _NEAR_MATHEMATICS and not _APART.search(between):
                return True
    return False


def _is_abbreviated(word: str) -> bool:
    """Whether a word is an abbreviated unit, which keeps its digits: 5 km, 3 lbs."""
    return len(word) <= 3 and (word_types().get(word) is SpanType.UNIT or word in word_list("unit_after_number"))
