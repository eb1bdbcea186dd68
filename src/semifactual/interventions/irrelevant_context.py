"""irrelevant_context: the problem as it is, and behind it one distractor that says nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from random import Random

from semifactual.interventions.registry import intervention
from semifactual.resources import template_yaml
from semifactual.text.document import Document
from semifactual.text.spans import SpanType
from semifactual.text.values import QUANTITIES, quantity_value
from semifactual.types import Draft, Family
from semifactual.validate.common import COMMON, markup
from semifactual.validate.contract import Contract
from semifactual.validate.edits import one_distractor
from semifactual.validate.words import content_stems, stem

CONTRACT = Contract(
    checks=(*(rule for rule in COMMON if rule is not markup), one_distractor),
    frozen=frozenset(SpanType),
)

TAUTOLOGIES = "distractors/tautologies.yaml"

_IDENTITY_OPENERS = ("Note that ", "Of course, ", "After all, ", "As ever, ", "")
_TRIES = 8
_LARGEST_IDENTITY = 40
_LETTERS = "dghjkmpqrtvw"
"""No vowels and few consonants, so that no word appears; no x or y, which mathematics would claim."""
_DIGITS = "23456789"
_LABELS = ("tag: ", "ref: ", "id: ", "marker-", "label ")
_BORDERS = ("~", "~~", "~.~", "--", "-~", ".~", "-~-", "*~", "~ ")
_CENTRES = ("o", "*", "~", "", ".", "-", "<>", ":")
_SENTENCE_ENDS = (".", "?", "!")
_CLOSERS = "\"”’')*_$"


@intervention(
    "irrelevant_context",
    family=Family.CONTEXT,
    contract=CONTRACT,
    summary="the text as it is, then one vacuous distractor: a tautology, a random string or a decorative tag",
    example=(
        "A tram runs 14 stops in 35 minutes. How many minutes does it take per stop?",
        "A tram runs 14 stops in 35 minutes. How many minutes does it take per stop? Velvet is velvet.",
    ),
    templates=(TAUTOLOGIES,),
)
def rewrite(original: Document, rng: Random) -> Iterator[Draft]:
    """Yield up to eight drafts: every style twice, in random order, so that each comes first equally often."""
    separator = _separator(original)
    theirs = {stem(word) for word in original.words}
    styles = sorted(_STYLES)
    rng.shuffle(styles)
    for style in styles * 2:
        candidates = (_STYLES[style](original, rng) for _ in range(_TRIES))
        distractor = next((text for text in candidates if theirs.isdisjoint(content_stems(Document(text).words))), None)
        if distractor is not None:
            yield Draft(original.text + separator + distractor, {"style": style, "distractor": distractor})


def _separator(document: Document) -> str:
    """A space behind a finished sentence; a line break where the distractor could be read as part of the last item."""
    text = document.text
    if not text or text[-1].isspace():
        return ""
    last_line = text.rfind("\n") + 1
    if any(span.start >= last_line for span in document.of_type(SpanType.OPTION)) or text.endswith("```"):
        return "\n"
    return " " if text.rstrip(_CLOSERS).endswith(_SENTENCE_ENDS) or text.endswith("[/asy]") else "\n"


def _identity(document: Document, rng: Random) -> str:
    """``Note that 7 = 7.`` with an integer that the text does not speak of."""
    taken = {quantity_value(document.text, span) for span in document.of_type(*QUANTITIES)}
    free = [n for n in range(2, _LARGEST_IDENTITY) if n not in taken and str(n) not in document.text]
    number = rng.choice(free or range(_LARGEST_IDENTITY, 2 * _LARGEST_IDENTITY))
    return f"{rng.choice(_IDENTITY_OPENERS)}{number} = {number}."


def _tautology(document: Document, rng: Random) -> str:
    """A sentence of the closed grammar, made of the shipped words."""
    things, substances, adjectives, described, ready = _vocabulary()
    thing, substance, adjective, noun = (rng.choice(words) for words in (things, substances, adjectives, described))
    article = "an" if thing[0] in "aeiou" else "a"
    forms = (
        f"{article} {thing} is {article} {thing}.",
        f"every {thing} is {article} {thing}.",
        f"{substance} is {substance}.",
        f"{substance} remains {substance}.",
        f"{adjective} {noun} are {noun}.",
        f"{adjective} {noun} are {adjective}.",
        rng.choice(ready),
    )
    sentence = rng.choice(forms)
    return sentence[0].upper() + sentence[1:]


@cache
def _vocabulary() -> tuple[tuple[str, ...], ...]:
    """The word lists of the tautologies: things, substances, adjectives, what these describe, ready sentences."""
    listed = template_yaml(TAUTOLOGIES)
    lists = (tuple(listed[name].split()) for name in ("things", "substances", "adjectives", "described"))
    return *lists, tuple(listed["ready"])


def _code(document: Document, rng: Random) -> str:
    """Seven to ten letters of both cases with two or three single digits among them, a letter at both ends."""
    return _random_code(rng, rng.randint(7, 10), _LETTERS + _LETTERS.upper())


def _random_code(rng: Random, length: int, letters: str) -> str:
    code = [rng.choice(letters) for _ in range(length)]
    step = 3 if length >= 7 else 2
    for position in range(rng.randint(1, step - 1), length - 1, step):
        code[position] = rng.choice(_DIGITS)
    return "".join(code)


def _tag(document: Document, rng: Random) -> str:
    """A bracket with an ornament or with a labelled code."""
    if rng.random() < 0.5:
        return f"[{rng.choice(_LABELS)}{_random_code(rng, 5, _LETTERS)}]"
    border, centre = rng.choice(_BORDERS), rng.choice(_CENTRES)
    return f"[{border}{centre}{border[::-1]}]"


_STYLES: dict[str, Callable[[Document, Random], str]] = {
    "identity": _identity,
    "tautology": _tautology,
    "code": _code,
    "tag": _tag,
}
