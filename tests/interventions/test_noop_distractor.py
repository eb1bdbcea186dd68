"""noop_distractor: one sentence put in, which is seen to be beside the matter, seen not to be, or left open."""

import json
from pathlib import Path
from random import Random

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from semifactual.interventions.noop_distractor import CONTRACT, SENTENCES, rewrite
from semifactual.llm.judge import judging_request, read_judgement, resolved
from semifactual.llm.prompts import Sampling
from semifactual.llm.requests import Reply
from semifactual.resources import template_yaml
from semifactual.text.document import Document
from semifactual.validate.asides.harmless import asides, known_asides, shorthand
from semifactual.validate.contract import Pair, judge
from semifactual.validate.verdict import Outcome
from tests.interventions.stories import STORIES

GOLDEN = yaml.safe_load((Path(__file__).parents[1] / "golden" / "noop.yaml").read_text())


def verdict_on(case):
    original = GOLDEN["originals"][case["of"]]
    before = case.get("at", "How" if " How" in original else "Find" if " Find" in original else "What")
    place = {"front": 0, "end": len(original)}.get(before)
    if place is None:
        place = original.index(f" {before} ") + 1
    put_in = f" {case['put']}" if place == len(original) else f"{case['put']} "
    changed = original[:place] + put_in + original[place:]
    return judge(Pair(Document(original), Document(changed), answer=GOLDEN["answers"][case["of"]]), CONTRACT)


@pytest.mark.parametrize("case", GOLDEN["valid"], ids=lambda case: case["put"][:40])
def test_what_is_beside_the_matter(case):
    verdict = verdict_on(case)
    assert verdict.outcome is Outcome.VALID, verdict.failures


@pytest.mark.parametrize("case", GOLDEN["invalid"], ids=lambda case: case["put"][:40])
def test_what_surely_matters(case):
    verdict = verdict_on(case)
    failed = {check.name for check in verdict.checks if check.passed is False}
    assert failed >= set(case["fails"]), verdict.failures


@pytest.mark.parametrize("case", GOLDEN["unsure"], ids=lambda case: case["put"][:40])
def test_what_rules_leave_open(case):
    verdict = verdict_on(case)
    assert verdict.outcome is Outcome.UNSURE, verdict.failures
    assert [check.name for check in verdict.failures] == case["checks"]
    assert all(check.evidence for check in verdict.failures)


@pytest.mark.parametrize(
    "opinion, quote, outcome",
    [
        ("same", "holds 20 apples", Outcome.VALID),
        ("different", "holds 20 apples", Outcome.INVALID),
        ("unsure", "holds 20 apples", Outcome.UNSURE),
        ("same", "what nobody wrote", Outcome.UNSURE),
    ],
)
def test_a_judge_settles_what_rules_leave_open(opinion, quote, outcome):
    original = "Nora picks 12 pears every morning. How many pears does she pick in 3 days?"
    rewritten = original.replace("How", "The basket holds 20 apples. How")
    verdict = judge(Pair(Document(original), Document(rewritten)), CONTRACT)
    request = judging_request(original, rewritten, "noop_distractor", verdict, Sampling())
    (undecided,) = verdict.failures
    assert request is not None and undecided.evidence in request.messages[-1][1]
    reply = Reply(json.dumps({"verdict": opinion, "quote": quote, "reason": "Apples are no pears."}))
    assert resolved(verdict, read_judgement(reply, rewritten)).outcome is outcome


@pytest.mark.parametrize(
    "text",
    [
        "Nora picks 13 pears every morning. The gate is red. How many pears does she pick in 3 days?",
        "Nora picks 12 pears, which are green, every morning. How many pears does she pick in 3 days?",
        "Nora picks 12 pears every morning.The gate is red.How many pears does she pick in 3 days?",
        "Nora picks 12 pears every morning. How many pears does she pick in 3 days?",
    ],
)
def test_the_original_stands_byte_for_byte_around_one_sentence(text):
    original = Document("Nora picks 12 pears every morning. How many pears does she pick in 3 days?")
    assert judge(Pair(original, Document(text)), CONTRACT).outcome is Outcome.INVALID


def test_a_sentence_may_follow_what_looks_like_an_abbreviation():
    original = "Omar rents a shed to keep the boat in. He pays $40 a month. How much does he pay in a year?"
    rewritten = original.replace("He pays", "The boat is painted white. He pays", 1)
    assert judge(Pair(Document(original), Document(rewritten)), CONTRACT).outcome is Outcome.VALID


@pytest.mark.parametrize("name", ["story", "question", "own account", "company", "algebra"])
def test_every_draft_keeps_the_contract(name):
    original = Document(STORIES[name])
    drafts = [draft for seed in range(8) for draft in rewrite(original, Random(seed))]
    assert len({draft.text for draft in drafts}) > 8
    for draft in drafts:
        assert draft.params["sentence"] in draft.text
        assert len(draft.text) > len(original.text)
        assert judge(Pair(original, Document(draft.text)), CONTRACT).outcome is Outcome.VALID, draft


def test_the_generator_alone_decides():
    document = Document(STORIES["story"])
    assert list(rewrite(document, Random(1))) == list(rewrite(document, Random(1)))


def test_nothing_stands_between_a_sentence_and_the_pronoun_that_leans_on_it():
    original = Document("A pump fills a tank. It runs for 6 hours. How long does the tank take to fill twice?")
    for seed in range(10):
        for draft in rewrite(original, Random(seed)):
            assert draft.text.startswith("A pump fills a tank. It runs")


@pytest.mark.parametrize("leaning", ["They sell 9 of them.", "If they sell 9, they keep the rest.", "She sells 9."])
def test_no_sentence_about_a_person_stands_before_a_pronoun_that_may_mean_another(leaning):
    original = Document(f"Nora and Ines pick 40 pears. {leaning} How many pears are left?")
    found = [draft for seed in range(20) for draft in rewrite(original, Random(seed))]
    assert found
    for draft in found:
        before, _, _ = draft.text.partition(leaning)
        assert not (before.rstrip().endswith(draft.params["sentence"]) and draft.params["topic"] == "actor"), draft


def test_where_nothing_can_be_put_in_nothing_is():
    assert list(rewrite(Document(""), Random(0))) == []
    assert list(rewrite(Document("(A) 3\n(B) 4"), Random(0))) == []


def test_every_shipped_sentence_has_a_known_form():
    listed = template_yaml(SENTENCES)
    for topic in ("actor", "place", "weather", "thing"):
        for template in listed[topic]:
            filled = {name: words[0] for name, words in listed["words"].items()}
            sentence = template.format(name="Mia", number="17", few="4", year="1931", **filled)
            assert any(known_asides(shorthand(Document(sentence)))), sentence


def test_the_forms_have_names_of_their_own():
    names = [aside.id for aside in asides()]
    assert len(names) == len(set(names)) >= 30


@settings(max_examples=60, deadline=3000)
@given(
    st.lists(
        st.sampled_from(
            ["the", "a", "of", "in", "by", "he", "and", "#", "@", "@'s", "was", "been", "green", "years", "D"]
        ),
        max_size=60,
    ).map(" ".join)
)
def test_no_sentence_takes_long_to_read(sentence):
    list(known_asides(sentence))


@pytest.mark.parametrize(
    "file, field, aim", [("gsm8k/test.jsonl", "question", 0.95), ("math500/test.jsonl", "problem", 0.75)]
)
def test_coverage_of_real_problems(shared, file, field, aim):
    lines = (shared / "data" / file).read_text(encoding="utf-8").splitlines()[::8]
    texts = [Document(json.loads(line)[field]) for line in lines]
    drafts = [next(rewrite(text, Random(text.text)), None) for text in texts]
    made = [(text, draft) for text, draft in zip(texts, drafts, strict=True) if draft is not None]
    valid = sum(judge(Pair(text, Document(draft.text)), CONTRACT).outcome is Outcome.VALID for text, draft in made)
    assert valid >= aim * len(texts)
    assert valid >= 0.99 * len(made)
