"""name_swap: other names for persons, and nothing else."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.interventions.name_swap import CONTRACT, rewrite
from semifactual.text.document import Document
from semifactual.text.lexicon import Gender, first_names, gender_of_names, given_names
from semifactual.text.likeness import are_alike
from semifactual.validate.contract import Pair, judge
from semifactual.validate.verdict import Outcome
from tests.interventions.stories import STORIES, assert_drafts_keep

DUET = "Lena buys 4 figs and Omar buys 9 figs. Lena's figs are ripe. How many figs do Lena and Omar have?"


def drafts(text, seed=0):
    return list(rewrite(Document(text), Random(seed)))


@pytest.mark.parametrize("name", STORIES)
@pytest.mark.parametrize("seed", range(5))
def test_every_draft_keeps_the_contract(name, seed):
    assert_drafts_keep(CONTRACT, STORIES[name], drafts(STORIES[name], seed))


@pytest.mark.parametrize("seed", range(20))
def test_one_or_all_persons_get_names_of_their_gender(seed):
    found = drafts(DUET, seed)
    assert {len(draft.params["names"]) for draft in found} == {1, 2}
    for draft in found:
        expected = DUET
        for old, new in draft.params["names"].items():
            assert gender_of_names()[old] is gender_of_names()[new]
            assert new in given_names() and new not in DUET
            expected = expected.replace(old, new)
        assert draft.text == expected
        assert judge(Pair(Document(DUET), Document(draft.text)), CONTRACT).outcome is Outcome.VALID


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Find $x$ if $x + 1 = 3$.",
        "How many days has April?",
        "Paris is 300 km away. How far is that in metres?",
        "Euler's formula has 3 terms.",
        "Sam and Samantha have 3 cats.",
        "Write the letters of the alphabet as Omar does.",
        "The Okafors and Mr. Okafor eat 3 figs.",
        "Martin Luther lived in Wittenberg.",
    ],
)
def test_a_text_without_a_clear_person_has_no_draft(text):
    assert drafts(text) == []


def test_a_name_that_is_a_word_is_swapped_where_it_acts():
    text = "Rose sells 3 cups. How much does Rose earn?"
    assert {name for draft in drafts(text) for name in draft.params["names"]} == {"Rose"}


@pytest.mark.parametrize(
    ("text", "gender"),
    [
        ("Robin eats 2 figs a day. How many does she eat in a week?", Gender.FEMALE),
        ("Charlie and Ines eat 2 figs. He eats one. How many does Charlie leave?", Gender.MALE),
        ("Her brother Robin eats 2 figs. How many does Robin eat in a week?", Gender.MALE),
        ("Karan met Mia at 5. Karan lost her 3 keys. How many does Karan find?", Gender.FEMALE),
    ],
)
def test_a_pronoun_tells_which_name_fits(text, gender):
    for seed in range(10):
        for draft in drafts(text, seed):
            for old, new in draft.params["names"].items():
                expected = gender_of_names().get(old, gender)
                assert gender_of_names()[new] is expected


@pytest.mark.parametrize("seed", range(20))
def test_the_names_of_one_text_are_unlike(seed):
    for draft in drafts("Lena, Omar, Ines and Robin share 9 figs. How many does Robin get?", seed):
        kept = {"Lena", "Omar", "Ines", "Robin"} - draft.params["names"].keys()
        names = [*kept, *draft.params["names"].values()]
        assert not any(are_alike(one, other) for one, other in combinations(names, 2))


def test_where_the_names_run_out_no_draft_is_made():
    crowd = ", ".join(sorted(first_names()))
    assert drafts(f"{crowd} share 9 figs. How many does Omar get?") == []


def test_the_same_seed_gives_the_same_drafts():
    assert drafts(DUET, 3) == drafts(DUET, 3)
    assert drafts(DUET, 3) != drafts(DUET, 4)


@given(st.lists(st.sampled_from(["Ana", "Omar", " ", " ", "'s", ".", "She", "the", "has", "3", "May"])).map("".join))
def test_any_text_is_read(text):
    for draft in rewrite(Document(text), Random(0)):
        assert draft.text != text
