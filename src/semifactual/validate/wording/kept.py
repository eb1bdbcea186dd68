"""Rules that compare spans: what is frozen is there byte for byte, and each quantity still stands where it did."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache

from semifactual.text.document import Document
from semifactual.text.lexicon import first_names, without_possessive, word_list
from semifactual.text.spans import Span, SpanType
from semifactual.text.values import quantity_value
from semifactual.validate.contract import Check, Pair, check
from semifactual.validate.quoting import excerpt, quoted
from semifactual.validate.verdict import Finding, Mode, failed, passed, undecided
from semifactual.validate.wording.affinity import exchanged_quantities
from semifactual.validate.wording.alignment import MOST_COMPARED, Token
from semifactual.validate.wording.stated import IN_WORDS, same_statements, same_words
from semifactual.validate.words import difference, is_content, is_verb, meaning, stem

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

_RELATION = re.compile(r"[=<>]|\\\\(?:leq?|geq?|neq?|equiv|in|sim)\\b")
"""What makes a formula a statement of its own, which may stand in any order with others."""
_COUNTS = (SpanType.NUMBER, SpanType.NUMBER_WORD)
_ACTORS = (SpanType.NAME, SpanType.VARIABLE, SpanType.LABEL)


def frozen_spans(*types: SpanType) -> Check:
    """The rule that the spans of these types are the same, however ordered.

    In frozen mode bytes are compared; in semantic mode quantities by value, and the rest without their white space.
    """

    verbatim = frozenset(types) - IN_WORDS

    @check("frozen_spans", "the same numbers, mathematics, units and other frozen spans, in any order")
    def run(pair: Pair) -> Finding:
        if pair.mode is Mode.SEMANTIC:
            return same_statements(pair)
        finding = same_words(pair)
        if not finding.passed:
            return finding
        before = Counter(_keys(pair.original, verbatim, pair.mode))
        change = difference(before, Counter(_keys(pair.rewrite, verbatim, pair.mode)))
        return failed(change) if change else passed(f"{before.total()} spans")

    return run


def _keys(document: Document, types: Iterable[SpanType], mode: Mode) -> Iterator[str]:
    """What the spans of these types say, in order."""
    for span in document.of_type(*types):
        yield _key(document.text, span, mode)


def _key(text: str, span: Span, mode: Mode) -> str:
    piece = span.of(text)
    if mode is Mode.FROZEN:
        if span.type in (SpanType.DATE, SpanType.NAME, SpanType.LABEL, SpanType.OPTION):
            piece = without_possessive(piece).rstrip(".")
        return piece.lower() if span.type is SpanType.NUMBER_WORD else piece
    value = quantity_value(text, span)
    if value is None:
        return "".join(piece.split())
    return f"{value}{_SORTS.get(span.type, '')}"


@check("counted_things", "no number counts a thing that the original does not speak of")
def counted_things(pair: Pair) -> Finding:
    if pair.in_other_words:
        return passed("told in other words")
    theirs = pair.alignment.known
    if pair.alignment.gained.keys() <= theirs:
        return passed()
    spans = pair.rewrite.spans
    for number, space, noun in zip(spans, spans[1:], spans[2:], strict=False):
        if number.type in _COUNTS and space.type is SpanType.SPACE and noun.type is SpanType.WORD:
            word = without_possessive(noun.of(pair.rewrite.text).lower())
            if is_content(word) and meaning(word) not in theirs and not is_verb(word):
                return undecided(f"{excerpt(pair.rewrite.text, number.start, noun.end)}: the original has no {word!r}")
    return passed()


@check("names", "the same proper names: none new, none gone, none in another's place")
def names(pair: Pair) -> Finding:
    before, after = _names(pair.original), _names(pair.rewrite)
    gone = sorted(name for name in before.keys() - after.keys() if name.lower() not in pair.rewrite.words)
    new = sorted(name for name in after.keys() - before.keys() if name.lower() not in pair.original.words)
    if not gone and not new:
        fewer, more = sorted(before - after), sorted(after - before)
        if fewer and more:
            return undecided(f"{quoted(fewer)} named less often, {quoted(more)} more often")
        return passed(f"{before.total()} names")
    return failed("; ".join(f"{what} {quoted(who)}" for what, who in (("lost", gone), ("gained", new)) if who))


def _names(document: Document) -> Counter[str]:
    pieces = (without_possessive(piece) for piece in document.pieces(SpanType.NAME))
    return Counter(piece for piece in pieces if not _opens_sentence(re.split("['’]", piece.lower())[0]))


def _opens_sentence(word: str) -> bool:
    """Whether a capital makes this no name: a function word, a request, a participle."""
    return word in _no_names() or (word.endswith("ing") and word.capitalize() not in first_names())


@cache
def _no_names() -> frozenset[str]:
    """Words that a capital makes no name: they open a sentence, or a contraction does."""
    return word_list("function") | word_list("ask") | word_list("discourse") | {"go", "say"}


@check("quantity_roles", "no two quantities changed places")
def quantity_roles(pair: Pair) -> Finding:
    if exchanged := exchanged_quantities(pair):
        return failed(f"{exchanged[0]!r} and {exchanged[1]!r} changed places")
    if pair.in_other_words:
        return passed("no two quantities changed places")
    order, new_order = (list(_keys(document, _ORDERED, pair.mode)) for document in (pair.original, pair.rewrite))
    if order == new_order:
        return passed("the order is the same")
    if set(order) != set(new_order):
        return passed("not the same quantities; see frozen_spans")
    if "respectively" in pair.original.words and _respective(pair.original, pair) != _respective(pair.rewrite, pair):
        return failed("the order changed, and the text says 'respectively'")
    if alone := _replaced_alone(pair):
        return failed(f"{alone[0]!r} and {alone[1]!r} changed places")
    replaced = set(_replaced(pair))
    owners, new_owners = _owners(pair.original, pair.mode), _owners(pair.rewrite, pair.mode)
    once = {key for key, number in (Counter(order) & Counter(new_order)).items() if number == 1 == order.count(key)}
    for old, new in sorted(pair for pair in replaced if once.issuperset(pair)):
        moved_with_owner = owners[old] != owners[new] and all(owners[key] == new_owners[key] for key in (old, new))
        if (new, old) in replaced and not moved_with_owner:
            one, other = (pair.alignment.written(f"#{key}") for key in (old, new))
            return failed(f"{one!r} and {other!r} changed places")
    return passed("quantities moved with their words")


def _replaced_alone(pair: Pair) -> tuple[str, str] | None:
    """Two quantities that changed places while the words around each stayed where they were."""
    replaced = {
        (change.before[0].word, change.after[0].word)
        for change in pair.alignment.changes
        if change.tight and len(change.before) == len(change.after) == 1 and change.before[0].quantity
    }
    return next((both for both in sorted(replaced) if both[::-1] in replaced), None)


def _respective(document: Document, pair: Pair) -> list[str]:
    """The quantities of the sentences that say "respectively", in order."""
    found = []
    for start, end in document.sentences:
        if "respectively" in document.words_between(start, end):
            spans = (span for span in document.of_type(*_ORDERED) if start <= span.start < end)
            found += [_key(document.text, span, pair.mode) for span in spans]
    return found


_SLOT = "#"


def _replaced(pair: Pair) -> Iterator[tuple[str, str]]:
    """Quantities that stand in the rewrite where another one stood, as (old, new).

    The texts are aligned by their content words, with every quantity as the same blank. A clause that moved as a
    whole is outside the alignment, and takes its quantities with it.
    """
    before, keys_before = _with_slots(pair.original, pair.mode)
    after, keys_after = _with_slots(pair.rewrite, pair.mode)
    if len(before) * len(after) > MOST_COMPARED:
        return
    for start, other, size in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
        for offset in range(size if size > 1 else 0):
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
            if _RELATION.search(piece) is None:
                keys[len(tokens)] = _key(document.text, span, mode)
            tokens.append(_SLOT)
        elif piece[0].isalpha() and is_content(word := without_possessive(piece.lower())):
            tokens.append(stem(word))
    return tokens, keys


@check("name_roles", "no two actors changed places around the same words")
def name_roles(pair: Pair) -> Finding:
    before, after = _between_actors(pair.alignment.before), _between_actors(pair.alignment.after)
    for first, words, second in sorted(after - before):
        if words and (second, words, first) in before:
            one, other = map(pair.alignment.written, (second, first))
            between = quoted(map(pair.alignment.written, words))
            return failed(f"{one!r} … {other!r} became {other!r} … {one!r}, with {between} between them")
    return passed()


_COORDINATIONS = ("and", "or", "but", "while")
"""What joins two clauses that may stand in either order."""


_AUXILIARIES = frozenset({"be", "hav", "do", "will", "can", "get"})


def _between_actors(side: Sequence[Token]) -> set[tuple[str, tuple[str, ...], str]]:
    """Every two names or variables next to each other within a sentence, with the words between them."""
    found = set()
    last: tuple[str, list[str]] | None = None
    for token in side:
        if token.opens_sentence:
            last = None
        if token.type in _ACTORS:
            if last is not None and last[0] != token.word and (not last[1] or last[1][-1] not in _COORDINATIONS):
                found.add((last[0], tuple(last[1]), token.word))
            last = (token.word, [])
        elif last is not None and token.word[0].isalpha() and token.key not in _AUXILIARIES:
            last[1].append(token.key)
    return found


@check("answer_format", "the sentence that fixes the answer's form stands as it did")
def answer_format(pair: Pair) -> Finding:
    text = pair.original.text
    for start, end in pair.original.answer_formats:
        if text[start:end] not in pair.rewrite.text:
            return failed(f"changed: {excerpt(text, start, end)}")
    return passed(f"{len(pair.original.answer_formats)} sentences")
