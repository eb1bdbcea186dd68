"""register: the same prose in a casual or a formal tone, with the same people, things and events."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from random import Random

from semifactual.interventions.paraphrase import CONTRACT
from semifactual.interventions.phrasing.choosing import choice, shuffled
from semifactual.interventions.phrasing.inflection import VERBS
from semifactual.interventions.phrasing.patterns import QUESTIONS, Rewording, pattern_rewordings
from semifactual.interventions.phrasing.phrases import SLOTS
from semifactual.interventions.phrasing.requests import request_rewordings
from semifactual.interventions.phrasing.scene import Scene
from semifactual.interventions.phrasing.synonyms import synonym_rewordings
from semifactual.interventions.registry import intervention
from semifactual.text.document import Document
from semifactual.text.edits import Edit, apply_edits
from semifactual.text.lexicon import word_list
from semifactual.text.spans import SpanType
from semifactual.types import Draft, Family


class Tone(StrEnum):
    """How a text speaks. Each tone has its questions, phrases and words in templates/register."""

    CASUAL = "casual"
    """As people talk: contractions, "so", everyday words."""
    FORMAL = "formal"
    """As an official letter writes: nothing contracted, polite requests, words of Latin."""


TEMPLATES = tuple(
    f"register/{name}.yaml"
    for name in ("casual_questions", "casual", "casual_words", "formal_requests", "formal", "formal_words")
)

_DRAFTS = 6
_LONGEST = 20_000
"""Characters, as for paraphrase."""
_SHORT_PROSE = 25
"""Up to so many words outside mathematics, one rewording sets the tone; beyond, at least two do."""
_OPENERS = ("So ", "Alright, so ")
_CONDITION = re.compile(r"If\b")
_OPENED = frozenset({SpanType.NAME, SpanType.NUMBER, SpanType.NUMBER_WORD, SpanType.QUANTIFIER})
"""What else than a small word may stand behind "so": any other capitalised word may be a name that no list knows."""


@intervention(
    "register",
    family=Family.WORDING,
    contract=CONTRACT,
    summary="a casual or a formal tone outside mathematics: contractions, polite requests, everyday or formal words",
    example=(
        "Mia buys 12 plums and eats 5. How many plums does Mia have left?",
        "Mia purchases 12 plums and eats 5. Please determine how many plums Mia has left.",
    ),
    templates=(*TEMPLATES, QUESTIONS, SLOTS, VERBS),
)
def rewrite(original: Document, rng: Random) -> Iterator[Draft]:
    """Yield up to six drafts, the two tones in turn, each with another form of the question where one is known.

    A text that offers nothing to either tone, or one of more than 20,000 characters, yields none.
    """
    if len(original.text) > _LONGEST:
        return
    scene = Scene(original)
    tones = list(Tone)
    rng.shuffle(tones)
    candidates = {tone: rewordings(tone, scene) for tone in tones}
    least = 1 if scene.prose_length <= _SHORT_PROSE else 2
    seen = {original.text}
    for number in range(_DRAFTS):
        tone = tones[number % 2]
        questions, others = (shuffled(found, rng) for found in candidates[tone])
        chosen = choice(questions, others, least, least + rng.randint(1, 2)) or choice(questions, others, 1, 2)
        text = apply_edits(original.text, (edit for rewording in chosen for edit in rewording.edits))
        if text not in seen:
            seen.add(text)
            yield Draft(text, {"tone": tone.value, "patterns": [rewording.pattern for rewording in chosen]})


def rewordings(tone: Tone, scene: Scene) -> tuple[list[Rewording], list[Rewording]]:
    """The rewordings of the question into this tone, and all others."""
    if tone is Tone.CASUAL:
        questions = list(pattern_rewordings("register/casual_questions.yaml", scene))
        others = [*_openers(scene), *pattern_rewordings("register/casual.yaml", scene)]
    else:
        questions = [*request_rewordings(scene), *pattern_rewordings("register/formal_requests.yaml", scene)]
        others = list(pattern_rewordings("register/formal.yaml", scene))
    return questions, [*others, *synonym_rewordings(scene, f"register/{tone.value}_words.yaml")]


def _openers(scene: Scene) -> Iterator[Rewording]:
    """ "So" before the first sentence, where that states something in prose or begins with a condition."""
    document = scene.document
    if not document.sentences:
        return
    start, _ = document.sentences[0]
    if document.sentences[0] in document.questions and not _CONDITION.match(document.text, start):
        return
    first = next(span for span in document.spans if span.start == start)
    word = first.of(scene.text).lower()
    small = word in word_list("function") - word_list("title")
    if not (small or first.type in _OPENED) or not scene.is_free(start, start):
        return
    head = scene.lowered(start, start + 1)
    changed = int(head != scene.text[start])
    if not changed and first.type not in _OPENED and word != "i":
        return
    for opener in _OPENERS:
        edit = Edit(start, start + changed, opener + head[:changed])
        yield Rewording("so", (edit,), (0, len(scene.text)), 2)
