"""typo_noise: one slip of the keyboard in one ordinary word, which stays recognisable and becomes no other word."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from string import ascii_lowercase

from semifactual.interventions.registry import intervention
from semifactual.resources import template_lines
from semifactual.text.document import Document
from semifactual.text.edits import is_single_typo
from semifactual.text.lexicon import (
    ambiguous_names,
    english_words,
    first_names,
    without_possessive,
    word_list,
    word_types,
)
from semifactual.text.spans import Span, SpanType
from semifactual.types import Draft, Family
from semifactual.validate.common import COMMON
from semifactual.validate.contract import Contract
from semifactual.validate.edits import one_typo
from semifactual.validate.words import stem

CONTRACT = Contract(
    checks=(*COMMON, one_typo),
    frozen=frozenset(SpanType) - {SpanType.WORD},
)

SPARED = "typos/spared.txt"

_DRAFTS = 6
_VOWELS = frozenset("aeiouy")
_NEIGHBOURS = {
    "a": "sqz", "b": "vnh", "c": "xvd", "d": "sfec", "e": "wrd", "f": "dgrv", "g": "fhtb", "h": "gjyn", "i": "uok",
    "j": "hku", "k": "jli", "l": "kop", "m": "nk", "n": "bmh", "o": "ipl", "p": "ol", "q": "wa", "r": "etf",
    "s": "adw", "t": "ryg", "u": "yij", "v": "cbf", "w": "qes", "x": "zcs", "y": "tuh", "z": "xas",
}  # fmt: skip
"""The keys beside each key of a QWERTY keyboard."""
_RECOGNISABLE = 7
"""Letters. A shorter word that loses or changes one can be taken for another."""
_OFTEN_DOUBLED = frozenset("cdefglmnoprst")
_QUANTITIES = frozenset(
    {SpanType.NUMBER, SpanType.NUMBER_WORD, SpanType.CURRENCY, SpanType.PERCENT, SpanType.ORDINAL, SpanType.MATH}
)
_OPENERS = ("ask", "discourse", "function")
"""The lists whose words may be misspelt at the start of a sentence, where another word could be a name."""
_QUOTES = {'"': '"', "“": "”", "``": "''"}


@intervention(
    "typo_noise",
    family=Family.SURFACE,
    contract=CONTRACT,
    summary="one slip of the keyboard in one ordinary word",
    example=(
        "Ines packs 4 boxes with 9 candles each. How many candles does she pack?",
        "Ines pakcs 4 boxes with 9 candles each. How many candles does she pack?",
    ),
    templates=(SPARED,),
)
def rewrite(original: Document, rng: Random) -> Iterator[Draft]:
    """Yield up to six drafts, each with one typo in another word: long words first, exposed ones last."""
    count = 0
    for word in _preferred(original, rng):
        old = word.of(original.text)
        for edit, new in _slips(old, rng):
            if _is_clean(new, old):
                text = original.text[: word.start] + new + original.text[word.end :]
                yield Draft(text, {"word": old, "typo": new, "edit": edit})
                count += 1
                break
        if count == _DRAFTS:
            return


def _preferred(document: Document, rng: Random) -> Iterator[Span]:
    """The words that may take a typo, in random order but long words before short ones, and exposed words last.

    A word is exposed right behind a quantity or "per", where it may act as a unit, and in a sentence that goes on to
    fix the answer's form.
    """
    text, spans = document.text, document.spans
    names = {without_possessive(piece).lower() for piece in document.pieces(SpanType.NAME)}
    closed = (*document.answer_formats, *_quoted(text))
    careful = [(a, b) for a, b in document.sentences for start, _ in document.answer_formats if a <= start < b]
    words = [(i, span) for i, span in enumerate(spans) if span.type is SpanType.WORD and span.end - span.start >= 3]
    rng.shuffle(words)
    words.sort(key=lambda word: -min(word[1].end - word[1].start, 5))
    exposed: list[Span] = []
    for index, span in words:
        if not _stands_free(text, span) or _within(span, closed) or not _is_ordinary(span.of(text), names):
            continue
        if _is_counted(text, spans, index) or _within(span, careful):
            exposed.append(span)
        else:
            yield span
    yield from exposed


def _is_counted(text: str, spans: Sequence[Span], index: int) -> bool:
    """Whether a quantity or "per" stands right before a word."""
    if index < 2 or spans[index - 1].type is not SpanType.SPACE:
        return False
    before = spans[index - 2]
    return before.type in _QUANTITIES or before.of(text).lower() == "per"


def _within(span: Span, ranges: Sequence[tuple[int, int]]) -> bool:
    return bool(ranges) and any(start <= span.start < end for start, end in ranges)


def _is_ordinary(word: str, names: set[str]) -> bool:
    """Whether a word is a real one, neither a name nor spared, and lower case or a plain opener of a sentence."""
    lower = word.lower()
    if lower not in english_words() or not lower.isascii() or not lower.isalpha() or lower in names:
        return False
    if word != lower:
        return word[1:] == lower[1:] and any(lower in word_list(name) for name in _OPENERS)
    return lower.capitalize() not in first_names() and stem(lower) not in _spared_stems()


def _stands_free(text: str, span: Span) -> bool:
    """Whether white space or a mark of prose stands on both sides: no hyphen, no apostrophe, no mathematics.

    A displayed formula is the exception: many texts set the next word straight behind its ``\\]``.
    """
    before = text[span.start - 1] if span.start else " "
    after = text[span.end] if span.end < len(text) else " "
    is_free_before = before.isspace() or before in '("“‘*' or text.endswith("\\]", 0, span.start)
    return is_free_before and (after.isspace() or after in '.,;:?!)"”’*')


def _quoted(text: str) -> Iterator[tuple[int, int]]:
    """The ranges between double quotation marks: titles and words spoken of as words."""
    for opening, closing in _QUOTES.items():
        start = text.find(opening)
        while start >= 0:
            end = text.find(closing, start + len(opening))
            if end < 0:
                break
            yield start, end
            start = text.find(opening, end + len(closing))


def _slips(word: str, rng: Random) -> Iterator[tuple[str, str]]:
    """Typos of `word` in random order, as ``(kind of slip, misspelt word)``.

    The first letter stays, and so does the last one (an s or a d there is grammar), but the last two may swap.
    """
    inner = range(1, len(word) - 1)
    by_kind: dict[str, list[str]] = defaultdict(list)
    for i in inner:
        letter, before, after = word[i], word[i - 1], word[i + 1]
        if letter != after:
            by_kind["swap"].append(word[:i] + after + letter + word[i + 2 :])
            if before != letter and (letter in _OFTEN_DOUBLED or len(word) == 3):
                by_kind["double"].append(word[:i] + letter + word[i:])
        if letter == before or len(word) >= _RECOGNISABLE:
            by_kind["drop"].append(word[:i] + word[i + 1 :])
        if len(word) >= _RECOGNISABLE:
            near = (key for key in _NEIGHBOURS[letter] if (key in _VOWELS) == (letter in _VOWELS))
            by_kind["neighbor"] += [word[:i] + key + word[i + 1 :] for key in near]
    kinds = sorted(by_kind)
    rng.shuffle(kinds)
    for kind in kinds:
        rng.shuffle(by_kind[kind])
    for kind in kinds:
        for new in by_kind[kind]:
            yield kind, new


def _is_clean(new: str, old: str) -> bool:
    """Whether a misspelt word is no word and no name, has a vowel, and is not as close to a word that means more.

    Those are the words that are no ordinary ones, one slip away, and any other word two swapped letters away. A long
    word has slips to spare: there, no other word at all may be one slip away.
    """
    lower = new.lower()
    if lower in english_words() or lower in word_types() or lower in word_list("unit_after_number"):
        return False
    if lower.capitalize() in first_names() or lower.capitalize() in ambiguous_names():
        return False
    if _VOWELS.isdisjoint(lower):
        return False
    rivals = _one_slip_away(lower) if len(old) >= _RECOGNISABLE else _swapped(lower)
    if not english_words().isdisjoint(rivals - {old.lower()}):
        return False
    near = (loaded for form in _shortened(lower) for loaded in _loaded_words().get(form, ()))
    return not any(is_single_typo(lower, loaded) for loaded in near)


def _swapped(word: str) -> set[str]:
    return {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)}


def _one_slip_away(word: str) -> set[str]:
    halves = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    inserted = {head + letter + tail for head, tail in halves for letter in ascii_lowercase}
    substituted = {head + letter + tail[1:] for head, tail in halves for letter in ascii_lowercase}
    return _swapped(word) | _shortened(word) | inserted | substituted


@cache
def _spared_stems() -> frozenset[str]:
    """Stems of the words that carry mathematics or act as units, so that their inflected forms are spared too."""
    listed = (word for line in template_lines(SPARED) for word in line.split())
    return frozenset(map(stem, (*listed, *word_list("keyword"), *word_list("unit"))))


@cache
def _loaded_words() -> dict[str, frozenset[str]]:
    """Number words, units, keywords and their like, by each form that lacks at most one letter.

    Two words are at most two slips apart if they share such a form, which narrows the search to a few.
    """
    table: dict[str, set[str]] = defaultdict(set)
    for word in word_types():
        for form in _shortened(word):
            table[form].add(word)
    return {form: frozenset(words) for form, words in table.items()}


def _shortened(word: str) -> set[str]:
    return {word, *(word[:i] + word[i + 1 :] for i in range(len(word)))}
