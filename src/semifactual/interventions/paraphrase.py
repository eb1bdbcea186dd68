"""paraphrase: the prose outside mathematics said in other words, with the same people, things and events."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from semifactual.interventions.phrasing.choosing import choice, shuffled
from semifactual.interventions.phrasing.inflection import VERBS
from semifactual.interventions.phrasing.patterns import QUESTIONS, STATEMENTS, Rewording, pattern_rewordings
from semifactual.interventions.phrasing.phrases import SLOTS
from semifactual.interventions.phrasing.scene import FROZEN, Scene
from semifactual.interventions.phrasing.synonyms import SYNONYMS, synonym_rewordings
from semifactual.interventions.registry import intervention
from semifactual.text.document import Document
from semifactual.text.edits import apply_edits
from semifactual.text.spans import SpanType
from semifactual.types import Draft, Family
from semifactual.validate.common import COMMON, hint
from semifactual.validate.contract import Contract
from semifactual.validate.wording.clauses import clauses
from semifactual.validate.wording.comparisons import comparisons
from semifactual.validate.wording.contrasts import contrasts
from semifactual.validate.wording.distribution import distribution
from semifactual.validate.wording.kept import (
    answer_format,
    counted_things,
    frozen_spans,
    name_roles,
    names,
    quantity_roles,
)
from semifactual.validate.wording.modifiers import counted_nouns, modifiers, renamed_things
from semifactual.validate.wording.order_of_events import order_of_events
from semifactual.validate.wording.owners import owners, possessions, pronouns
from semifactual.validate.wording.relations import relations
from semifactual.validate.wording.requests import one_request
from semifactual.validate.wording.roles import guarded_words
from semifactual.validate.wording.target import new_sentences, question_target

CONTRACT = Contract(
    checks=(
        *COMMON,
        hint,
        frozen_spans(*(FROZEN - {SpanType.NAME})),
        names,
        quantity_roles,
        counted_things,
        name_roles,
        guarded_words,
        contrasts,
        modifiers,
        renamed_things,
        counted_nouns,
        pronouns,
        owners,
        possessions,
        relations,
        distribution,
        order_of_events,
        comparisons,
        question_target,
        one_request,
        new_sentences,
        clauses,
        answer_format,
    ),
    frozen=FROZEN,
    guarded=frozenset({SpanType.KEYWORD, SpanType.COMPARISON, SpanType.QUANTIFIER, SpanType.NEGATION}),
)

_DRAFTS = 6
_LONGEST = 20_000
"""Characters. No problem is that long, and patterns would be tried at every clause of it."""
_SHORT_PROSE = 25
"""Up to so many words outside mathematics, one rewording is enough; beyond, at least two are made."""


@intervention(
    "paraphrase",
    family=Family.WORDING,
    contract=CONTRACT,
    summary="other words and sentence forms outside mathematics; numbers, names, conditions and the question stay",
    example=(
        "Mia buys 12 plums and eats 5. How many plums does Mia have left?",
        "Mia purchases 12 plums and eats 5. What is the number of plums that Mia has left?",
    ),
    templates=(QUESTIONS, STATEMENTS, SYNONYMS, SLOTS, VERBS),
)
def rewrite(original: Document, rng: Random) -> Iterator[Draft]:
    """Yield up to six paraphrases, each with another form of the question where one is known, then phrases and words.

    A text that no pattern fits, or one of more than 20,000 characters, yields none.
    """
    if len(original.text) > _LONGEST:
        return
    scene = Scene(original)
    questions, others = _candidates(scene)
    least = 1 if scene.prose_length <= _SHORT_PROSE else 2
    seen = {original.text}
    for _ in range(_DRAFTS):
        chosen = choice(shuffled(questions, rng), shuffled(others, rng), least, least + rng.randrange(2))
        text = apply_edits(original.text, (edit for rewording in chosen for edit in rewording.edits))
        if text not in seen:
            seen.add(text)
            yield Draft(text, {"patterns": [rewording.pattern for rewording in chosen]})


def _candidates(scene: Scene) -> tuple[list[Rewording], list[Rewording]]:
    """The rewordings of the question, and all others."""
    others = [*pattern_rewordings(STATEMENTS, scene), *synonym_rewordings(scene)]
    return list(pattern_rewordings(QUESTIONS, scene)), others
