"""What a text asks: for which thing, of whom, and in which way, each found once and only if asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import islice, takewhile

from semifactual.resources import template_yaml
from semifactual.text.document import Document
from semifactual.text.lexicon import word_list
from semifactual.text.spans import VERBATIM, SpanType
from semifactual.validate.wording.alignment import tokens
from semifactual.validate.wording.roles import role_words, roles_in
from semifactual.validate.words import is_content, meaning, stem

QUESTIONS = "checks/questions.yaml"

_HOW = r"how (?:many|much|long|far|old|tall|often|fast|big|high|wide|deep|heavy)"
_ASK = re.compile(
    rf"\b(?:{_HOW}|what|which|who|whose|find|compute|determine|calculate|evaluate|the (?:number|amount) of)\b",
    re.IGNORECASE,
)
_ASK_LATE = re.compile(r"\b(?:where|when)\b", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:if|when|given|assuming|provided|suppos\w+)\b", re.IGNORECASE)
_ASKED_OF = re.compile(
    rf"\b{_HOW}\b"
    r"|\b(?:number|amount|quantity|count|sum|total|cost|price|value|percentage|percent|ratio|probability) of\b"
    r"|\b(?:what|which|find|calculate|compute|determine)\b",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(r"\bhow\s+many\b|\bnumber\s+of\b|\bcount\b", re.IGNORECASE)
_HOW_MUCH = re.compile(r"\bhow\s+much\b|\bamount\s+of\b", re.IGNORECASE)
_HOW_MANY_THINGS = re.compile(
    r"\bhow\s+many\s+(?!more\s+)(?!(?:dollars|cents|euros|pounds|rupees|yen|pesos|units)\b)"
    r"(?![a-z]*(?:met|lit)(?:er|re)s|[a-z]*grams)",
    re.IGNORECASE,
)
_POINTING = frozenset({"them", "these", "those"})
"""Words behind "how many of" for things named before."""
_HEAD_WORDS = 8
_HEAD_LENGTH = 3


class Question:
    """What the questions of one document ask. Where some end with a question mark, those alone are meant."""

    def __init__(self, document: Document) -> None:
        self.document = document

    @cached_property
    def text(self) -> str:
        """The questions as they are written."""
        return "\n".join(self.document.text[start:end] for start, end in self.document.questions)

    @cached_property
    def places(self) -> Sequence[tuple[int, int]]:
        """The offsets of the questions."""
        text = self.document.text
        marked = [place for place in self.document.questions if text[slice(*place)].rstrip("\"”’')*").endswith("?")]
        return marked or self.document.questions

    @cached_property
    def clauses(self) -> list[tuple[int, int]]:
        """From the asking word of each question to its condition: "how many are left" of "how many are left if"."""
        return [self._clause(start, end) for start, end in self.places]

    def _clause(self, start: int, end: int) -> tuple[int, int]:
        text = self.document.text
        asking = _ASK.search(text, start, end) or _ASK_LATE.search(text, start, end)
        place = asking.start() if asking else start
        condition = _CONDITION.search(text, place, end)
        return place, condition.start() if condition else end

    @cached_property
    def asks(self) -> bool:
        """Whether a text asks for anything: by a question mark, a blank to fill, or an imperative."""
        document = self.document
        if "?" in document.text or any(True for _ in document.of_type(SpanType.BLANK)):
            return True
        if not word_list("imperative").isdisjoint(document.words) or "work out" in document.text.lower():
            return True
        openings = (document.words_between(start, end)[:2] for start, end in document.questions)
        return any(not word_list("ask").isdisjoint(words) for words in openings)

    @cached_property
    def _words(self) -> list[tuple[str, ...]]:
        return [self.document.words_between(start, end) for start, end in self.clauses]

    @cached_property
    def asked_for(self) -> set[str]:
        """The stems of the content words behind the asking words: what an answer would be about."""
        return {stem(word) for words in self._words for word in words if is_content(word)} - empty_stems()

    @cached_property
    def stems(self) -> set[str]:
        """The stems of all words of the questions."""
        document = self.document
        return {stem(word) for start, end in document.questions for word in document.words_between(start, end)}

    @cached_property
    def heads(self) -> set[str]:
        """The stems of the first content words behind every asking word: the thing that is counted or measured."""
        found: set[str] = set()
        for start, end in self.places:
            for asking in _ASKED_OF.finditer(self.document.text, start, end):
                found.update(map(stem, _head(self.document.words_between(asking.end(), end)[:_HEAD_WORDS])))
        return found

    @cached_property
    def targets(self) -> set[str]:
        """The first word with a mathematical meaning behind each asking word, unless it is an owner."""
        found: set[str] = set()
        for (start, end), words in zip(self.clauses, self._words, strict=True):
            clause = self.document.text[start:end].lower().replace("’", "'")
            stems = (stem(word) for word in words if f"{word}'s" not in clause)
            found.update(islice((one for one in stems if one in _targets()), 1))
        return found

    @cached_property
    def counted(self) -> list[str]:
        """The thing of which the last question asks how many there are, then the words that go with it.

        Nothing where the question only points at what was named before: how many of them.
        """
        found: list[str] = []
        for start, end in self.places:
            for asking in _HOW_MANY.finditer(self.document.text, start, end):
                words = self.document.words_between(asking.end(), end)
                if words[:1] == ("of",) and words[1:2] and words[1] in _POINTING:
                    found = []
                    continue
                things = tuple(takewhile(lambda word: word not in _head_ends(), words))
                found = [meaning(word) for word in _head(things) if stem(word) not in empty_stems()] or found
        return found

    @cached_property
    def people(self) -> set[str]:
        """The names in what is asked for."""
        named = (token for token in tokens(self.document) if token.type is SpanType.NAME)
        return {
            token.word.capitalize() for token in named if any(start <= token.start < end for start, end in self.clauses)
        }

    @cached_property
    def roles(self) -> Counter[str]:
        """The strict and the loose roles of what is asked for."""
        found: Counter[str] = Counter()
        for words in self._words:
            found += roles_in(words) + roles_in(words, "loose")
        return found

    @cached_property
    def stated(self) -> int:
        """How many quantities and formulas the questions hold."""
        places = [span.start for span in self.document.of_type(*VERBATIM - {SpanType.NAME})]
        return sum(start <= place < end for start, end in self.places for place in places)

    @cached_property
    def counts_only(self) -> bool:
        """Whether it is asked how many, and nowhere how much."""
        return self._only(_HOW_MANY, _HOW_MUCH)

    @cached_property
    def counts_things_only(self) -> bool:
        """Whether it is asked how many things, not units of measure, and nowhere how much."""
        return self._only(_HOW_MANY_THINGS, _HOW_MUCH)

    @cached_property
    def weighs_only(self) -> bool:
        """Whether it is asked how much, and nowhere how many."""
        return self._only(_HOW_MUCH, _HOW_MANY)

    def _only(self, this: re.Pattern[str], that: re.Pattern[str]) -> bool:
        asked = " ".join(self.document.text[start:end] for start, end in self.document.questions)
        return this.search(asked) is not None and that.search(asked) is None


@lru_cache(maxsize=4)
def question_of(document: Document) -> Question:
    """The question of a document, remembered for the pair in hand."""
    return Question(document)


def _head(words: tuple[str, ...]) -> Iterator[str]:
    """The first content words of a run, up to a word at which the thing that is asked for ends."""
    found = 0
    for word in words:
        if (found and word in _head_ends()) or found == _HEAD_LENGTH:
            return
        if is_content(word) and word not in word_list("empty_in_question"):
            found += 1
            yield word


@cache
def _head_ends() -> frozenset[str]:
    return frozenset(template_yaml(QUESTIONS)["head_ends"].split())


@cache
def keyword_stems() -> frozenset[str]:
    """The stems of words with a mathematical meaning, those that name what is measured left out."""
    return frozenset(map(stem, word_list("keyword"))) - measure_stems()


@cache
def _targets() -> frozenset[str]:
    return keyword_stems() - empty_stems()


@cache
def empty_stems() -> frozenset[str]:
    """The stems of words of a question that do not say what it is about."""
    return frozenset(map(stem, word_list("empty_in_question") | role_words()))


@cache
def measure_stems() -> frozenset[str]:
    """The stems of words that name what is measured: they come and go with the form of the question."""
    return frozenset(stem(word) for word in template_yaml(QUESTIONS)["measures"].split())
