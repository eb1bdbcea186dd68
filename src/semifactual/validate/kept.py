"""Rules that compare spans: what is frozen is there byte for byte, and each quantity still stands where it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from semifactual.text.document import Document
from semifactual.text.lexicon import without_possessive
from semifactual.text.spans import Span, SpanType
from semifactual.text.values import quantity_value
from semifactual.validate.contract import Check, Pair, check
from semifactual.validate.verdict import Finding, Mode, failed, passed, undecided
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
_SORTS = {SpanType.PERCENT: "%", SpanType.ORDINAL: "th"}
"""What tells equal values apart: 20 % is not 20."""

_COUNTS = frozenset({SpanType.NUMBER, SpanType.NUMBER_WORD})
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


def _keys(document: Document, types: Iterable[SpanType], mode: Mode) -> Iterator[str]:
    """What the spans of these types say, in order."""
    for span in document.of_type(*types):
        yield _key(document.text, span, mode)


def _key(text: str, span: Span, mode: Mode) -> str:
    piece = span.of(text)
    if mode is Mode.FROZEN:
        return piece.lower() if span.type is SpanType.NUMBER_WORD else piece
    value = quantity_value(text, span)
    if value is None:
        return "".join(piece.split())
    return f"{value}{_SORTS.get(span.type, '')}"


@check("counted_things", "no number counts a thing that the original does not speak of")
def counted_things(pair: Pair) -> Finding:
    theirs = {stem(word) for word in pair.original.words}
    spans = pair.rewrite.spans
    for number, space, noun in zip(spans, spans[1:], spans[2:], strict=False):
        if number.type in _COUNTS and space.type is SpanType.SPACE and noun.type is SpanType.WORD:
            word = without_possessive(noun.of(pair.rewrite.text).lower())
            if is_content(word) and stem(word) not in theirs:
                return undecided(f"{number.of(pair.rewrite.text)} {word}: the original has no {word!r}")
    return passed()


@check("names", "the same proper names: none new, none gone, none in another's place")
def names(pair: Pair) -> Finding:
    before, after = _names(pair.original), _names(pair.rewrite)
    gone = sorted(name for name in before.keys() - after.keys() if name.lower() not in pair.rewrite.words)
    new = sorted(name for name in after.keys() - before.keys() if name.lower() not in pair.original.words)
    if not gone and not new:
        fewer, more = sorted(before - after), sorted(after - before)
        if fewer and more:
            return undecided(f"{', '.join(fewer)} named less often, {', '.join(more)} more often")
        return passed(f"{before.total()} names")
    return failed("; ".join(f"{what} {', '.join(who)}" for what, who in (("lost", gone), ("gained", new)) if who))


def _names(document: Document) -> Counter[str]:
    return Counter(without_possessive(piece) for piece in document.pieces(SpanType.NAME))


@check("quantity_roles", "no two quantities changed places")
def quantity_roles(pair: Pair) -> Finding:
    order, new_order = (list(_keys(document, _ORDERED, pair.mode)) for document in (pair.original, pair.rewrite))
    if order == new_order:
        return passed("the order is the same")
    if set(order) != set(new_order):
        return passed("not the same quantities; see frozen_spans")
    if "respectively" in pair.original.words:
        return failed("the order changed, and the text says 'respectively'")
    replaced = set(_replaced(pair))
    owners, new_owners = _owners(pair.original, pair.mode), _owners(pair.rewrite, pair.mode)
    for old, new in sorted(replaced):
        moved_with_owner = owners[old] != owners[new] and all(owners[key] == new_owners[key] for key in (old, new))
        if (new, old) in replaced and not moved_with_owner:
            return failed(f"{old!r} and {new!r} changed places")
    return passed("quantities moved with their words")


_SLOT = "#"


def _replaced(pair: Pair) -> Iterator[tuple[str, str]]:
    """Quantities that stand in the rewrite where another one stood, as (old, new).

    The texts are aligned by their content words, with every quantity as the same blank. A clause that moved as a
    whole is outside the alignment, and takes its quantities with it.
    """
    before, keys_before = _with_slots(pair.original, pair.mode)
    after, keys_after = _with_slots(pair.rewrite, pair.mode)
    for start, other, size in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
        for offset in range(size):
            old, new = keys_before.get(start + offset), keys_after.get(other + offset)
            if old is not None and new is not None and old != new:
                yield old, new


def _owners(document: Document, mode: Mode) -> dict[str, set[str]]:
    """For each quantity, by key, the name that stands before it in its sentence; all of them where it recurs."""
    found: dict[str, set[str]] = {}
    owner = ""
    for span in document.spans:
        piece = span.of(document.text)
        if span.type is SpanType.NAME:
            owner = without_possessive(piece)
        elif piece in (".", "?", "!"):
            owner = ""
        elif span.type in _ORDERED:
            found.setdefault(_key(document.text, span, mode), set()).add(owner)
    return found


def _with_slots(document: Document, mode: Mode) -> tuple[list[str], dict[int, str]]:
    """The content words of a text with a blank for each quantity, and the keys of the blanks by their place."""
    tokens: list[str] = []
    keys: dict[int, str] = {}
    for span in document.spans:
        piece = span.of(document.text)
        if span.type in _ORDERED:
            keys[len(tokens)] = _key(document.text, span, mode)
            tokens.append(_SLOT)
        elif piece[0].isalpha() and is_content(word := without_possessive(piece.lower())):
            tokens.append(stem(word))
    return tokens, keys


@check("name_roles", "no two actors changed places around the same words")
def name_roles(pair: Pair) -> Finding:
    before, after = _between_actors(pair.original), _between_actors(pair.rewrite)
    for first, words, second in sorted(after - before):
        if words and (second, words, first) in before:
            return failed(f"{second} ... {first} became {first} ... {second}, with {' '.join(words)!r} between them")
    return passed()


_COORDINATIONS = (["and"], ["or"], ["but"], ["while"])
"""What joins two clauses that may stand in either order."""


def _between_actors(document: Document) -> set[tuple[str, tuple[str, ...], str]]:
    """Every two names or variables next to each other within a clause, with the words between them."""
    found = set()
    last: tuple[str, list[str]] | None = None
    for span in document.spans:
        piece = span.of(document.text)
        if span.type in _ACTORS:
            who = without_possessive(piece)
            if last is not None and last[0] != who and last[1][-1:] not in _COORDINATIONS:
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
