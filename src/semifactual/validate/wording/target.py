"""The question: what is asked for, and of whom, is asked for still."""

from __future__ import annotations

import re
from collections.abc import Iterable

from semifactual.text.spans import VERBATIM
from semifactual.validate.contract import Pair, check
from semifactual.validate.quoting import excerpt, quoted
from semifactual.validate.verdict import Finding, failed, first_fault, passed, undecided
from semifactual.validate.wording.questions import Question, empty_stems, keyword_stems, measure_stems, question_of
from semifactual.validate.words import content_stems, family, meaning, stem

_COMPARISONS = frozenset({"more", "less"})
_SINGLE = re.compile(r"\b(?:an?|one|any|everyone|daily|weekly|monthly|yearly|hourly)\b", re.IGNORECASE)
_MEASURING = re.compile(r"\bhow\s+(?!many)\w+", re.IGNORECASE)


@check("question_target", "what is asked for, and of whom, is asked for still")
def question_target(pair: Pair) -> Finding:
    before, after = question_of(pair.original), question_of(pair.rewrite)
    if before.text == after.text:
        return passed("the question is the original's")
    if before.asks and not after.asks:
        return failed("the original asks a question, the rewrite does not")
    if before.people and after.people and not before.people & after.people:
        return failed(f"asks of {_listed(pair, after.people)}, the original of {_listed(pair, before.people)}")
    if pair.in_other_words:
        return _in_other_words(pair, before, after)
    return first_fault(rule(pair, before, after) for rule in (_same_kind, _same_target))


def _same_kind(pair: Pair, before: Question, after: Question) -> Finding:
    """How many stays how many, and of the same things."""
    if before.counts_only and after.weighs_only:
        return failed("the original asks how many, the rewrite how much")
    if before.weighs_only and after.counts_things_only:
        return failed("the original asks how much, the rewrite how many")
    if after.roles["saved"] and not before.roles["saved"]:
        return failed("asks what is saved, the original does not")
    if before.roles["saved"] and not after.roles["saved"] and after.roles["spent"]:
        return failed("asks what is spent, the original what is saved")
    if before.roles["each"] and not after.roles["each"] and not _SINGLE.search(after.text):
        return undecided("asks of all, the original of each")
    if other := _other_count(pair, before, after):
        return failed(other)
    return passed()


def _other_count(pair: Pair, before: Question, after: Question) -> str:
    """What a rewrite counts that its original, counting too, does not; empty where they count the same things."""
    was, now = before.counted, after.counted
    if not was or not now or was[0] in now or now[0] in was or now[0] not in map(meaning, pair.original.words):
        return ""
    one, other = map(pair.alignment.written, (now[0], was[0]))
    return f"asks how many {one!r}, the original how many {other!r}"


def _same_target(pair: Pair, before: Question, after: Question) -> Finding:
    """The question holds no word of another part of the story in place of its own."""
    theirs = set(map(stem, pair.original.words))
    gone = sorted(before.asked_for - after.stems)
    families = {family(word) for word in gone}
    candidates = (after.asked_for & theirs) - before.stems - measure_stems()
    strange = sorted(word for word in candidates if family(word) not in families)
    heads_left = before.heads & after.stems
    missed = before.heads | {person.lower() for person in before.people}
    if gone and strange and (not heads_left or not missed.isdisjoint(gone)) and after.stated <= before.stated:
        return failed(f"asks about {_listed(pair, strange)}, the original about {_listed(pair, gone)}")
    if before.targets and after.targets and not before.targets & (after.targets | after.asked_for):
        return undecided(f"asks for {_listed(pair, after.targets)}, the original for {_listed(pair, before.targets)}")
    new = after.asked_for - theirs
    if gone and new & keyword_stems():
        return undecided(f"asks about {_listed(pair, new & keyword_stems())}, of which the original says nothing")
    measures = new & (measure_stems() | keyword_stems())
    if before.heads and measures and not heads_left and not _MEASURING.search(pair.original.text):
        return undecided(f"asks about {_listed(pair, measures)}, the original about {_listed(pair, before.heads)}")
    if len(before.asked_for) > 1 and before.asked_for.isdisjoint(map(stem, pair.rewrite.words)):
        return undecided(f"nothing of what was asked is left: {_listed(pair, before.asked_for)}")
    return passed()


def _in_other_words(pair: Pair, before: Question, after: Question) -> Finding:
    """The rule for a text that is told in other words: the thing asked for, and whom it is asked of, are no others."""
    if after.roles["saved"] and not before.roles["saved"]:
        return failed("asks what is saved, the original does not")
    sums = after.roles["total"] and not before.roles["total"]
    if before.roles["each"] and not after.roles["each"] and after.roles["total"]:
        return failed("asks for a total, the original for each")
    compares = not _COMPARISONS.isdisjoint(after.roles) and _COMPARISONS.isdisjoint(before.roles)
    if compares and stem("need") not in before.stems:
        return failed("asks for a difference, the original for none")
    other = _other_count(pair, before, after)
    if other and before.counted[0] in map(meaning, pair.rewrite.words):
        return failed(other)
    if before.people and (more := after.people - before.people):
        return undecided(f"asks of {_listed(pair, more)} too")
    if before.people and not after.people and sums:
        return undecided(f"asks for a total, the original of {_listed(pair, before.people)}")
    story = content_stems(pair.original.words) - before.stems - empty_stems()
    strange = (after.heads & story) - {stem(name.lower()) for name in after.people}
    if before.heads and strange and not before.heads & after.stems:
        return failed(f"asks about {_listed(pair, strange)}, the original about {_listed(pair, before.heads)}")
    return passed()


@check("new_sentences", "no statement that has nothing in common with the original")
def new_sentences(pair: Pair) -> Finding:
    theirs = content_stems(pair.original.words)
    carried = [span.start for span in pair.rewrite.of_type(*VERBATIM)]
    for start, end in pair.rewrite.sentences:
        if (start, end) in pair.rewrite.questions or any(start <= place < end for place in carried):
            continue
        words = content_stems(pair.rewrite.words_between(start, end))
        if words and not words & theirs:
            return undecided(f"nothing in the original answers to {excerpt(pair.rewrite.text, start, end)}")
    return passed()


def _listed(pair: Pair, stems: Iterable[str]) -> str:
    """Words of these stems, as a reader sees them."""
    words = {stem(word): word for document in (pair.rewrite, pair.original) for word in document.words}
    return quoted(words.get(one, one) for one in sorted(stems)[:5])
