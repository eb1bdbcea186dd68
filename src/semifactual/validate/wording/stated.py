"""The quantities that two texts state, compared by value however they are written: three = 3, half = 50 %."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from semifactual.latex.tree import mathematics_key
from semifactual.text.document import Document
from semifactual.text.lexicon import without_possessive
from semifactual.text.spans import SpanType
from semifactual.validate.contract import Pair
from semifactual.validate.quoting import quoted, with_what_follows
from semifactual.validate.verdict import Finding, failed, passed, undecided
from semifactual.validate.wording.quantities import Quantity, measure_of, quantities
from semifactual.validate.words import difference, meaning, stem

_BY_TEXT = frozenset({SpanType.MATH, SpanType.LATEX, SpanType.CODE, SpanType.URL, SpanType.BLANK})

Said = tuple[str, str]
"""What something says, as it is compared, and how it is written."""

IN_WORDS = frozenset({SpanType.NUMBER_WORD, SpanType.UNIT})
"""What is compared by what it says in either mode."""
_PER = frozenset({"per", "each", "every", "a", "an", "cubic", "square", "in"})
_FEW = (2, 3, 4)
_DISTRIBUTING = (["per"], ["every"], ["each"], ["by"], ["times"])
_OPERATORS = (
    "fold",
    "-",
    " more",
    " times",
    " fewer",
    " less",
    " percent",
    " extra",
    " of the",
    " of h",
    " hundred",
    " dozen",
)


def same_statements(pair: Pair) -> Finding:
    """Whether every quantity and formula of the one text stands in the other, and none beside.

    What a text says twice, its rewrite may say once, and the other way round, where both are worded freely; in a
    rewrite that keeps the original's words the counts must agree.
    """
    before, after = quantities(pair.original), quantities(pair.rewrite)
    lost, gained = list(_unmatched(before, after)), list(_unmatched(after, before))
    if pair.in_other_words and not lost:
        gained = [quantity for quantity in gained if not _summarises(pair, quantity)]
    texts = (pair.original.text, pair.rewrite.text)
    if lost or gained:
        return failed(_evidence(texts, lost, gained))
    if change := _exchanged_unit(pair):
        return failed(change)
    if unit := _strange_unit(pair, before, after):
        return failed(f"measures in {unit!r}, the original does not")
    formulas, new_formulas = list(_formulas(pair.original)), list(_formulas(pair.rewrite))
    if change := _difference(formulas, new_formulas):
        return failed(change)
    shares, new_shares = (
        [(str(q.share), q.of(text)) for q in side if not q.loose and not q.dimension]
        for side, text in zip((before, after), texts, strict=True)
    )
    if _lacks(shares, new_shares) and _lacks(new_shares, shares):
        return failed(_difference(shares, new_shares))
    dates, new_dates = _dates(pair.original), _dates(pair.rewrite)
    if new := new_dates.keys() - dates.keys():
        return undecided(f"gained {quoted(new_dates[key] for key in sorted(new))}")
    if not pair.in_other_words:
        was, now = (
            [*_counts(side, text), *known.items()]
            for side, text, known in zip((before, after), texts, (dates, new_dates), strict=True)
        )
        if change := _difference(was, now):
            return failed(change)
    return passed(f"{len(before)} quantities")


def _lacks(these: Iterable[Said], those: Iterable[Said]) -> bool:
    """Whether something of the one is not in the other, or less often."""
    return bool(Counter(key for key, _ in these) - Counter(key for key, _ in those))


def _difference(before: Sequence[Said], after: Sequence[Said]) -> str:
    """What was lost and gained, compared by key and told as it is written; empty if nothing was."""
    was, now = (Counter(key for key, _ in side) for side in (before, after))
    return difference(was, now, dict((*after, *before)))


def same_words(pair: Pair) -> Finding:
    """Whether the numbers in words and the units of two texts are the same, in whatever form of the word.

    "Once" and "the two of them" may come and go, and a unit may be named once more; nothing else may.
    """
    spelled = [_spelled(document) for document in (pair.original, pair.rewrite)]
    written = {
        str(quantity.share): document.text[quantity.start : quantity.end]
        for document, side in zip((pair.rewrite, pair.original), reversed(spelled), strict=True)
        for quantity in side
    }
    was, now = (Counter(str(quantity.share) for quantity in side if _counts_in_words(quantity)) for side in spelled)
    extra = Counter(str(q.share) for q in spelled[1] if not q.loose and _summarises(pair, q))
    if was - now or now - was - extra:
        return failed(difference(was, now, written))
    units, new_units = _units(pair.original), _units(pair.rewrite)
    if units.keys() != new_units.keys():
        gone, come = _apart(units, new_units)
        return failed(difference(Counter(gone.values()), Counter(come.values())))
    change = _exchanged_unit(pair)
    return failed(change) if change else passed()


def _apart(these: Mapping[str, str], those: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """What only the one and what only the other has."""
    return (
        {key: word for key, word in these.items() if key not in those},
        {key: word for key, word in those.items() if key not in these},
    )


def _counts_in_words(quantity: Quantity) -> bool:
    """Whether a number in words may be neither gained nor lost: all but one, and the first of a row."""
    return not quantity.loose or (quantity.sort == "th" and quantity.value > 1)


def _spelled(document: Document) -> list[Quantity]:
    """The quantities that a text states in words."""
    return [q for q in quantities(document) if not q.implied and document.text[q.start].isalpha()]


def _units(document: Document) -> dict[str, str]:
    """The units of a text, the singular and the plural alike, each with the word that it first stands in."""
    found: dict[str, str] = {}
    for piece in document.pieces(SpanType.UNIT):
        measure = measure_of(piece.lower())
        found.setdefault(meaning(piece) if measure is None else f"{measure[1]} {measure[0]}", piece)
    return found


def _unmatched(these: Iterable[Quantity], those: Sequence[Quantity]) -> Iterator[Quantity]:
    """The quantities that none of the others equals, by value or, where both are measured alike, by size."""
    by_share: dict[tuple[Fraction, bool], list[Quantity]] = {}
    for other in those:
        by_share.setdefault((other.share, other.sort == ":"), []).append(other)
    sizes = {(other.size, other.dimension) for other in those if other.dimension}
    for quantity in these:
        if quantity.loose or (quantity.dimension and (quantity.size, quantity.dimension) in sizes):
            continue
        equal = by_share.get((quantity.share, quantity.sort == ":"), ())
        if not any(other.dimension != quantity.dimension or not other.dimension for other in equal):
            yield quantity


def _summarises(pair: Pair, quantity: Quantity) -> bool:
    """Whether a small number in words only counts what the original lists: the three friends, two kinds of tickets."""
    text = pair.rewrite.text
    if not text[quantity.start].isalpha() or quantity.value not in _FEW or quantity.dimension or quantity.sort:
        return False
    before = text[max(0, quantity.start - 12) : quantity.start].lower().split()[-1:]
    return before not in _DISTRIBUTING and not text.startswith(_OPERATORS, quantity.end)


def _exchanged_unit(pair: Pair) -> str:
    """A unit of which nothing but itself became another: 3 days, 3 weeks. Empty where there is none."""
    for change in pair.alignment.changes:
        if len(change.before) == len(change.after) == 1:
            measures = [measure_of(token.word) for token in (*change.before, *change.after)]
            if None not in measures and measures[0] != measures[1]:
                return f"{change.before[0].word!r} became {change.after[0].word!r}"
    return ""


def _strange_unit(pair: Pair, before: Sequence[Quantity], after: Sequence[Quantity]) -> str:
    """A unit without a number in which the original, measuring alike, measures nothing: per hour, per minute."""
    theirs = {(q.dimension, q.size / q.value) for q in before if q.dimension and q.value}
    sizes = {(q.dimension, q.size) for q in before if q.dimension}
    for unit in after:
        known = (unit.dimension, unit.size) in theirs | sizes
        if not unit.implied or not unit.dimension or known or not _measures(pair.rewrite.text, unit):
            continue
        if any(unit.dimension == dimension for dimension, _ in theirs):
            return pair.rewrite.text[unit.start : unit.end]
    return ""


def _measures(text: str, unit: Quantity) -> bool:
    """Whether a unit without a number says how something is counted: per day, how many days, daily."""
    word = text[unit.start : unit.end]
    before = text[max(0, unit.start - 12) : unit.start].lower().split()
    return word.endswith("ly") or before[-1:] == ["many"] or (bool(before) and before[-1] in _PER)


def _evidence(texts: tuple[str, str], lost: list[Quantity], gained: list[Quantity]) -> str:
    parts = []
    for word, text, found in zip(("lost", "gained"), texts, (lost, gained), strict=True):
        if found:
            parts.append(f"{word} " + ", ".join(with_what_follows(text, q.start, q.end) for q in found[:6]))
    return "; ".join(parts)


def _counts(found: Iterable[Quantity], text: str) -> Iterator[Said]:
    """Each quantity that is stated: by its size where it is measured, else by its value."""
    for quantity in found:
        if _counts_in_words(quantity):
            measured = f"{quantity.size} {quantity.dimension}"
            yield measured if quantity.dimension else str(quantity.share), quantity.of(text)


def _dates(document: Document) -> dict[str, str]:
    return {stem(without_possessive(piece.lower())): piece for piece in document.pieces(SpanType.DATE)}


def _formulas(document: Document) -> Iterator[Said]:
    """What is compared as it is written: formulas, code and blanks, without their white space."""
    numbers = {quantity.start for quantity in quantities(document)}
    for span in document.of_type(*_BY_TEXT):
        if span.start not in numbers:
            piece = span.of(document.text)
            yield mathematics_key(piece).rstrip(" .,;"), piece
