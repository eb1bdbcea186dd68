"""noop_distractor: the problem as it is, with one plausible sentence put in that changes nothing."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random

from semifactual.interventions.registry import intervention
from semifactual.resources import template_yaml
from semifactual.text.document import Document
from semifactual.text.lexicon import ambiguous_names, base_of_irregular, first_names, without_possessive, word_list
from semifactual.text.spans import SpanType
from semifactual.text.values import QUANTITIES, quantity_value
from semifactual.types import Draft, Family
from semifactual.validate.asides.interaction import (
    beside_the_matter,
    interaction,
    one_sentence,
    plain_statement,
    reference,
)
from semifactual.validate.asides.reckoning import SYMBOLIC, Reckoning, reckoning
from semifactual.validate.asides.reference import loosened_reference
from semifactual.validate.common import chatter, control_characters, hint, markup, truncated, unchanged
from semifactual.validate.contract import Contract
from semifactual.validate.words import content_stems

CONTRACT = Contract(
    checks=(
        unchanged,
        truncated,
        control_characters,
        markup,
        chatter,
        hint,
        one_sentence,
        plain_statement,
        reference,
        interaction,
    ),
    frozen=frozenset(SpanType),
)

SENTENCES = "distractors/noop.yaml"

_DRAFTS = 6
_TRIES = 60
_SLOT = re.compile(r"\{(\w+)\}")
_CLOSED = re.compile(r"[.?!][\"”’')]*\Z")
_CONDITION = re.compile(r"(?:If|When|Since|Because|Given|Assuming)\b")
"""A condition wants what follows from it right behind it, be there a full stop or not."""


_OF_ONE = frozenset({"he", "him", "his", "she", "her"})
_OF_SEVERAL = frozenset({"they", "them", "their", "theirs"})
_ARTICLES = frozenset({"the", "a", "an"})


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a sentence may stand: before the sentence that begins here, with this white space behind it."""

    position: int
    gap: str


@intervention(
    "noop_distractor",
    family=Family.CONTEXT,
    contract=CONTRACT,
    summary="the text as it is, with one plausible sentence put in that may hold a number and changes nothing",
    example=(
        "A tram runs 14 stops in 35 minutes. How many minutes does it take per stop?",
        "The town hall has a maroon roof. A tram runs 14 stops in 35 minutes. How many minutes does it take per stop?",
    ),
    templates=(SENTENCES,),
)
def rewrite(original: Document, rng: Random) -> Iterator[Draft]:
    """Yield up to six drafts, each with another sentence, somewhere before the question.

    Sentences that share a word with the text, or could matter to it, are passed over. A text in which no sentence can
    stand before the question yields none.
    """
    places = _places(original)
    topics = _topics(original)
    known = reckoning(original)
    seen: set[str] = set()
    for _ in range(_TRIES if places else 0):
        topic, place = rng.choice(topics), rng.choice(places)
        template = rng.choice(template_yaml(SENTENCES)[topic])
        sentence = _filled(template, _actors(original, place.position), original, rng)
        if sentence is None or sentence in seen or not _fits(sentence, original, place, known):
            continue
        seen.add(sentence)
        text = original.text[: place.position] + sentence + place.gap + original.text[place.position :]
        yield Draft(text, {"topic": topic, "sentence": sentence})
        if len(seen) == _DRAFTS:
            return


def _topics(document: Document) -> Sequence[str]:
    """What the sentence may be about: a story may have weather and its people's belongings."""
    if not _actors(document, len(document.text)):
        return ("place", "thing")
    told = not any(document.of_type(*SYMBOLIC)) and any(map(_is_past, document.words))
    return ("actor", "actor", "actor", "place", "thing", "weather") if told else ("actor", "actor", "place", "thing")


def _is_past(word: str) -> bool:
    return word.endswith("ed") or base_of_irregular().get(word, word) != word


def _places(document: Document) -> list[_Place]:
    """Between finished sentences up to the question; before the text where there is no such place."""
    closed = next(document.of_type(SpanType.OPTION, SpanType.CODE), None)
    last = min([start for start, _ in document.questions[:1]] + ([] if closed is None else [closed.start]), default=0)
    between = [
        place
        for place in _between_sentences(document)
        if place.position <= last and not _is_taken_up(document, place.position, about_person=False)
    ]
    opens_as_prose = document.sentences and (closed is None or closed.start > document.sentences[0][0])
    return between or ([_Place(document.sentences[0][0], " ")] if opens_as_prose else [])


def _between_sentences(document: Document) -> Iterator[_Place]:
    text = document.text
    for (before, end), (start, _) in pairwise(document.sentences):
        finished = _CLOSED.search(text, max(before, end - 4), end) and not _CONDITION.match(text, before)
        if finished and text[start].isupper():
            yield _Place(start, text[end:start].replace("\t", " "))


def _actors(document: Document, position: int) -> list[str]:
    """The persons whom the text has named before `position` by one name alone."""
    found: dict[str, bool] = {}
    names = [span for span in document.of_type(SpanType.NAME) if span.start < position]
    starts, ends = {span.start for span in names}, {span.end for span in names}
    for span in names:
        base = without_possessive(span.of(document.text))
        before = document.text[: span.start].rstrip(" .").rpartition(" ")[2].lower()
        alone = before not in word_list("title") and span.end + 1 not in starts and span.start - 1 not in ends
        known = base in first_names() or base in ambiguous_names()
        found[base] = found.get(base, True) and alone and known
    return [name for name, usable in found.items() if usable]


def _filled(template: str, actors: Sequence[str], document: Document, rng: Random) -> str | None:
    """The template with its slots filled; None where it wants somebody and nobody is there."""
    taken = {quantity_value(document.text, span) for span in document.of_type(*QUANTITIES)}

    def fill(slot: str) -> str:
        if slot == "name":
            return rng.choice(actors)
        if slot == "year":
            return str(rng.randint(1871, 1979))
        if slot in _RANGES:
            return str(rng.choice([n for n in _RANGES[slot] if n not in taken] or [61]))
        return str(rng.choice(template_yaml(SENTENCES)["words"][slot]))

    if "{name}" in template and not actors:
        return None
    return _SLOT.sub(lambda match: fill(match[1]), template)


_RANGES = {"number": range(6, 48), "few": range(3, 7)}


def _fits(sentence: str, original: Document, place: _Place, known: Reckoning) -> bool:
    """Whether the sentence shares no word with the text but its actor, matters to nothing, and misleads no pronoun."""
    document = Document(sentence)
    names = {without_possessive(name).lower() for name in document.pieces(SpanType.NAME)}
    if not known.stems.isdisjoint(content_stems(word for word in document.words if word not in names)):
        return False
    if _is_taken_up(original, place.position, about_person=bool(names)):
        return False
    kept_apart, _ = beside_the_matter(document, known)
    return kept_apart and loosened_reference(original, place.position, document) is None


def _is_taken_up(original: Document, position: int, *, about_person: bool) -> bool:
    """Whether the sentence that begins at `position` would seem to go on about the one put in before it.

    A plural pronoun that leads it always seems to; "he" and "she" do behind a sentence about a person, unless nobody
    else has been named.
    """
    number = bisect_left(original.sentences, (position, position))
    named = _named(original)
    behind_noun = False
    for word in original.words_between(*original.sentences[number]) if number < len(original.sentences) else ():
        if without_possessive(word) in named:
            return False
        if word in _OF_ONE:
            return about_person and len(named) > 1
        if word in _OF_SEVERAL:
            return about_person or not behind_noun
        behind_noun = behind_noun or word in _ARTICLES
    return False


@lru_cache(maxsize=4)
def _named(document: Document) -> frozenset[str]:
    """All names of a text but those of days and months, in lower case."""
    names = (without_possessive(name).lower() for name in document.pieces(SpanType.NAME))
    return frozenset(names) - word_list("date")
