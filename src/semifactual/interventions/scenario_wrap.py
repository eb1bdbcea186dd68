"""scenario_wrap: the problem inside one light frame: where it is written, or who tells it, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from random import Random

from semifactual.interventions.registry import intervention
from semifactual.resources import template_lines, template_yaml
from semifactual.text.document import Document
from semifactual.text.lexicon import ambiguous_names, first_names, without_possessive, word_list
from semifactual.text.spans import Span, SpanType
from semifactual.types import Draft, Family
from semifactual.validate.common import COMMON, hint, meta_words
from semifactual.validate.contract import Contract
from semifactual.validate.frames import one_frame
from semifactual.validate.words import content_stems, stem

CONTRACT = Contract(
    checks=(*(rule for rule in COMMON if rule is not meta_words), hint, one_frame),
    frozen=frozenset(SpanType),
)


class Group(StrEnum):
    """Frames of one group fit the same texts in the same place. Each has its file in templates/frames."""

    TALE = "tale"
    """A voice that tells a story: ``As the story goes, ...``"""
    PLACE = "place"
    """Somewhere for a story to happen: ``In a quiet little town, ...``"""
    MOMENT = "moment"
    """A mood for a story without a clock or a calendar: ``On a calm evening, ...``"""
    PAGE = "page"
    """Where any text is written: ``Scribbled on a paper napkin: ...``"""
    CLOSE = "close"
    """A sentence behind any text: ``... So reads a note pinned to the wall.``"""
    ASIDE = "aside"
    """A phrase before a later sentence of a story: ``As it happens, she ...``"""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame, and the stems of its content words, which the problem must not share."""

    text: str
    group: Group
    stems: frozenset[str]


FRAMES = {group: f"frames/{group.value}.txt" for group in Group}
FIT = "frames/fit.yaml"

_DRAFTS = 4
_MATHEMATICS = frozenset({SpanType.MATH, SpanType.LATEX, SpanType.CODE, SpanType.VARIABLE, SpanType.OPERATOR})
_SMALL_WORDS = frozenset({SpanType.QUANTIFIER, SpanType.NUMBER_WORD, SpanType.COMPARISON})
_MARKED_START = tuple("#>*-|`•")


@intervention(
    "scenario_wrap",
    family=Family.CONTEXT,
    contract=CONTRACT,
    summary="one light frame around the text: where it is written or who tells it, never a fact",
    example=(
        "A baker fills 6 trays with 15 rolls each. How many rolls are there?",
        "Scribbled on a paper napkin: A baker fills 6 trays with 15 rolls each. How many rolls are there?",
    ),
    templates=(*FRAMES.values(), FIT),
)
def rewrite(original: Document, rng: Random) -> Iterator[Draft]:
    """Yield up to four drafts with different frames, each drawn evenly from all that fit the text."""
    stems = {stem(word) for word in original.words}
    groups = {group for group in _fitting_groups(original) if stems.isdisjoint(_clashes(group))}
    fitting = [frame for frame in _frames() if frame.group in groups and stems.isdisjoint(frame.stems)]
    for frame in rng.sample(fitting, min(_DRAFTS, len(fitting))):
        text = _insert(original, frame, rng)
        yield Draft(text, {"group": frame.group.value, "frame": frame.text})


@cache
def _frames() -> tuple[Frame, ...]:
    """Every shipped frame."""
    return tuple(
        Frame(line, group, frozenset(content_stems(Document(line).words)))
        for group in Group
        for line in template_lines(FRAMES[group])
    )


@cache
def _clashes(group: Group) -> frozenset[str]:
    """Stems of the words of a problem that keep a group of frames away."""
    return frozenset(stem(word) for word in template_yaml(FIT)["clashes"].get(group.value, "").split())


@cache
def _fit_words(name: str) -> frozenset[str]:
    return frozenset(template_yaml(FIT)[name].split())


# Which frames fit ----------------------------------------------------------------------------------------------------


def _fitting_groups(document: Document) -> Iterator[Group]:
    """The groups whose frames read well with this text, whatever its words are."""
    if not document.sentences:
        return
    yield Group.PAGE
    if _ends_as_prose(document):
        yield Group.CLOSE
    if not _is_story(document):
        return
    yield Group.TALE
    if any(_aside_positions(document)):
        yield Group.ASIDE
    names_are_people = all(_is_person(document, span) for span in document.of_type(SpanType.NAME))
    if names_are_people and _opens_with_its_subject(document):
        yield Group.PLACE
        if _first_span(document).type is SpanType.NAME and not any(document.of_type(SpanType.TIME, SpanType.DATE)):
            yield Group.MOMENT


def _ends_as_prose(document: Document) -> bool:
    """Whether the text ends with a finished sentence of prose, no option and no code."""
    last_line = document.text.rstrip().rfind("\n") + 1
    if any(span.start >= last_line for span in document.of_type(SpanType.OPTION, SpanType.CODE)):
        return False
    return document.text.rstrip().rstrip("\"”’')*_$").endswith((".", "?", "!"))


def _is_story(document: Document) -> bool:
    """Whether the first sentence tells something of somebody, without mathematics, as a statement."""
    start, end = document.sentences[0]
    opening = [span for span in document.spans if start <= span.start < end]
    if document.text[start:end].rstrip("\"”’')").endswith("?") or any(span.type in _MATHEMATICS for span in opening):
        return False
    return _may_continue(document, opening[0]) and _speaks_of_people(document)


def _may_continue(document: Document, first: Span) -> bool:
    """Whether the first word can follow a comma: a name stays, a small word loses its capital.

    Any other capitalised word might be a name that no list knows, and a condition or a request is no story.
    """
    word = first.of(document.text)
    lower = word.lower()
    if first.type in (SpanType.NAME, SpanType.NUMBER):
        return True
    if word in ambiguous_names() or lower in _fit_words("openers") or lower in word_list("ask"):
        return False
    return first.type in _SMALL_WORDS or (first.type is SpanType.WORD and lower in word_list("function"))


def _speaks_of_people(document: Document) -> bool:
    """Whether the text is about somebody, and told by nobody in it."""
    if not _fit_words("narrators").isdisjoint(document.words):
        return False
    return any(document.of_type(SpanType.NAME)) or not _fit_words("people").isdisjoint(document.words)


def _is_person(document: Document, name: Span) -> bool:
    base = without_possessive(name.of(document.text))
    return base in first_names() or base in ambiguous_names()


def _first_span(document: Document) -> Span:
    return next(span for span in document.spans if span.type is not SpanType.SPACE)


def _opens_with_its_subject(document: Document) -> bool:
    """Whether the text opens with a person, or with an article and a noun."""
    first = _first_span(document)
    return first.type is SpanType.NAME or first.of(document.text) in ("A", "An", "There")


def _aside_positions(document: Document) -> Iterator[int]:
    """Where later statements of a story begin, if they begin with a person."""
    spans_at = {span.start: span for span in document.spans}
    for start, end in document.sentences[1:]:
        first = spans_at[start]
        opens = first.type is SpanType.NAME or first.of(document.text).lower() in _fit_words("subjects")
        if opens and document.text[start:end].endswith("."):
            yield start


# Putting a frame in --------------------------------------------------------------------------------------------------


def _insert(document: Document, frame: Frame, rng: Random) -> str:
    """The text with `frame` in the place that its group asks for."""
    text = document.text
    if frame.group is Group.CLOSE:
        body = text.rstrip()
        return f"{body} {frame.text}{text[len(body) :]}"
    if frame.group is Group.ASIDE:
        start = rng.choice(list(_aside_positions(document)))
        return f"{text[:start]}{frame.text} {_continued(document, start)}"
    start = document.sentences[0][0]
    if frame.group is Group.PAGE:
        gap = "\n" if _needs_own_line(document, start) else " "
        return f"{text[:start]}{frame.text}{gap}{text[start:]}"
    return f"{text[:start]}{frame.text} {_continued(document, start)}"


def _needs_own_line(document: Document, start: int) -> bool:
    """Whether the text opens with something that a line must begin with: an option, code, Markdown."""
    first = next(span for span in document.spans if span.start == start)
    return first.type in (SpanType.OPTION, SpanType.CODE) or document.text.startswith(_MARKED_START, start)


def _continued(document: Document, start: int) -> str:
    """The text from `start` on, behind a comma: its first letter small unless a name opens it."""
    text = document.text
    first = next(span for span in document.spans if span.start == start)
    return text[start:] if first.type is SpanType.NAME else text[start].lower() + text[start + 1 :]
