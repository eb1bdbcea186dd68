"""The frame of a scenario: where a problem is set, or who tells it, and nothing that changes it."""

from __future__ import annotations

import re
from functools import cache

from semifactual.resources import template_yaml
from semifactual.text.document import Document
from semifactual.text.lexicon import (
    common_words,
    english_words,
    gender_of_names,
    gendered_words,
    given_names,
    without_possessive,
    word_list,
)
from semifactual.text.spans import VERBATIM, Span, SpanType
from semifactual.validate.asides.reckoning import (
    SYMBOLIC,
    change_stems,
    classes_of,
    interaction_words,
    is_change,
    reckoning,
)
from semifactual.validate.contract import NOTHING_CHANGED, Pair, check
from semifactual.validate.insertion import Insertion, insertion, parenthesis
from semifactual.validate.verdict import Finding, failed, passed, undecided
from semifactual.validate.wording.roles import gained_roles
from semifactual.validate.words import Phrases, is_content, phrases, stem

FRAMES = "checks/frames.yaml"

_LONGEST = 30
"""Words. A frame is light; a longer one tells a story of its own."""
_FEW = 3
"""At most one word of so many may be unknown."""
_HEADING = 3
"""Words of which a frame that names the text has more: "Practice problem:" frames nothing."""
_FORBIDDEN = VERBATIM | {SpanType.NEGATION, SpanType.QUANTIFIER, SpanType.UNIT}
_PERIOD_TYPES = frozenset({SpanType.UNIT, SpanType.TIME, SpanType.DATE})
_HARMLESS = frozenset({"first", "around", "together", "else", "alone", "about", "rest", "day", "days", "years"})
_SUBJECTS = frozenset({"he", "she", "they"})
_POSSESSIVES = frozenset({"his", "her", "him", "their", "them", "hers", "theirs"})
_GROUP = frozenset({"they", "their", "them", "theirs"})
_ARTICLES = frozenset({"a", "an", "the", "one", "per"})
_POINTING = frozenset({"them", "ones", "some"})
_BEFOREHAND = frozenset({"after", "having", "before", "because", "since", "once", "when"})
_EVERYDAY = frozenset({"break", "breaks", "crack", "cracks", "hole", "holes", "gap", "holiday", "special"})
_DONE_TO = re.compile(r"\b\w+ing\s+(?:it|them|him)\b", re.IGNORECASE)
_SPANNING = frozenset({"after", "for", "within", "over", "later", "until", "till", "since", "passed", "passes"})
"""Words beside a period that make it a length of time."""
_WORD = re.compile(r"[^\W\d_]+")
_METHOD = re.compile(r"(?!during|according|judging|morning|evening|spring)\w+ing\b.*,\Z", re.IGNORECASE | re.DOTALL)
_ORDER = re.compile(r"[A-Z][a-z]+ (?:the|an?|both|each|it|them|your|all|up|out)\b.*[.!:]\Z", re.DOTALL)
_OPENING = 4
"""Words among which the subject of a sentence stands."""
_PLURALS = frozenset({"people", "children", "men", "women"})
_COMPANION = re.compile(
    r"\b(?:(?:with|for)(?:\s+(?:an?|the|some|its))?|his|her|their)\s+(?:\w+\s+){0,2}?(\w+)(?!\w|['’]s)", re.IGNORECASE
)


@check("one_frame", "the original with one light frame inserted, and at most one letter's case changed")
def one_frame(pair: Pair) -> Finding:
    if pair.edit is None:
        return NOTHING_CHANGED
    found = insertion(pair, recased=True)
    if found is not None and not found.stands_apart(pair.original.text):
        return failed("nothing separates the frame from the text")
    if found is None:
        found = parenthesis(pair)
        if found is None:
            return failed("the rewrite is not the original with one frame before, between or behind its sentences")
        if _listed("settings").isdisjoint(found.text[1:].lower().split()[:1]):
            return failed(f"what was put in is no setting: {found.text[:40]!r}")
    frame = Document(_without_idioms(found.text.strip(" ,") + "," if found.text[0] == "," else found.text.strip()))
    if len(frame.words) > _LONGEST:
        return failed(f"the frame has {len(frame.words)} words")
    if fault := _fault(frame, pair.original):
        return failed(fault)
    doubt = _doubt(frame, pair.original, found)
    return undecided(doubt) if doubt else passed(repr(found.text.strip()))


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(template_yaml(FRAMES)[name].split())


@cache
def _phrases(name: str) -> Phrases:
    return Phrases.of(template_yaml(FRAMES)[name])


@cache
def _one_period() -> re.Pattern[str]:
    """One fine day: a number that counts nothing."""
    return re.compile(rf"\bone(?= (?:[a-z]+,? ){{0,2}}(?:{'|'.join(sorted(_listed('periods')))})\b)", re.IGNORECASE)


def _without_idioms(text: str) -> str:
    return _one_period().sub("a", _phrases("idle").pattern.sub("there", text))


def _fault(frame: Document, original: Document) -> str:
    """What a frame may not hold, whatever it frames."""
    for span in frame.spans:
        piece = span.of(frame.text)
        if span.type in _FORBIDDEN and piece.lower() not in _HARMLESS and not _is_plain(frame, span, original):
            article = "an" if span.type.value[0] in "aeiou" else "a"
            return f"the frame holds {article} {span.type.value}: {piece!r}"
    if roles := gained_roles(Document(""), frame):
        return f"the frame says {', '.join(roles)}"
    if commands := sorted(phrases("frame_commands").count(frame.text)):
        return f"the frame tells the reader what to do: {', '.join(commands)}"
    if frame.words and (frame.words[0] == "if" or frame.words[0] in word_list("ask")):
        return f"the frame begins with {frame.words[0]!r}"
    if frame.answer_formats:
        return "the frame says in what form the answer is wanted"
    if limits := sorted(_phrases("limits").count(frame.text)):
        return f"the frame leaves something out, or puts it in: {', '.join(limits)}"
    told = sorted(phrases("meta_words").count(frame.text))
    if other := [word for word in told if word not in template_yaml(FRAMES)["tellings"]]:
        return f"the frame speaks of the text as a text: {', '.join(other)}"
    if told and (len(frame.words) <= _HEADING or not _listed("addresses").isdisjoint(frame.words)):
        return f"the frame hands the reader a {told[0]}"
    return ""


def _is_plain(frame: Document, span: Span, original: Document) -> bool:
    """Whether a span only looks like more than a word: a capital that opens the frame, a time that is its setting."""
    if span.type is SpanType.NAME:
        word = span.of(frame.text)
        return span.start == 0 and word.lower() in common_words() and word not in given_names()
    return _is_setting(frame, span, original)


def _is_setting(frame: Document, span: Span, original: Document) -> bool:
    """Whether a period of the calendar only says when: it stands behind a word that describes it, or measures nothing.

    What the problem measures too would be measured by it.
    """
    piece = span.of(frame.text).lower()
    if span.type not in _PERIOD_TYPES or piece not in _listed("periods"):
        return False
    before = frame.text[: span.start].split()
    is_described = bool(before) and before[-1].lower() not in _ARTICLES and before[-1].isalpha()
    is_timeless = reckoning(original).counted.isdisjoint(_time_stems())
    if span.type is SpanType.UNIT:
        return is_described and (is_timeless or _SPANNING.isdisjoint(frame.words))
    return is_timeless


@cache
def _time_stems() -> frozenset[str]:
    return frozenset(map(stem, (*_listed("periods"), "minute", "second", "time", "decade", "century", "age")))


def _doubt(frame: Document, original: Document, place: Insertion) -> str:
    """Why a frame may touch the story all the same."""
    words = frame.words
    if company := sorted(_phrases("company").count(frame.text)):
        return f"the frame brings company: {', '.join(company)}"
    joining = (match[1].lower() for match in _COMPANION.finditer(frame.text))
    if people := [word for word in joining if "people" in classes_of(word) and word not in original.words]:
        return f"the frame brings company: {people[0]}"
    if event := _event(frame):
        return f"something happens in the frame: {event}"
    if load := next((word for word in words if stem(word) in _load_stems("faults")), ""):
        return f"the frame brings a {load}"
    priced = next((word for word in words if stem(word) in _load_stems("fees")), "")
    if priced and "money" in reckoning(original).dimensions:
        return f"the frame brings a {priced}"
    if _ORDER.match(frame.text) and words[0] in interaction_words("changes"):
        return f"the frame tells the reader to {words[0]}"
    term = next((term for term in frame.pieces(SpanType.KEYWORD) if term.lower() not in _listed("everyday")), "")
    method = term or (words[0] if _METHOD.match(frame.text) else "")
    if method and any(original.of_type(*SYMBOLIC)):
        return f"the frame speaks of mathematics, or how it is done: {method}"
    if reader := sorted({"your", "yours", "yourself", "please"}.intersection(words)):
        return f"the frame speaks to the reader: {reader[0]}"
    strange = [word for word in words if word not in english_words()]
    if _FEW * len(strange) > len(words):
        return f"the frame says {strange[0][:40]!r}, which is no known word"
    spoken = sorted((_SUBJECTS | _POSSESSIVES).intersection(words))
    if spoken and not _refers_forward(frame, original, place, spoken):
        return f"the frame says {', '.join(spoken)}, who may be of the story"
    stems = set(map(stem, _WORD.findall(original.text.lower())))
    shared = {word for word in words if is_content(word) and stem(word) in stems}
    return f"the frame speaks of {', '.join(sorted(shared))}, as the original does" if shared else ""


def _event(frame: Document) -> str:
    """The verb, where a frame tells that an amount changed, or that something is done to what the story tells of."""
    changes = [word for word in frame.words if is_change(word)]
    if changes and not _POINTING.isdisjoint(frame.words):
        return changes[0]
    if not _BEFOREHAND.isdisjoint(frame.words):
        return next(filter(_is_loud, changes), "")
    done = _DONE_TO.search(frame.text)
    return done[0] if done else ""


def _is_loud(word: str) -> bool:
    """Whether a verb says that an amount changed."""
    return stem(word) in change_stems() and stem(word) not in _quiet_stems()


@cache
def _quiet_stems() -> frozenset[str]:
    return frozenset(map(stem, _listed("quiet_events")))


@cache
def _load_stems(name: str) -> frozenset[str]:
    """The stems of what would weigh on what a problem measures: a delay, a discount."""
    return frozenset(map(stem, interaction_words(name) - _EVERYDAY))


def _refers_forward(frame: Document, original: Document, place: Insertion, spoken: list[str]) -> bool:
    """Whether the pronouns of a frame can mean none but the subject of the sentence that it opens, or no one at all.

    A text that speaks of no person has none that they could mean.
    """
    if not any(original.of_type(SpanType.NAME)) and not any("people" in classes_of(word) for word in original.words):
        return True
    acts = not _SUBJECTS.isdisjoint(spoken) and any(map(_is_loud, frame.words))
    if not frame.text.endswith(",") or acts:
        return False
    opening = original.text[place.position :].split(maxsplit=_OPENING)[:_OPENING]
    if place.text.startswith(","):
        opening = original.text[: place.position].split()[-1:]
    if not opening:
        return False
    subject = without_possessive(opening[0].rstrip(",."))
    nouns = [word for word in opening[1:3] if "people" in classes_of(word)]
    if not _GROUP.isdisjoint(spoken):
        return _GROUP.issuperset(spoken) and (opening[1:2] == ["and"] or any(map(_is_many, nouns)))
    genders = {gendered_words("pronouns").get(word) for word in spoken}
    gender = genders.pop()
    if genders:
        return False
    if subject.lower() in gendered_words("named_as"):
        return gendered_words("named_as")[subject.lower()] in (gender, None)
    if subject in given_names():
        return gender_of_names().get(subject, gender) is gender and opening[1:2] != ["and"]
    is_one = subject.lower() in _ARTICLES and nouns != []
    return is_one and gendered_words("named_as").get(nouns[0]) in (gender, None)


def _is_many(noun: str) -> bool:
    return noun.endswith("s") or noun in _PLURALS or noun in interaction_words("groups")
