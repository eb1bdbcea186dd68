"""Rules for kinds that make one small edit: a typo in one word, a frame around the text, a distractor behind it."""

from __future__ import annotations

from semifactual.text.document import Document
from semifactual.text.edits import is_single_typo
from semifactual.text.lexicon import english_words, first_names, word_types
from semifactual.text.spans import VERBATIM, Span, SpanType
from semifactual.validate.contract import Pair, check
from semifactual.validate.roles import gained_roles
from semifactual.validate.vacuous import classify_distractor
from semifactual.validate.verdict import Finding, failed, passed, undecided
from semifactual.validate.words import content_stems, is_content, phrases, stem

_LONGEST_FRAME = 30
"""Words. A frame is light; a longer one tells a story of its own."""

_NOT_IN_FRAME = VERBATIM | {SpanType.NEGATION, SpanType.QUANTIFIER, SpanType.UNIT}
_HARMLESS_IN_FRAME = frozenset(
    {"first", "around", "together", "else", "alone", "about", "rest", "day", "days", "years"}
)
_PERSONS = frozenset({"he", "she", "they", "him", "her", "them", "his", "hers", "their", "theirs"})


@check("one_typo", "one insertion, deletion, substitution or neighbour swap in one ordinary word, which stays no word")
def one_typo(pair: Pair) -> Finding:
    edit = pair.edit
    if edit is None:
        return failed("nothing was edited")
    before, after = pair.original.text, pair.rewrite.text
    removed = edit.removed(before)
    if len(removed) > 2 or len(edit.replacement) > 2 or not is_single_typo(before, after):
        return failed(f"more than one edit: {removed[:40]!r} became {edit.replacement[:40]!r}")
    if not (removed + edit.replacement).isalpha():
        return failed(f"the edit touches more than letters: {removed!r} became {edit.replacement!r}")
    span = _edited_word(pair.original, edit.start, edit.end)
    if span is None:
        return failed("the edit is in no word")
    old = span.of(before)
    new = after[span.start : span.end + len(after) - len(before)]
    if span.type is not SpanType.WORD or len(old) == 1:
        return failed(f"the edited word {old!r} is {'one letter' if len(old) == 1 else f'a {span.type.value}'}")
    if any(start <= edit.start < end for start, end in pair.original.answer_formats):
        return failed(f"the edited word {old!r} is in the sentence that fixes the answer's form")
    lower = new.lower()
    if lower in english_words() or lower in word_types() or new in first_names():
        return failed(f"{old!r} became another word, {new!r}")
    return passed(f"{old!r} became {new!r}")


def _edited_word(document: Document, start: int, end: int) -> Span | None:
    """The span that holds ``[start, end)``; for an insertion between two spans, the one that is a word."""
    touching = [span for span in document.spans if span.start <= start and end <= span.end]
    words = (span for span in touching if span.of(document.text)[0].isalpha())
    return next(words, touching[0] if touching else None)


@check("one_frame", "the original with one light frame inserted, and at most one letter's case changed")
def one_frame(pair: Pair) -> Finding:
    found = _insertion(pair)
    if found is None:
        return failed("the rewrite is not the original with one insertion before, between or behind its sentences")
    document = Document(found.strip())
    if len(document.words) > _LONGEST_FRAME:
        return failed(f"the frame has {len(document.words)} words")
    for span in document.spans:
        piece = span.of(document.text)
        if span.type in _NOT_IN_FRAME and piece.lower() not in _HARMLESS_IN_FRAME:
            return failed(f"the frame holds a {span.type.value}: {piece!r}")
    if roles := gained_roles(Document(""), document):
        return failed(f"the frame says {', '.join(roles)}")
    if commands := sorted(phrases("frame_commands").count(document.text)):
        return failed(f"the frame tells the reader what to do: {', '.join(commands)}")
    if document.answer_formats:
        return failed("the frame says in what form the answer is wanted")
    if people := sorted(_PERSONS.intersection(document.words)):
        return undecided(f"the frame says {', '.join(people)}, who may be of the story")
    if shared := _shared_content(document, pair.original):
        return undecided(f"the frame speaks of {', '.join(shared)}, as the original does")
    return passed(repr(document.text))


def _insertion(pair: Pair) -> str | None:
    """Before which sentence something was inserted, or behind the last, and what; None where more or else happened.

    One letter behind the insertion may have changed its case.
    """
    edit = pair.edit
    before, after = pair.original.text, pair.rewrite.text
    length = len(after) - len(before)
    if edit is None or length <= 0:
        return None
    starts = [start for start, _ in pair.original.sentences]
    for position in (0, len(before), *starts):
        if before[:position] != after[:position]:
            continue
        tail, kept = before[position:], after[position + length :]
        if tail == kept or (tail[1:] == kept[1:] and tail[:1].swapcase() == kept[:1]):
            return after[position : position + length]
    return None


def _shared_content(added: Document, original: Document) -> list[str]:
    """The content words of `added` that the original speaks of too."""
    theirs = content_stems(original.words)
    return sorted({word for word in added.words if is_content(word) and stem(word) in theirs})


@check("one_distractor", "the original byte for byte, then one vacuous distractor at the very end")
def one_distractor(pair: Pair) -> Finding:
    before, after = pair.original.text, pair.rewrite.text
    if not after.startswith(before):
        return failed("the rewrite does not begin with the original, byte for byte")
    tail = after[len(before) :]
    if tail[:1] and not tail[0].isspace() and not before[-1:].isspace():
        return failed("nothing separates the distractor from the text")
    distractor = tail.strip()
    form = classify_distractor(distractor)
    if form is None:
        return failed(f"not a vacuous distractor: {distractor[:80]!r}")
    shared = _shared_content(Document(distractor), pair.original)
    if shared:
        return failed(f"the distractor speaks of {', '.join(shared)}, as the original does")
    return passed(f"{form}: {distractor!r}")
