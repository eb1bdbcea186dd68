"""register: two tones, nothing frozen touched, and natural English behind every edit."""

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from semifactual.interventions.paraphrase import CONTRACT
from semifactual.interventions.phrasing.patterns import patterns
from semifactual.interventions.phrasing.phrases import Carried
from semifactual.interventions.phrasing.scene import FROZEN, Scene
from semifactual.interventions.phrasing.synonyms import synonyms
from semifactual.interventions.register import TEMPLATES, Tone, rewordings, rewrite
from semifactual.text.document import Document
from semifactual.text.edits import apply_edits
from semifactual.text.spans import SpanType
from semifactual.validate.contract import Pair, judge
from semifactual.validate.verdict import Outcome
from tests.interventions.stories import STORIES

GOLDEN = yaml.safe_load((Path(__file__).parents[1] / "golden" / "register.yaml").read_text())

SNIPPETS = st.sampled_from(
    [case["before"] for case in GOLDEN["cases"]]
    + [case["text"] for case in GOLDEN["left_alone"]]
    + [" ", "\n", "$x, y$", "\\(", "\\]", "“", '"', "If", "Amy", "(A) 3", "(B) 4", "?", ".", "12%", "he's", "'"]
)


def reworded(tone, text):
    questions, others = rewordings(Tone(tone), Scene(Document(text)))
    return [(found.pattern, apply_edits(text, found.edits)) for found in [*questions, *others]]


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: f"{case['pattern']}: {case['after'][:30]}")
def test_golden_rewordings(case):
    assert (case["pattern"], case["after"]) in reworded(case["tone"], case["before"])


@pytest.mark.parametrize("case", GOLDEN["left_alone"], ids=lambda case: case["text"][:40])
def test_what_a_tone_leaves_alone(case):
    assert not {pattern for pattern, _ in reworded(case["tone"], case["text"])} & set(case["patterns"])


@pytest.mark.parametrize("name", ["story", "question", "algebra", "open end"])
def test_both_tones_keep_the_contract(name):
    original = Document(STORIES[name])
    tones = Counter()
    for seed in range(5):
        for draft in rewrite(original, Random(seed)):
            verdict = judge(Pair(original, Document(draft.text)), CONTRACT)
            tones[draft.params["tone"]] += verdict.outcome is Outcome.VALID
    assert set(tones) == {"casual", "formal"} and min(tones.values()) >= 3


def test_the_seed_decides_which_tone_is_first():
    story = Document(STORIES["story"])
    assert {next(rewrite(story, Random(seed))).params["tone"] for seed in range(12)} == {"casual", "formal"}


def test_the_generator_alone_decides():
    document = Document(STORIES["story"])
    assert list(rewrite(document, Random(1))) == list(rewrite(document, Random(1)))
    assert len({next(rewrite(document, Random(seed))).text for seed in range(12)}) >= 4


def test_no_rewrite_opens_twice():
    for seed in range(20):
        for draft in rewrite(Document(STORIES["story"]), Random(seed)):
            assert draft.text.lower().count("alright, so") <= 1


@pytest.mark.parametrize("verb", ["calculate", "compute", "find", "determine"])
def test_what_is_asked_is_asked_in_one_form(verb):
    original = Document(f"Ida has 9 crabs and gets 4 more crabs. If Ida has 9 crabs, {verb} the number of crabs.")
    forms = ("go ahead and", "can you", "what's", "please", "kindly")
    found = [draft.text.lower() for seed in range(30) for draft in rewrite(original, Random(seed))]
    assert any(form in text for text in found for form in forms)
    assert all(sum(text.count(form) for form in forms) <= 1 for text in found)


@pytest.mark.parametrize("text", ["$1+1$", "", "Aha " * 6000])
def test_a_text_that_no_tone_changes_yields_nothing(text):
    assert list(rewrite(Document(text), Random(0))) == []


@settings(max_examples=100, deadline=None)
@given(st.lists(SNIPPETS | st.text(max_size=12), max_size=5).map(" ".join), st.integers(0, 3))
def test_no_draft_touches_what_is_frozen(text, seed):
    kept = Document(text).pieces(*(FROZEN - {SpanType.NUMBER_WORD}))
    for draft in rewrite(Document(text), Random(seed)):
        assert not Counter("".join(kept)) - Counter(draft.text), draft
        assert [formula for formula in Document(text).pieces(SpanType.MATH) if formula not in draft.text] == []


def test_every_pattern_has_an_id_and_carries_each_slot_once():
    for file in TEMPLATES:
        if file.endswith("_words.yaml"):
            assert len({synonym.id for synonym in synonyms(file)}) == len(synonyms(file))
            continue
        for pattern in patterns(file):
            for template in pattern.replacements:
                carried = [piece.slot for piece in template if isinstance(piece, Carried)]
                assert len(carried) == len(set(carried)), pattern.id
                assert set(carried) <= set(pattern.expression.groupindex), pattern.id


@pytest.mark.parametrize(
    "file, field, aim", [("gsm8k/test.jsonl", "question", 0.97), ("math500/test.jsonl", "problem", 0.90)]
)
def test_coverage_of_real_problems(shared, file, field, aim):
    lines = (shared / "data" / file).read_text(encoding="utf-8").splitlines()[::8]
    texts = [json.loads(line)[field] for line in lines]
    valid = sum(is_covered(Document(text)) for text in texts)
    assert valid >= aim * len(texts)


def is_covered(original):
    drafts = rewrite(original, Random(original.text))
    return any(judge(Pair(original, Document(draft.text)), CONTRACT).outcome is Outcome.VALID for draft in drafts)
