"""The question: what is asked for, and of whom."""

from __future__ import annotations

import re

from semifactual.text.document import Document
from semifactual.text.lexicon import word_list
from semifactual.text.spans import VERBATIM, SpanType
from semifactual.validate.contract import Pair, check
from semifactual.validate.roles import role_words
from semifactual.validate.verdict import Finding, failed, passed, undecided
from semifactual.validate.words import content_stems, is_content, stem

_ASK = re.compile(
    r"\b(?:how (?:many|much|long|far|old|tall|often|fast|big|high|wide|deep|heavy)"
    r"|what|which|who|whose|where|when|find|compute|determine|calculate|evaluate|the (?:number|amount) of)\b",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(r"\bhow\s+many\b|\bnumber\s+of\b|\bcount\b", re.IGNORECASE)
_HOW_MUCH = re.compile(r"\bhow\s+much\b|\bamount\s+of\b", re.IGNORECASE)


@check("question_target", "what is asked for, and of whom, is asked for still")
def question_target(pair: Pair) -> Finding:
    if _asks(pair.original) and not _asks(pair.rewrite):
        return failed("the original asks a question, the rewrite does not")
    if _asks_only(pair.original, _HOW_MANY, _HOW_MUCH) and _asks_only(pair.rewrite, _HOW_MUCH, _HOW_MANY):
        return failed("the original asks how many, the rewrite how much")
    wanted, asked = asked_for(pair.original), asked_for(pair.rewrite)
    elsewhere = {stem(word) for word in pair.original.words} - _question_stems(pair.original)
    gone = sorted(wanted - asked)
    strange = sorted(word for word in (asked - wanted) & elsewhere if not _kin(word, gone))
    if gone and strange:
        return failed(f"asks about {', '.join(strange[:4])}, the original about {', '.join(gone[:4])}")
    if strange:
        return undecided(f"asks about {', '.join(strange[:4])} too")
    measures = {stem(word) for word in word_list("keyword") - word_list("empty_in_question")}
    if new := sorted((asked - content_stems(pair.original.words)) & measures):
        return undecided(f"asks about {', '.join(new)}, of which the original says nothing")
    if wanted and not wanted & {stem(word) for word in pair.rewrite.words}:
        return failed(f"nothing of what was asked is left: {', '.join(sorted(wanted)[:5])}")
    return passed(", ".join(sorted(wanted)))


@check("new_sentences", "no statement that has nothing in common with the original")
def new_sentences(pair: Pair) -> Finding:
    theirs = content_stems(pair.original.words)
    carried = [span.start for span in pair.rewrite.of_type(*VERBATIM)]
    for start, end in pair.rewrite.sentences:
        if (start, end) in pair.rewrite.questions or any(start <= place < end for place in carried):
            continue
        words = content_stems(pair.rewrite.words_between(start, end))
        if words and not words & theirs:
            return undecided(f"nothing in the original answers to {pair.rewrite.text[start:end][:80]!r}")
    return passed()


def asked_for(document: Document) -> set[str]:
    """The stems of the content words behind the asking word of each question: what an answer would be about."""
    found: set[str] = set()
    for start, end in document.questions:
        asking = _ASK.search(document.text, start, end)
        clause = document.words_between(asking.start() if asking else start, end)
        found.update(stem(word) for word in clause if is_content(word))
    return found - {stem(word) for word in word_list("empty_in_question") | role_words()}


def _question_stems(document: Document) -> set[str]:
    return {stem(word) for start, end in document.questions for word in document.words_between(start, end)}


def _kin(word: str, others: list[str]) -> bool:
    """Whether a stem belongs to the word family of one of the others: weigh and weight, invest and investment."""
    return any(word[:4] == other[:4] for other in others)


def _asks_only(document: Document, this: re.Pattern[str], that: re.Pattern[str]) -> bool:
    """Whether the questions of a text ask in the first way and in no place in the second."""
    asked = " ".join(document.text[start:end] for start, end in document.questions)
    return this.search(asked) is not None and that.search(asked) is None


def _asks(document: Document) -> bool:
    """Whether a text asks for anything: by a question mark, a blank to fill, or an imperative."""
    if "?" in document.text or any(True for _ in document.of_type(SpanType.BLANK)):
        return True
    if not word_list("imperative").isdisjoint(document.words) or "work out" in document.text.lower():
        return True
    openings = (document.words_between(start, end)[:1] for start, end in document.questions)
    return any(not word_list("ask").isdisjoint(words) for words in openings)
