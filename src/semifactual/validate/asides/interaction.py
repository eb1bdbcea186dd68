"""Rules for one sentence put into a problem: is it whole, whom does it speak to, and does it touch what is computed?

Where neither can be shown - the sentence has no known form, or measures what the problem measures too - the verdict
stays open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from semifactual.answers.rederive import exact_value
from semifactual.text.document import Document
from semifactual.text.lexicon import word_list, word_types
from semifactual.text.spans import Span, SpanType
from semifactual.text.values import quantity_value
from semifactual.validate.asides.apartness import counted_amounts
from semifactual.validate.asides.harmless import Aside, known_asides, shorthand
from semifactual.validate.asides.reckoning import (
    AMOUNTS,
    SYMBOLIC,
    Reckoning,
    classes_of,
    dimensions,
    interaction_words,
    is_change,
    reckoning,
)
from semifactual.validate.asides.reference import loosened_reference
from semifactual.validate.asides.touching import increments_in, signs
from semifactual.validate.contract import NOTHING_CHANGED, Pair, check
from semifactual.validate.insertion import Insertion, insertion
from semifactual.validate.verdict import Finding, failed, passed, undecided
from semifactual.validate.words import content_stems, stem

_LONGEST = 45
"""Words. What is longer tells a story of its own."""
_ALSO = frozenset({"also"})
"""Adds to what is told, which is no harm where nothing is counted that the problem counts."""
_ARTICLES = frozenset({"the", "a", "an", "his", "her", "their", "its", "my", "our"})
_UNKNOWN_FORM = "whether it touches what is computed cannot be seen from its form"
_FRACTION = re.compile(r"\\[dt]?frac\s?\{?(-?\d+)\}?\s?\{?(\d+)\}?")


@check("one_sentence", "the original byte for byte, with one whole sentence before, between or behind its sentences")
def one_sentence(pair: Pair) -> Finding:
    if pair.edit is None:
        return NOTHING_CHANGED
    found = _added(pair)
    if found is None:
        return failed("the rewrite is not the original with one insertion before, between or behind its sentences")
    place, sentence = found
    if len(sentence.sentences) != 1:
        return failed(f"{len(sentence.sentences)} sentences were put in")
    if not sentence.text.rstrip("\"”’')").endswith((".", "!")):
        return failed(f"what was put in is no finished statement: {sentence.text[-40:]!r}")
    if any(sentence.text.count(a) != sentence.text.count(b) for a, b in ("()", "[]", "{}")):
        return failed(f"its brackets do not close: {sentence.text[:80]!r}")
    if not place.stands_apart(pair.original.text):
        return failed("nothing separates the sentence from the text")
    options = next(pair.original.of_type(SpanType.OPTION), None)
    if options is not None and place.position > options.start:
        return failed("the sentence stands among the options")
    if len(sentence.words) > _LONGEST:
        return undecided(f"the sentence has {len(sentence.words)} words")
    return passed(repr(sentence.text))


@check("plain_statement", "the sentence asks nothing, tells the reader nothing, and does not speak of the answer")
def plain_statement(pair: Pair) -> Finding:
    found = _added(pair)
    if found is None:
        return passed("no insertion; see one_sentence")
    _, sentence = found
    words = sentence.words
    if "?" in sentence.text or (words and words[0] in word_list("ask")):
        return failed(f"it asks: {sentence.text[:80]!r}")
    if addressed := sorted(interaction_words("reader").intersection(words)):
        return failed(f"it speaks to the reader, or of the answer: {', '.join(addressed)}")
    if sentence.answer_formats:
        return failed("it says in what form the answer is wanted")
    if not _says_answer(sentence, pair.answer):
        return passed()
    if any(known_asides(shorthand(sentence))) or _counts_otherwise(sentence, pair):
        return undecided(f"its amount has the value of the answer {pair.answer!r}")
    return failed(f"it says the answer {pair.answer!r}")


@check("reference", "every pronoun behind the sentence means what it meant")
def reference(pair: Pair) -> Finding:
    found = _added(pair)
    if found is None:
        return passed("no insertion; see one_sentence")
    place, sentence = found
    loosened = loosened_reference(pair.original, place.position, sentence)
    return undecided(f"{loosened!r} may mean something else now") if loosened else passed()


@check("interaction", "the sentence changes, counts and measures nothing that the problem computes with")
def interaction(pair: Pair) -> Finding:
    found = _added(pair)
    if found is None:
        return passed("no insertion; see one_sentence")
    _, sentence = found
    known = reckoning(pair.original)
    kept_apart, reason = beside_the_matter(sentence, known)
    if kept_apart:
        return passed(reason)
    seen = [] if reason else list(signs(sentence, known))
    sure = next((sign for sign in seen if sign.sure), None)
    if sure is not None:
        return failed(sure.evidence)
    return undecided(reason or next((sign.evidence for sign in seen), _UNKNOWN_FORM))


def beside_the_matter(sentence: Document, known: Reckoning) -> tuple[bool, str]:
    """Whether a statement has a form that is beside the matter of a problem: which one, or why it may matter still.

    The reason is empty where the sentence has no such form.
    """
    reason = ""
    for reading in known_asides(shorthand(sentence)):
        doubt = next(filter(None, (_doubt(aside, match, sentence, known) for aside, match in reading)), None)
        if doubt is None:
            return True, "beside the matter: " + ", ".join(aside.id for aside, _ in reading)
        reason = reason or doubt
    return False, reason


@lru_cache(maxsize=8)
def _added(pair: Pair) -> tuple[Insertion, Document] | None:
    """What was put in, and the same without the space around it."""
    found = insertion(pair)
    return None if found is None or not found.text.strip() else (found, Document(found.text.strip()))


def _says_answer(sentence: Document, answer: str | None) -> bool:
    """Whether the answer stands in the sentence, be it written otherwise: 33/100 for \\frac{33}{100}."""
    if not answer:
        return False
    value = exact_value(_flat(answer))
    if value is None:
        return len(answer) > 2 and re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", sentence.text, re.I) is not None
    return any(_value(sentence, span) == value for span in sentence.of_type(*AMOUNTS, SpanType.MATH))


def _counts_otherwise(sentence: Document, pair: Pair) -> bool:
    """Whether every amount of the sentence counts something, and none something that the problem asks for."""
    heads = list(counted_amounts(sentence))
    asked = reckoning(pair.original).asked
    return bool(heads) and all(head is not None and stem(head) not in asked for head in heads)


def _value(document: Document, span: Span) -> Fraction | None:
    value = quantity_value(document.text, span)
    return exact_value(_flat(span.of(document.text))) if value is None else value


def _flat(text: str) -> str:
    match = _FRACTION.fullmatch(text.strip().strip("$").strip())
    return f"{match[1]}/{match[2]}" if match else text.strip().strip("$")


# What is beside the matter -------------------------------------------------------------------------------------------


def _doubt(aside: Aside, match: re.Match[str], sentence: Document, known: Reckoning) -> str | None:
    """Why a sentence of this form may matter all the same; None where it does not."""
    words = sentence.words
    if loaded := sorted((increments_in(sentence) | set(_changing(words))) - aside.literals - _ALSO):
        return f"it says {', '.join(loaded)}"
    if denied := sentence.pieces(SpanType.NEGATION):
        return f"it denies something: {', '.join(denied)}"
    if any(sentence.of_type(*SYMBOLIC)):
        return "it holds mathematics"
    if conditions := sorted(interaction_words("conditions").intersection(words)):
        return f"it says {', '.join(conditions)}"
    if loads := sorted((interaction_words("fees") | interaction_words("faults")).intersection(words)):
        return f"it brings a {loads[0]}"
    terms = [word for word in sentence.pieces(SpanType.KEYWORD) if stem(word) in known.stems]
    if terms and known.symbolic:
        return f"it speaks of {', '.join(terms)}, a term of the problem"
    if shared := sorted(_measured(aside, sentence, known) & known.dimensions):
        return f"it speaks of {', '.join(shared)}, as the problem does"
    return _counts({name: value or "" for name, value in match.groupdict().items()}, known)


def _changing(words: tuple[str, ...]) -> Iterator[str]:
    """The verbs of change among the words; behind an article, one in -ing is a noun: the drawing."""
    for before, word in pairwise(("", *words)):
        if is_change(word) and not (word.endswith("ing") and before in _ARTICLES):
            yield word


def _measured(aside: Aside, sentence: Document, known: Reckoning) -> set[str]:
    """The dimensions that the sentence speaks of, of those that its form may."""
    found = set(aside.measures & dimensions(sentence))
    if "age" in aside.measures and any(sentence.of_type(SpanType.DATE, SpanType.NUMBER)):
        found.add("age")
    if any(word in interaction_words("places") and stem(word) not in known.stems for word in sentence.words[:5]):
        return found - {"age", "years"}
    return found


def _counts(values: dict[str, str], known: Reckoning) -> str | None:
    """Whether what the sentence counts, or says of somebody, may be what the problem speaks of."""
    owner, thing = values.get("owner", "").split(), values.get("thing", "").split()
    if clash := known.counts_like(thing):
        return f"it counts {clash!r}, as the problem may"
    if parted := sorted(interaction_words("divisions").intersection(_singulars(thing))):
        return f"it says how many {', '.join(parted)} there are"
    if units := [word for word in thing if word_types().get(word) is SpanType.UNIT]:
        return f"it states an amount, in {units[0]}"
    if owner and _may_own(owner) and not any(map(classes_of, thing)):
        return f"it says what {' '.join(owner)} has"
    shared = sorted(content_stems(thing + values.get("object", "").split()) & known.stems)
    return f"it speaks of {', '.join(shared)}, as the problem does" if shared else None


def _singulars(words: list[str]) -> set[str]:
    return {word.removesuffix("s") for word in words} | set(words)


def _may_own(owner: list[str]) -> bool:
    """Whether these words name a person, who may own more of anything, or a group, which may have more persons."""
    head = owner[-1]
    is_person = head in ("he", "she", "they", "we", "@") or "people" in classes_of(head)
    return is_person or head in interaction_words("groups")
