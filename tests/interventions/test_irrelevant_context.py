"""irrelevant_context: the problem byte for byte, then one thing that says nothing."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.interventions.irrelevant_context import TAUTOLOGIES, rewrite
from semifactual.interventions.registry import get_intervention
from semifactual.resources import template_yaml
from semifactual.text.document import Document
from semifactual.validate.contract import Pair, judge
from semifactual.validate.vacuous import DistractorForm, classify_distractor
from semifactual.validate.verdict import Outcome
from tests.interventions.stories import STORIES


def drafts(text, seed=0):
    return list(rewrite(Document(text), Random(seed)))


@pytest.mark.parametrize("name", STORIES)
@pytest.mark.parametrize("seed", range(10))
def test_every_draft_keeps_the_contract(name, seed):
    original = Document(STORIES[name])
    found = drafts(original.text, seed)
    assert len(found) >= 4
    for draft in found:
        verdict = judge(Pair(original, Document(draft.text)), get_intervention("irrelevant_context").contract)
        assert verdict.outcome is Outcome.VALID, (draft.text, verdict.failures)


def test_the_style_that_a_draft_names_is_the_form_that_the_grammar_sees():
    for seed in range(300):
        for draft in drafts(STORIES["algebra"], seed):
            assert classify_distractor(draft.params["distractor"]) is DistractorForm(draft.params["style"]), (
                draft.params
            )


def test_the_styles_come_first_in_equal_shares():
    original = Document(STORIES["story"])
    counts = Counter(next(rewrite(original, Random(seed))).params["style"] for seed in range(1200))
    assert len(counts) == 4
    assert all(240 <= count <= 360 for count in counts.values())


def test_an_identity_uses_a_number_that_the_text_does_not():
    text = "What is the mean of " + ", ".join(map(str, range(2, 39))) + "?"
    identities = [d.params["distractor"] for s in range(40) for d in drafts(text, s) if d.params["style"] == "identity"]
    assert identities and all(line.endswith("39 = 39.") for line in identities)


def test_a_distractor_speaks_of_nothing_in_the_text():
    text = "After all, gravel and a violin are on the moon. Note the silver lamp! What is quiet?"
    for seed in range(150):
        for draft in drafts(text, seed):
            words = set(draft.params["distractor"].lower().strip(".").replace(",", "").split())
            assert not words & {"after", "gravel", "violin", "moon", "note", "silver", "lamp", "quiet"}, draft.params


@pytest.mark.parametrize(
    ("name", "separator"),
    [("story", " "), ("algebra", " "), ("choice", "\n"), ("open end", "\n")],
)
def test_a_distractor_cannot_be_read_as_part_of_the_last_item(name, separator):
    text = STORIES[name]
    assert {draft.text[len(text)] for draft in drafts(text)} == {separator}


def test_ready_sentences_are_vacuous():
    for sentence in template_yaml(TAUTOLOGIES)["ready"]:
        assert classify_distractor(sentence) is DistractorForm.TAUTOLOGY, sentence


def test_the_same_seed_gives_the_same_drafts():
    assert drafts(STORIES["story"], 3) == drafts(STORIES["story"], 3)
    assert drafts(STORIES["story"], 3) != drafts(STORIES["story"], 4)


@given(st.text(max_size=60), st.integers(0, 99))
def test_any_text_is_kept_byte_for_byte(text, seed):
    for draft in rewrite(Document(text), Random(seed)):
        assert draft.text.startswith(text)
        assert draft.text.endswith(draft.params["distractor"])
