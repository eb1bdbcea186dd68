"""Texts with slots. The slots are described at the head of templates/problems/word_problems.yaml."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from semifactual.sources.builtin.formulas import Formula, Value, parse
from semifactual.sources.builtin.numbers import Form, number_text
from semifactual.sources.builtin.words import article, plural, with_capitals, word_form

_SLOT = re.compile(r"<([^<>]+)>")
_ARTICLE = re.compile(r"an? (\w+)\Z")
_AGREEMENT = re.compile(r"(\w+)\? (.+)/(.+)\Z")
_WORKING = re.compile(r"(\w+)(:| =) ((?:[^,()]|\((?:[^()]|\([^()]*\))*\))+)(?:, (.+))?\Z")
_WORD = re.compile(r"(\w+)(?:\.(\w+))?\Z")
_COUNT = re.compile(r"(\w+)(?:, (.+))?\Z")


@dataclass(frozen=True, slots=True)
class Word:
    """A chosen word in one of its forms."""

    name: str
    form: str


@dataclass(frozen=True, slots=True)
class Count:
    """A quantity, with a noun that agrees with it, or behind its indefinite article."""

    name: str
    noun: str | None = None
    has_article: bool = False


@dataclass(frozen=True, slots=True)
class Working:
    """A calculation, whose result goes by `name` from there on. If `is_shown`, it is written out before its result."""

    name: str
    formula: Formula
    noun: str | None
    is_shown: bool


@dataclass(frozen=True, slots=True)
class Agreement:
    """One of two words: the first where the quantity is 1."""

    name: str
    one: str
    many: str


@dataclass(frozen=True, slots=True)
class Article:
    """A chosen word behind its indefinite article."""

    name: str


Piece = str | Word | Count | Working | Agreement | Article


@dataclass(frozen=True, slots=True)
class Wording:
    """A text with slots, parsed."""

    pieces: tuple[Piece, ...]

    def quantities(self) -> tuple[str, ...]:
        """The names of the quantities that stand in the text as numbers, in order, repeated where they repeat."""
        return tuple(piece.name for piece in self.pieces if isinstance(piece, Count))

    def workings(self) -> tuple[Working, ...]:
        """The calculations that the text makes."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Working))


def parse_wording(text: str, choices: Collection[str]) -> Wording:
    """Parse a text; `choices` are the slots that hold words, every other name is a quantity's.

    Raises:
        ValueError: a slot is none of the known sorts.
    """
    parts = _SLOT.split(text)
    pieces = [part if index % 2 == 0 else _slot(part, choices) for index, part in enumerate(parts)]
    return Wording(tuple(piece for piece in pieces if piece != ""))


def render(wording: Wording, words: Mapping[str, str], numbers: Mapping[str, Value], form: Form) -> str:
    """The text with its slots filled, each sentence beginning with a capital."""
    known = dict(numbers)
    written: list[str] = []
    for piece in wording.pieces:
        match piece:
            case str():
                written.append(piece)
            case Word(name, style):
                written.append(word_form(words[name], style))
            case Agreement(name, one, many):
                written.append(one if known[name] == 1 else many)
            case Article(name):
                word = word_form(words[name], "")
                written.append(f"{article(word)} {word}")
            case Count(name, noun, has_article):
                counted = _counted(known[name], noun, words, form)
                written.append(f"{article(counted)} {counted}" if has_article else counted)
            case Working(name, formula, noun, is_shown):
                if is_shown:
                    written.append(
                        formula.written({key: number_text(value, form) for key, value in known.items()}) + " = "
                    )
                known[name] = formula.value(known)
                written.append(_counted(known[name], noun, words, form))
    return with_capitals("".join(written))


def _slot(slot: str, choices: Collection[str]) -> Piece:
    if match := _ARTICLE.match(slot):
        return Article(match[1]) if match[1] in choices else Count(match[1], has_article=True)
    if match := _AGREEMENT.match(slot):
        return Agreement(match[1], match[2], match[3])
    if match := _WORKING.match(slot):
        return Working(match[1], parse(match[3]), match[4], is_shown=match[2] == ":")
    if (match := _WORD.match(slot)) and match[1] in choices:
        return Word(match[1], match[2] or "")
    if match := _COUNT.match(slot):
        return Count(match[1], match[2])
    raise ValueError(f"the slot <{slot}> is of no known sort")


def _counted(value: Value, noun: str | None, words: Mapping[str, str], form: Form) -> str:
    digits = number_text(value, form)
    if noun is None:
        return digits
    chosen = words.get(noun, noun)
    return f"{digits} {word_form(chosen, '') if value == 1 else plural(chosen)}"
