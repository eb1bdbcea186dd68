"""Statements beside the matter: sentences of known forms that say how old, how coloured or how liked a thing is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from semifactual.resources import template_yaml
from semifactual.text.document import Document
from semifactual.text.lexicon import without_possessive, word_list
from semifactual.text.spans import Span, SpanType
from semifactual.text.values import number_value
from semifactual.validate.asides.reckoning import INTERACTION

ASIDES = "checks/asides.yaml"

_SHORT = {
    SpanType.NUMBER: "#",
    SpanType.NUMBER_WORD: "#",
    SpanType.CURRENCY: "$",
    SpanType.PERCENT: "%",
    SpanType.DATE: "D",
    SpanType.TIME: "D",
    SpanType.ORDINAL: "#th",
    SpanType.NAME: "@",
    SpanType.MATH: "&",
    SpanType.LATEX: "&",
    SpanType.SPACE: " ",
}
_YEAR_BEHIND = re.compile(r"\b(?:in|since|of|from|year|around|until|by)(?: the year)? \Z")
_FIRST_YEAR, _LAST_YEAR = 1000, 2200
_OF_ALL = frozenset({"money", "time"})
"""What a sentence of any form may speak of by the way."""
_OPENER = re.compile(r"(?:by the way|incidentally|interestingly|as it happens|notably|of course|in fact|apparently), ")
"""What may open a sentence without saying anything."""
_VERB = "(?:is|are|was|were|has|have|had|weighs|lives|likes|loves|plays|speaks|wears|stands|opened)"
_JOINT = re.compile(rf"(?P<subject>[^,#$&%]{{1,80}}?) (?P<first>{_VERB} .+?),? and (?P<second>[a-z]+ .+)")
_LONGEST = 160
"""Characters of a shorthand; longer sentences are no short asides."""


@dataclass(frozen=True, slots=True)
class Aside:
    """One form of such sentences."""

    id: str
    expression: re.Pattern[str]
    literals: frozenset[str]
    """The words that the form itself names."""
    measures: frozenset[str]
    """The dimensions that such a sentence may speak of."""

    def match(self, sentence: str) -> re.Match[str] | None:
        """The match of the whole sentence, given in shorthand."""
        return self.expression.fullmatch(sentence)


def shorthand(document: Document) -> str:
    """The sentence as the forms are written: its numbers, names and amounts as signs, all else in lower case.

    >>> shorthand(Document("Mia's house was built in 1954, 3 miles from a lake."))
    "@'s house was built in D, # miles from a lake"
    """
    text = ""
    for span in document.spans:
        text += _short(document.text, span, text)
    bare = _OPENER.sub("", text.strip(" ()").rstrip(".!"))
    return re.sub(r"\bD(?:,? D)+\b", "D", bare)


def _short(text: str, span: Span, before: str) -> str:
    piece = span.of(text)
    if span.type is SpanType.NAME and without_possessive(piece) != piece:
        return "@'s"
    if span.type is SpanType.NAME and piece.lower() in word_list("date"):
        return "D"
    if span.type is SpanType.NUMBER and _YEAR_BEHIND.search(before) and piece.isdigit():
        value = number_value(piece)
        if value is not None and _FIRST_YEAR <= value <= _LAST_YEAR:
            return "D"
    return _SHORT.get(span.type, piece.lower().replace("’", "'"))


def known_asides(sentence: str) -> Iterator[list[tuple[Aside, re.Match[str]]]]:
    """The readings of a sentence, given in shorthand: its form, or those of its two predicates about one subject."""
    if len(sentence) > _LONGEST:
        return
    forms = list(_forms(sentence))
    yield from ([form] for form in forms)
    joint = None if forms else _JOINT.fullmatch(sentence)
    if joint is not None:
        first, second = (list(_forms(f"{joint['subject']} {joint[part]}")) for part in ("first", "second"))
        yield from ([one, other] for one in first for other in second)


def _forms(sentence: str) -> Iterator[tuple[Aside, re.Match[str]]]:
    for aside in asides():
        match = aside.match(sentence)
        if match is not None:
            yield aside, match


@cache
def asides() -> tuple[Aside, ...]:
    """The forms of asides.yaml, in its order."""
    return tuple(
        Aside(
            str(entry["id"]),
            re.compile(_expanded(str(entry["form"]))),
            frozenset(re.findall(r"[a-z]+", _expanded(str(entry["form"]), names_only=True))),
            frozenset(str(entry.get("measures", "")).split()) | (_OF_ALL if not entry.get("timeless") else {"money"}),
        )
        for entry in template_yaml(ASIDES)["asides"]
    )


def _expanded(form: str, *, names_only: bool = False) -> str:
    """A form with the slots put in; with `names_only`, without those that stand for any words."""

    def put_in(match: re.Match[str]) -> str:
        name = match[1]
        if names_only and name in ("np", "w", "core"):
            return " "
        return _slot(name)

    while re.search(r"(?<!\(\?P)<(\w+)>", form):
        form = re.sub(r"(?<!\(\?P)<(\w+)>", put_in, form)
    return form


@cache
def _slot(name: str) -> str:
    slots = template_yaml(ASIDES)["slots"]
    if name in slots:
        return str(slots[name])
    lists = template_yaml(INTERACTION)
    words = lists["dimensions"]["colour"] if name == "colours" else lists[name]
    return f"(?:{'|'.join(map(re.escape, words.split()))})"
