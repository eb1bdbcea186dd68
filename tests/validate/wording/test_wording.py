"""The paraphrase contract on hand-written rewrites: each kind of fault is caught, and good wording is let through."""

import pytest

from semifactual.interventions.paraphrase import CONTRACT
from semifactual.text.document import Document
from semifactual.validate.contract import Pair, judge
from semifactual.validate.verdict import Mode, Outcome

FAIR = (
    "Nina buys 3 large boxes of pens for $4 each at the school fair. Half of the red pens are broken. Her brother Paul "
    "has twice as many pens as Nina. How many more pens does Paul have than Nina?"
)
TANK = (
    "A tank holds 40 liters of water. Rosa empties 6 liters per minute before lunch, and twice the reciprocal of a "
    "number is 8. What is the ratio of the height of the tank to the width of the tank?"
)

ROAD = (
    "Ana has 9 toy cars. Mia has 3 fewer. There are more red cars than vans. Leo and two friends buy flags for 5 "
    "dollars each and hang 20 flags on masts. How many flags are left?"
)

BEAM = "The oak beam is 7 feet longer than the pine beam. The pine beam is 20 feet long. How long is the oak beam?"

CART = "A farmer leads a donkey. He adds 5 sacks to the donkey's load of 9 sacks. How many sacks does it carry?"


def failures(original, rewrite, mode=Mode.FROZEN):
    return {check.name for check in judge(Pair(Document(original), Document(rewrite), mode=mode), CONTRACT).failures}


def changed(text, old, new):
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "old", "new", "name"),
    [
        (FAIR, "the red pens", "the pens", "modifiers"),
        (FAIR, "3 large boxes", "3 large wooden boxes", "modifiers"),
        (FAIR, "the school fair", "the school market", "renamed_things"),
        (FAIR, "buys 3", "and her cousin buy 3", "possessions"),
        (FAIR, "Her brother", "His brother", "pronouns"),
        (FAIR, "as Nina", "as there are boxes", "relations"),
        (FAIR, "$4 each", "$4 in total", "relations"),
        (FAIR, "Half of the red pens are broken.", "", "clauses"),
        (FAIR, "are broken.", "are broken, and a clerk at the counter swaps them.", "clauses"),
        (FAIR, "How many more pens", "How many more boxes", "question_target"),
        (BEAM, "How long", "Go ahead and how long", "one_request"),
        (BEAM, "How long is", "Kindly can you find how long is", "one_request"),
        (FAIR, "does Paul have than Nina", "does Nina have than Paul", "name_roles"),
        (TANK, "twice the reciprocal of a number", "the reciprocal of twice a number", "relations"),
        (TANK, "the height of the tank to the width", "the width of the tank to the height", "contrasts"),
        (TANK, "before lunch", "after lunch", "guarded_words"),
        (TANK, "per minute", "per hour", "frozen_spans"),
        (ROAD, "Mia has 3 fewer", "there are 3 fewer than Mia has", "comparisons"),
        (ROAD, "more red cars than vans", "more vans than red cars", "comparisons"),
        (ROAD, "Leo and two friends", "Leo is one of two friends who", "comparisons"),
        (ROAD, "for 5 dollars each", "for 5 dollars", "distribution"),
        (ROAD, "20 flags", "20 masts", "counted_nouns"),
        (BEAM, "7 feet longer", "7 feet shorter", "guarded_words"),
        (CART, "the donkey's load", "the farmer's load", "owners"),
        (
            BEAM,
            "The oak beam is 7 feet longer than the pine",
            "The pine beam is 7 feet longer than the oak",
            "comparisons",
        ),
    ],
)
@pytest.mark.parametrize("mode", list(Mode))
def test_one_fault_is_caught_by_its_check(text, old, new, name, mode):
    assert name in failures(text, changed(text, old, new), mode)


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (FAIR, "Nina buys", "At the stand, Nina purchases"),
        (FAIR, "How many more pens does Paul have than Nina?", "By how many pens does Paul have more than Nina?"),
        (FAIR, "Her brother Paul has twice", "Paul, her brother, has twice"),
        (TANK, "A tank holds 40 liters of water.", "There are 40 liters of water in a tank."),
        (TANK, "What is the ratio", "Determine the ratio"),
        (
            BEAM,
            "The oak beam is 7 feet longer than the pine beam.",
            "The pine beam is 7 feet shorter than the oak beam.",
        ),
    ],
)
def test_other_words_for_the_same_pass(text, old, new):
    assert failures(text, changed(text, old, new)) == set()


TRIP = (
    "Oscar drives 60 miles in half an hour and then rests for 15 minutes. He pays $3 for each of 2 coffees and 20% "
    "more for a sandwich than for a coffee. How much money does Oscar spend altogether?"
)
RETOLD = (
    "During his journey, Oscar covered a distance of sixty miles within 30 minutes, after which he took a break "
    "lasting a quarter of an hour. Two cups of coffee were bought by him at three dollars apiece, along with a "
    "sandwich priced 20 percent higher than one coffee. What is the total amount that Oscar paid?"
)


def test_a_story_told_in_other_words_is_valid_in_semantic_mode_alone():
    assert failures(TRIP, RETOLD, Mode.SEMANTIC) == set()
    assert failures(TRIP, RETOLD, Mode.FROZEN)


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("sixty", "seventy", "frozen_spans"),
        ("30 minutes", "30 hours", "frozen_spans"),
        ("20 percent", "20", "frozen_spans"),
        (", along with a sandwich priced 20 percent higher than one coffee", "", "frozen_spans"),
        ("What is the total amount that Oscar paid?", "He was content.", "question_target"),
        ("covered", "never covered", "guarded_words"),
        ("higher", "lower", "guarded_words"),
    ],
)
def test_a_fault_in_other_words_is_caught(old, new, name):
    assert name in failures(TRIP, changed(RETOLD, old, new), Mode.SEMANTIC)


def test_two_quantities_that_changed_places_are_caught_in_other_words_too():
    original = "Lou buys 4 ripe melons at the stand and sells 9 old chairs to Max. How many things is that?"
    rewrite = (
        "At a stand, Lou purchases 9 ripe melons; later, 4 old chairs are sold to Max. What is the count of things?"
    )
    assert "quantity_roles" in failures(original, rewrite, Mode.SEMANTIC)


@pytest.mark.parametrize("mode", list(Mode))
def test_a_hundred_thousand_characters_are_judged(mode):
    long = " ".join(f"Then Nina counts {n} pens and {n + 1} red caps." for n in range(2200)) + " How many is that?"
    pair = Pair(Document(long), Document(long.replace("Then Nina counts", "Nina then counts")), mode=mode)
    assert judge(pair, CONTRACT).outcome in Outcome
