"""number_word: numerals of the prose in words, as an editor would write them."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.interventions.number_word import CONTRACT, rewrite
from semifactual.text.document import Document
from semifactual.validate.contract import Pair, judge
from tests.interventions.stories import STORIES, assert_drafts_keep

TRAYS = "A baker fills 12 trays with 30 rolls each. 5 trays are left. How many did they sell in 2 days?"


def drafts(text, seed=0):
    return list(rewrite(Document(text), Random(seed)))


@pytest.mark.parametrize("name", STORIES)
@pytest.mark.parametrize("seed", range(5))
def test_every_draft_keeps_the_contract(name, seed):
    assert_drafts_keep(CONTRACT, STORIES[name], drafts(STORIES[name], seed))


def test_all_numerals_come_first():
    assert drafts(TRAYS)[0].text == (
        "A baker fills twelve trays with thirty rolls each. Five trays are left. How many did they sell in two days?"
    )


def test_the_parameters_say_what_became_what():
    for draft in drafts(TRAYS):
        text = TRAYS
        for change in draft.params["numbers"]:
            text = re.sub(rf"\b{change['numeral']}\b", change["words"], text, count=1)
        assert text == draft.text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No numeral is here, but twelve words.",
        "It costs $12 or 50% of 8.50.",
        "$12$ figs",
        "12 + 30 = ?",
        "It weighs 5 km, 12 dollars, 3 percent.",
        "The sides are 3, 4 and 5.",
        "A room of 12 feet by 14 feet.",
        "On page 12 of room 5 in Grade 6.",
        "Which is even?\n(A) 12 (B) 13",
        "In 2012 it rained.",
        "A 3-4 win and 7/8 of it.",
        "20 fifth graders",
    ],
)
def test_what_would_read_badly_stays(text):
    assert drafts(text) == []


def test_long_numbers_are_spelled_only_where_there_are_no_short_ones():
    assert drafts("She sells 1,234 figs. She keeps 7.")[0].text == "She sells 1,234 figs. She keeps seven."
    assert drafts("She sells 1,234 figs.")[0].text == "She sells one thousand two hundred thirty-four figs."


def test_the_same_seed_gives_the_same_drafts():
    assert drafts(TRAYS, 3) == drafts(TRAYS, 3)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("He packs 3 pens, 12 cards and 4 jars.", {"He packs three pens, twelve cards and four jars."}),
        ("He packs 3 pens, 12 cards and 1,000,001,234 pins.", set()),
        ("His first 3 jars hold jam, and the next 2.5 jars honey.", set()),
        ("He packs 2.5 tons and 6 jars. He sells 6 jars.", set()),
        ("He packs 3 jars for $4 each.", {"He packs three jars for $4 each."}),
        ("Find the least of the integers 24 and $k$. The 7 boys wait.", {
            "Find the least of the integers 24 and $k$. The seven boys wait."
        }),
        ("Find 54 (mod 6).", set()),
        ("He packs 6 jars. He sells 40.", {"He packs six jars. He sells forty.", "He packs six jars. He sells 40."}),
    ],
)  # fmt: skip
def test_what_stands_together_is_spelled_together(text, expected):
    assert {draft.text for seed in range(9) for draft in drafts(text, seed)} == expected


@given(st.text(alphabet="12 03,.a-$%&\nfive", max_size=40), st.integers(0, 9))
def test_any_text_gives_drafts_that_keep_the_contract(text, seed):
    original = Document(text)
    for draft in rewrite(original, Random(seed)):
        verdict = judge(Pair(original, Document(draft.text)), CONTRACT)
        assert not {"only_numerals_spelled", "same_number", "plain_numerals", "words_apart"} & {
            check.name for check in verdict.failures
        }, verdict.failures
