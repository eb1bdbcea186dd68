"""typo_noise: exactly one slip, in an ordinary word, that nobody can take for another word."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.interventions.registry import get_intervention
from semifactual.interventions.typo_noise import rewrite
from semifactual.text.document import Document
from semifactual.text.edits import is_single_typo
from semifactual.text.lexicon import english_words, first_names, word_types
from semifactual.text.spans import SpanType
from semifactual.validate.contract import Pair, judge
from semifactual.validate.verdict import Outcome
from tests.interventions.stories import STORIES


def drafts(text, seed=0):
    return list(rewrite(Document(text), Random(seed)))


@pytest.mark.parametrize("name", STORIES)
@pytest.mark.parametrize("seed", range(5))
def test_every_draft_keeps_the_contract(name, seed):
    original = Document(STORIES[name])
    found = drafts(original.text, seed)
    assert found
    for draft in found:
        verdict = judge(Pair(original, Document(draft.text)), get_intervention("typo_noise").contract)
        assert verdict.outcome is Outcome.VALID, verdict.failures


@pytest.mark.parametrize("seed", range(20))
def test_the_misspelt_word_is_recognisable_and_no_word(seed):
    for draft in drafts(STORIES["story"], seed):
        word, typo = draft.params["word"], draft.params["typo"]
        assert is_single_typo(word, typo)
        assert typo[0] == word[0]
        assert typo not in english_words() and typo not in word_types() and typo.capitalize() not in first_names()


def test_drafts_differ_in_their_word():
    words = [draft.params["word"] for draft in drafts(STORIES["story"])]
    assert len(words) == len(set(words)) > 3


@pytest.mark.parametrize(
    "text",
    [
        "12 + 30 = ?",
        "$x + y = z$",
        "Seven dozen kilograms.",
        "Marta's 5 km!",
        "two-thirds well-known",
        "“Winter Gardens”",
        "Every prime integer exceeds zero.",
        "",
    ],
)
def test_a_text_without_an_ordinary_word_has_no_draft(text):
    assert drafts(text) == []


def test_short_words_serve_where_there_are_no_long_ones():
    assert {draft.params["word"] for draft in drafts("Add the 3 to 4.")} == {"the"}


def test_counted_words_come_last():
    found = drafts("Nadia bakes 12 muffins for a market.")
    assert [draft.params["word"] for draft in found][-1] == "muffins"


def test_the_sentence_that_fixes_the_answers_form_is_spared():
    text = "Find the longest path. Express your answer as a reduced fraction with small terms."
    boundary = text.index("Express")
    assert all(draft.text.endswith(text[boundary:]) for seed in range(20) for draft in drafts(text, seed))


def test_a_slip_that_comes_close_to_another_word_is_not_made():
    typos = {draft.params["typo"] for seed in range(60) for draft in drafts("The map was defined then.", seed)}
    assert "deined" not in typos  # denied?
    assert "thn" not in typos  # than?


def test_the_same_seed_gives_the_same_drafts():
    assert drafts(STORIES["story"], 3) == drafts(STORIES["story"], 3)
    assert drafts(STORIES["story"], 3) != drafts(STORIES["story"], 4)


@given(st.text(alphabet="abcdefgh $\\{}[]()ABC.,?!'\"“”-0123456789\n", max_size=80), st.integers(0, 99))
def test_any_text_gives_single_typos_outside_mathematics(text, seed):
    original = Document(text)
    for draft in rewrite(original, Random(seed)):
        assert is_single_typo(text, draft.text)
        assert Document(draft.text).pieces(SpanType.MATH) == original.pieces(SpanType.MATH)
