"""Rules that compare spans: what is frozen is there byte for byte, and each quantity still stands where it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations

from semifactual.text.document import Document
from semifactual.text.lexicon import without_possessive
from semifactual.text.spans import Span, SpanType
from semifactual.text.values import quantity_value
from semifactual.validate.contract import Check, Pair, check
from semifactual.validate.verdict import Finding, Mode, failed, passed
from semifactual.validate.words import difference, is_content, stem

_ORDERED = frozenset(
    {
        SpanType.MATH,
        SpanType.LATEX,
        SpanType.CURRENCY,
        SpanType.PERCENT,
        SpanType.NUMBER,
        SpanType.ORDINAL,
        SpanType.NUMBER_WORD,
        SpanType.TIME,
        SpanType.RATIO,
        SpanType.VARIABLE,
    }
)
_ACTORS = frozenset({SpanType.NAME, SpanType.VARIABLE, SpanType.LABEL})


def frozen_spans(*types: SpanType) -> Check:
    """The rule that the spans of these types are the same, however ordered.

    In frozen mode bytes are compared; in semantic mode quantities by value, and the rest without their white space.
    """

    @check("frozen_spans", "the same numbers, mathematics, units and other frozen spans, in any order")
    def run(pair: Pair) -> Finding:
        before = Counter(_keys(pair.original, types, pair.mode))
        change = difference(before, Counter(_keys(pair.rewrite, types, pair.mode)))
        return failed(change) if change else passed(f"{before.total()} spans")

    return run


def _keys(document: Document, types: Iterable[SpanType], mode: Mode) -> Iterable[str]:
    for span in document.of_type(*types):
        yield _key(document.text, span, mode)


def _key(text: str, span: Span, mode: Mode) -> str:
    piece = span.of(text)
    if mode is Mode.FROZEN:
        return piece.lower() if span.type is SpanType.NUMBER_WORD else piece
    value = quantity_value(text, span)
    return str(value) if value is not None else "".join(piece.split())


@check("names", "the same proper names, none new, none gone")
def names(pair: Pair) -> Finding:
    before, after = _names(pair.original), _names(pair.rewrite)
    gone = sorted(name for name in before - after if name.lower() not in pair.rewrite.words)
    new = sorted(name for name in after - before if name.lower() not in pair.original.words)
    if not gone and not new:
        return passed(f"{len(before)} names")
    return failed("; ".join(f"{what} {', '.join(who)}" for what, who in (("lost", gone), ("gained", new)) if who))


def _names(document: Document) -> set[str]:
    return {without_possessive(piece) for piece in document.pieces(SpanType.NAME)}


@check("quantity_roles", "no two quantities changed places")
def quantity_roles(pair: Pair) -> Finding:
    order, new_order = ([key for key, _ in _ordered(d, pair.mode)] for d in (pair.original, pair.rewrite))
    if order == new_order:
        return passed("the order is the same")
    if set(order) != set(new_order):
        return passed("not the same quantities; see frozen_spans")
    if "respectively" in pair.original.words:
        return failed("the order changed, and the text says 'respectively'")
    before, after = _neighbours(pair.original, pair.mode), _neighbours(pair.rewrite, pair.mode)
    for one, other in combinations(before, 2):
        for side in (0, 1):
            if _exchanged(before, after, one, other, side):
                return failed(f"{one!r} and {other!r} changed places")
    return passed("quantities moved with their words")


_Neighbours = dict[str, tuple[set[str], set[str]]]


def _ordered(document: Document, mode: Mode) -> Iterator[tuple[str, int]]:
    """The quantities and formulas of a text in order: the key of each, and its place among the spans."""
    for index, span in enumerate(document.spans):
        if span.type in _ORDERED:
            yield _key(document.text, span, mode), index


def _neighbours(document: Document, mode: Mode) -> _Neighbours:
    """For each quantity, by key, the content words that stand next to it on the left and on the right."""
    found: _Neighbours = {}
    for key, index in _ordered(document, mode):
        left, right = found.setdefault(key, (set(), set()))
        left.update(_nearest(document, index, -1))
        right.update(_nearest(document, index, 1))
    return found


def _nearest(document: Document, index: int, step: int) -> set[str]:
    """The stem of the first content word from a span on in one direction within its sentence; empty without one."""
    position = index + step
    while 0 <= position < len(document.spans):
        piece = document.spans[position].of(document.text)
        if piece in (".", "?", "!", ";"):
            break
        word = without_possessive(piece.lower())
        if word[0].isalpha() and is_content(word):
            return {stem(word)}
        position += step
    return set()


def _exchanged(before: _Neighbours, after: _Neighbours, one: str, other: str, side: int) -> bool:
    """Whether two quantities took over each other's neighbour words on one side and kept none of their own."""
    own, theirs = before[one][side], before[other][side]
    now_own, now_theirs = after[one][side], after[other][side]
    if not own or not theirs or own & theirs:
        return False
    return bool(now_own & theirs and now_theirs & own) and not now_own & own and not now_theirs & theirs


@check("name_roles", "no two actors changed places around the same words")
def name_roles(pair: Pair) -> Finding:
    before, after = _between_actors(pair.original), _between_actors(pair.rewrite)
    for first, words, second in sorted(after - before):
        if words and (second, words, first) in before:
            return failed(f"{second} ... {first} became {first} ... {second}, with {' '.join(words)!r} between them")
    return passed()


def _between_actors(document: Document) -> set[tuple[str, tuple[str, ...], str]]:
    """Every two names or variables next to each other within a sentence, with the words between them."""
    found = set()
    last: tuple[str, list[str]] | None = None
    for span in document.spans:
        piece = span.of(document.text)
        if span.type in _ACTORS:
            who = without_possessive(piece)
            if last is not None and last[0] != who:
                found.add((last[0], tuple(last[1]), who))
            last = (who, [])
        elif piece in (".", "?", "!"):
            last = None
        elif last is not None and piece[0].isalpha():
            last[1].append(stem(piece))
    return found


@check("answer_format", "the sentence that fixes the answer's form stands as it did")
def answer_format(pair: Pair) -> Finding:
    text = pair.original.text
    for start, end in pair.original.answer_formats:
        if text[start:end] not in pair.rewrite.text:
            return failed(f"changed: {text[start:end][:80]!r}")
    return passed(f"{len(pair.original.answer_formats)} sentences")
