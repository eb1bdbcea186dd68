"""Rules for a rewrite that spells numbers out: which numerals became words, and what the words say."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from semifactual.text.cardinals import LARGEST_SPELLED, MAGNITUDES, bare_words, cardinal_words, is_cardinal, spellings
from semifactual.text.document import Document
from semifactual.text.lexicon import word_list
from semifactual.text.spans import Span, SpanType
from semifactual.validate.contract import NOTHING_CHANGED, Pair, check
from semifactual.validate.verdict import Finding, failed, passed

_ONE_WORD = "|".join(sorted(cardinal_words(), key=len, reverse=True))
_WORDS = re.compile(
    rf"(?:a (?=(?:{'|'.join(sorted(MAGNITUDES))})\b))?(?:{_ONE_WORD})\b(?:(?:,? (?:and )?|-)(?:{_ONE_WORD})\b){{0,40}}",
    re.IGNORECASE,
)
"""A run of number words, longer than any number's."""

_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_WHOLE = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")
_NEXT_WORD = re.compile(r"[ -](and )?([a-z]+)", re.IGNORECASE)
_LAST_WORD = re.compile(r"([a-z]+)( and)?[ -]\Z", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_BEFORE_YEARS = frozenset(
    {"in", "since", "until", "till", "by", "year", "years", "before", "after", "during", "early", "late"}
)
_MATHEMATICS = frozenset({SpanType.MATH, SpanType.LATEX, SpanType.VARIABLE, SpanType.OPERATOR})
_BEFORE_NUMBERS = frozenset(" \t\n(“[—–*>")
_BEHIND_NUMBERS = frozenset(" \t\n.,;:?!)]—–-*")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_BETWEEN_NUMBERS = "0123456789,;. -"
_IN_TABLE = frozenset("|\t")
_FAR = 80
"""Characters on either side that say what a numeral stands in."""
_ORDINAL_ONES = frozenset(["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"])


@dataclass(frozen=True, slots=True)
class Spelling:
    """A numeral of the original and the words in its stead, which begin at `start` in the rewrite."""

    span: Span
    words: str
    start: int


@dataclass(frozen=True, slots=True)
class Spellings:
    """All numerals that became words; `other` says what else differs."""

    found: tuple[Spelling, ...]
    other: str = ""


@lru_cache(maxsize=4)
def spellings_between(original: Document, rewrite: Document) -> Spellings:
    """Align two texts that should differ in numerals spelled out alone."""
    before, after = original.text, rewrite.text
    found: list[Spelling] = []
    numerals = list(original.of_type(SpanType.NUMBER))
    ends = [*(span.start for span in numerals[1:]), len(before)][: len(numerals)]
    position = numerals[0].start if numerals else len(before)
    if not after.startswith(before[:position]):
        return Spellings((), _first_difference(before[:position], after, 0))
    for span, end in zip(numerals, ends, strict=True):
        gap = before[span.end : end]
        piece = span.of(before)
        if after.startswith(piece + gap, position):
            position += len(piece) + len(gap)
            continue
        run = _WORDS.match(after, position)
        if run is None:
            return Spellings(tuple(found), _first_difference(piece + gap, after, position))
        words = next((words for words in _prefixes(run[0]) if after.startswith(gap, position + len(words))), "")
        if not words:
            return Spellings((*found, Spelling(span, run[0], position)), _first_difference(gap, after, run.end()))
        found.append(Spelling(span, words, position))
        position += len(words) + len(gap)
    if position < len(after):
        return Spellings(tuple(found), f"gained {after[position:][:40]!r}")
    return Spellings(tuple(found))


def _prefixes(run: str) -> Iterator[str]:
    """A run of number words and its beginnings, the longest first."""
    ends = [word.end() for word in _WORD.finditer(run) if word[0].lower() in cardinal_words()]
    return (run[:end] for end in reversed(ends))


def _first_difference(wanted: str, after: str, position: int) -> str:
    """What stands in `after` from `position` on where `wanted` is expected, from the first different character."""
    got = after[position : position + len(wanted)]
    same = next((i for i, (a, b) in enumerate(zip(wanted, got, strict=False)) if a != b), len(got))
    return f"{wanted[same:][:30]!r} became {after[position + same :][:30]!r}"


@check("only_numerals_spelled", "number words stand in the place of numerals; all else is the same, byte for byte")
def only_numerals_spelled(pair: Pair) -> Finding:
    if pair.edit is None:
        return NOTHING_CHANGED
    spelled = spellings_between(pair.original, pair.rewrite)
    if spelled.other:
        return failed(spelled.other)
    if not spelled.found:
        return failed("no numeral became words")
    return passed(", ".join(f"{s.span.of(pair.original.text)} -> {s.words}" for s in spelled.found[:8]))


@check("same_number", "the words spell the number that the numeral stated")
def same_number(pair: Pair) -> Finding:
    for spelling in spellings_between(pair.original, pair.rewrite).found:
        numeral = spelling.span.of(pair.original.text)
        number = whole_number(numeral)
        if number is None:
            return failed(f"{numeral} is no whole number; it became {spelling.words!r}")
        if bare_words(spelling.words) not in spellings(number):
            return failed(f"{numeral} became {spelling.words!r}")
        capitals = spelling.words[1:] != spelling.words[1:].lower()
        if capitals or (spelling.words[0].isupper() and not opens_sentence(pair.original, spelling.span)):
            return failed(f"{numeral} became {spelling.words!r} with capitals inside a sentence")
    return passed()


def whole_number(numeral: str) -> int | None:
    """The value of a whole number in digits that has words; None for anything else."""
    if not _WHOLE.fullmatch(numeral) or len(numeral) > 20 or (numeral[0] == "0" and numeral != "0"):
        return None
    number = int(numeral.replace(",", ""))
    return number if number <= LARGEST_SPELLED else None


def opens_sentence(document: Document, span: Span) -> bool:
    """Whether nothing but a mark stands between the start of a sentence, or a colon, and a span."""
    before = document.text[max(0, span.start - _FAR) : span.start].rstrip(" \t\"'“‘(*>-")
    if not before or before[-1] in ".?!:\n":
        return True
    place = bisect_left(document.sentences, (span.start, 0))
    return place < len(document.sentences) and document.sentences[place][0] == span.start


@check("plain_numerals", "only whole numbers in running prose were spelled")
def plain_numerals(pair: Pair) -> Finding:
    for spelling in spellings_between(pair.original, pair.rewrite).found:
        if reason := why_numeral_stays(pair.original, spelling.span):
            return failed(f"{_around(pair.original.text, spelling.span)!r}: {reason}")
    return passed()


def _around(text: str, span: Span) -> str:
    return text[max(0, span.start - 8) : span.end + 8]


def why_numeral_stays(document: Document, span: Span) -> str:
    """Why this numeral cannot become a word; empty if it can."""
    text = document.text
    before = text[span.start - 1] if span.start else " "
    behind = text[span.end : span.end + 1] or " "
    next_one = text[span.end + 1 : span.end + 2] or " "
    if before not in _BEFORE_NUMBERS or behind not in _BEHIND_NUMBERS:
        return "the numeral touches other signs"
    if behind in ".,:;-" and (next_one.isdigit() or (behind == "-" and not next_one.isalpha() and next_one != "-")):
        return "the numeral is part of a longer one"
    if any(start <= span.start < end for start, end in document.answer_formats):
        return "the sentence fixes the answer's form"
    return _why_place_is_no_prose(document, span) or _why_label(text, span)


def _why_place_is_no_prose(document: Document, span: Span) -> str:
    """Whether a numeral stands in a formula, a table, a tuple, or among the options of a choice."""
    text, spans = document.text, document.spans
    index = bisect_left(spans, span.start, key=lambda other: other.start)
    for neighbour in (*spans[max(0, index - 2) : index], *spans[index + 1 : index + 3]):
        beside = not text[min(span.end, neighbour.end) : max(span.start, neighbour.start)].strip()
        if beside and neighbour.type in _MATHEMATICS and not _is_bullet(text, neighbour):
            return "it belongs to a formula"
        if (
            beside
            and neighbour.type is SpanType.NUMBER
            and not (_is_compound(text, neighbour) or _is_compound(text, span))
        ):
            return "it stands in a row of numbers"
    if span.start > _first_option(document):
        return "it belongs to an option"
    left, right = text[max(0, span.start - _FAR) : span.start], text[span.end : span.end + _FAR]
    if not _IN_TABLE.isdisjoint(left.rpartition("\n")[2] + right.partition("\n")[0]):
        return "it stands in a table"
    opening, closing = left.rstrip(_BETWEEN_NUMBERS)[-1:], right.lstrip(_BETWEEN_NUMBERS)[:1]
    if closing and _CLOSING.get(opening) == closing:
        return "it is one of a tuple, or a remark in brackets"
    return ""


@lru_cache(maxsize=4)
def _first_option(document: Document) -> int:
    """Where the options of a choice begin; the end of the text where there are none."""
    return next((option.start for option in document.of_type(SpanType.OPTION)), len(document.text))


def _is_compound(text: str, span: Span) -> bool:
    """Whether a numeral is drawn together with the word behind it: the 5 of 5-dollar bills."""
    return text[span.end : span.end + 1] == "-" and text[span.end + 1 : span.end + 2].isalpha()


def _is_bullet(text: str, span: Span) -> bool:
    """Whether a sign opens its line, as the bullets of a list do."""
    return not text[text.rfind("\n", 0, span.start) + 1 : span.start].strip() and span.of(text) in "*-+"


def _why_label(text: str, span: Span) -> str:
    """Whether a numeral counts the lines of a list, or names a year."""
    numeral = span.of(text)
    left = text[max(0, span.start - _FAR) : span.start]
    if left.rpartition("\n")[2].strip() == "" and text[span.end : span.end + 2] in (". ", ") "):
        return "it labels a line"
    before = _LAST_WORD.search(left)
    if before and before[1].lower() in _BEFORE_YEARS and _YEAR.fullmatch(numeral):
        counted = _NEXT_WORD.match(text, span.end)
        if counted is None or counted[2].lower() in word_list("function"):
            return "it is a year"
    return ""


@check("words_apart", "no spelled number can be read together with the number words beside it")
def words_apart(pair: Pair) -> Finding:
    after = pair.rewrite.text
    for spelling in spellings_between(pair.original, pair.rewrite).found:
        start, end = spelling.start, spelling.start + len(spelling.words)
        before = _LAST_WORD.search(after[max(0, start - _FAR) : start])
        if before and _reads_as_one(before[1], before[2], spelling.words):
            return failed(f"{before[0]}{spelling.words} reads as one number")
        behind = _NEXT_WORD.match(after, end)
        if behind and (_reads_on(spelling.words, behind) or _reads_as_ordinal(spelling.words, behind)):
            return failed(f"{spelling.words}{behind[0]} reads as one number")
    return passed()


def _reads_on(words: str, behind: re.Match[str]) -> bool:
    """Whether what stands behind number words goes on with the number; a magnitude did so in the original too."""
    return behind[2].lower() not in MAGNITUDES and _reads_as_one(words, behind[1], behind[2])


def _reads_as_ordinal(words: str, behind: re.Match[str]) -> bool:
    """Whether tens and an ordinal behind them read as one: twenty fifth graders, but not twenty fifth-graders."""
    drawn_together = behind.string.startswith("-", behind.start()) or behind.string.startswith("-", behind.end())
    ordinal = behind[1] is None and behind[2].lower() in _ORDINAL_ONES
    return ordinal and not drawn_together and bare_words(words).endswith("ty")


def _reads_as_one(first: str, joint: str | None, second: str) -> bool:
    """Whether number words, with or without "and" between them, spell a single number."""
    last, following = bare_words(first).split()[-1:], second.lower()
    if not last or not cardinal_words().issuperset([*last, following.replace("-", " ").split()[0]]):
        return False
    if joint and not MAGNITUDES.issuperset(last):
        return False
    return is_cardinal(f"one {first} {following}" if first.lower() in MAGNITUDES else f"{first} {following}")
