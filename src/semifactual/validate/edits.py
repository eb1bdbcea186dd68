"""Rules for kinds that make one small edit: a typo in one word, a distractor behind the text."""

from __future__ import annotations

from semifactual.text.document import Document
from semifactual.text.edits import is_single_typo
from semifactual.text.lexicon import english_words, first_names, number_words, word_types
from semifactual.text.spans import Span, SpanType
from semifactual.validate.contract import NOTHING_CHANGED, Pair, check
from semifactual.validate.vacuous import classify_distractor, distractor_stems
from semifactual.validate.verdict import Finding, failed, passed
from semifactual.validate.words import content_stems

_RATES = frozenset({"hourly", "daily", "weekly", "monthly", "quarterly", "yearly", "annually"})


@check("one_typo", "one insertion, deletion, substitution or neighbour swap in one ordinary word, which stays no word")
def one_typo(pair: Pair) -> Finding:
    edit = pair.edit
    if edit is None:
        return NOTHING_CHANGED
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
    if old.lower() in _RATES or (old[-1] == "s" and old[:-1].lower() in number_words().keys() - {"one"}):
        return failed(f"the edited word {old!r} says how much")
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


@check("one_distractor", "the original byte for byte, then one vacuous distractor at the very end")
def one_distractor(pair: Pair) -> Finding:
    if pair.edit is None:
        return NOTHING_CHANGED
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
    if shared := sorted(distractor_stems(Document(distractor).words) & content_stems(pair.original.words)):
        return failed(f"the distractor speaks of {', '.join(shared)}, as the original does")
    return passed(f"{form}: {distractor!r}")
