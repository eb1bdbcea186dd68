"""scenario_wrap: one light frame, and the problem inside it untouched."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.interventions.registry import get_intervention
from semifactual.interventions.scenario_wrap import FRAMES, Group, rewrite
from semifactual.resources import template_lines
from semifactual.text.document import Document
from semifactual.text.spans import SpanType
from semifactual.validate.contract import Pair, judge
from semifactual.validate.verdict import Outcome
from semifactual.validate.words import phrases, stem
from tests.interventions.stories import STORIES

LINES = [(group, line) for group in Group for line in template_lines(FRAMES[group])]
PLAIN = {SpanType.WORD, SpanType.SPACE, SpanType.PUNCTUATION}
ENDINGS = {Group.PAGE: (":", "."), Group.CLOSE: (".",), Group.ASIDE: (",", "that"), None: (",",)}
TOUCHY = "eat break broken give given leave buy sell lose lost snow storm rain wind monday summer winter night noon"


def drafts(text, seed=0):
    return list(rewrite(Document(text), Random(seed)))


def groups(text):
    return {draft.params["group"] for seed in range(120) for draft in drafts(text, seed)}


def test_there_are_enough_frames_and_none_twice():
    lines = [line for _, line in LINES]
    assert len(lines) >= 180
    assert not [line for line, count in Counter(lines).items() if count > 1]


@pytest.mark.parametrize(("group", "line"), LINES, ids=[line for _, line in LINES])
def test_a_frame_states_no_fact(group, line):
    document = Document(line)
    loaded = [span.of(line) for span in document.spans if span.type not in PLAIN]
    assert not loaded
    assert not {stem(word) for word in document.words} & {stem(word) for word in TOUCHY.split()}
    assert not phrases("meta_words").pattern.search(line) and not phrases("hints").pattern.search(line)
    assert line.endswith(ENDINGS.get(group, ENDINGS[None]))
    assert line[0].isupper() and len(line) <= 80


@pytest.mark.parametrize("name", STORIES)
@pytest.mark.parametrize("seed", range(8))
def test_every_draft_keeps_the_contract(name, seed):
    original = Document(STORIES[name])
    found = drafts(original.text, seed)
    assert found
    for draft in found:
        verdict = judge(Pair(original, Document(draft.text)), get_intervention("scenario_wrap").contract)
        assert verdict.outcome is Outcome.VALID, (draft.text, verdict.failures)


def test_a_story_may_be_told_and_a_formula_may_not():
    assert groups(STORIES["story"]) >= {"tale", "aside", "page", "close"}
    assert groups(STORIES["algebra"]) == {"page", "close"}
    assert groups(STORIES["question"]) == {"page", "close"}


def test_nobody_else_tells_a_first_person_account():
    assert groups(STORIES["own account"]) == {"page", "close"}


def test_an_unknown_capitalised_opener_keeps_its_capital():
    assert all("Atlas Movers" in draft.text for seed in range(60) for draft in drafts(STORIES["company"], seed))


def test_a_clock_keeps_the_mood_of_the_hour_away():
    assert "moment" not in groups(STORIES["story"])
    assert "moment" in groups("Tessa fills 14 baskets with plums. A basket holds 9 plums. How many plums is that?")


def test_the_first_letter_is_lowered_behind_a_comma_unless_a_name_opens():
    told = [d for seed in range(80) for d in drafts("The baker says that he has 5 ovens. How many?", seed)]
    assert any(draft.text == f"{draft.params['frame']} the baker says that he has 5 ovens. How many?" for draft in told)
    named = [
        d for seed in range(80) for d in drafts("Tessa has 5 ovens. How many?", seed) if d.params["group"] == "tale"
    ]
    assert named and all(", Tessa has" in draft.text for draft in named)


def test_code_and_options_keep_their_own_lines():
    for seed in range(40):
        for draft in drafts(STORIES["figure"], seed):
            assert draft.text.startswith("[asy]") or "\n[asy]" in draft.text
        assert all(draft.text.endswith("(C) 25") for draft in drafts(STORIES["choice"], seed))


def test_a_frame_never_speaks_of_what_the_text_speaks_of():
    text = "A notebook, a postcard and an envelope lie on a table. Which is thickest?"
    for seed in range(60):
        for draft in drafts(text, seed):
            assert not {"notebook", "postcard", "envelope", "table"} & set(Document(draft.params["frame"]).words)


def test_no_frame_is_worn_out():
    original = Document(STORIES["algebra"])
    counts = Counter(next(rewrite(original, Random(seed))).params["frame"] for seed in range(2000))
    assert max(counts.values()) <= 0.03 * 2000


def test_the_same_seed_gives_the_same_drafts():
    assert drafts(STORIES["story"], 3) == drafts(STORIES["story"], 3)
    assert drafts(STORIES["story"], 3) != drafts(STORIES["story"], 4)


@given(st.text(max_size=60), st.integers(0, 99))
def test_any_text_survives_inside_its_frame(text, seed):
    for draft in rewrite(Document(text), Random(seed)):
        rest = draft.text.replace(draft.params["frame"], "", 1)
        assert rest.lower().split() == text.lower().split()


@given(st.sampled_from(sorted(STORIES)), st.integers(0, 400), st.text(alphabet="ab, .:?!iIhHeErRsS's0\n$", max_size=30))
def test_anything_put_anywhere_is_judged(name, place, text):
    original = STORIES[name]
    changed = original[:place] + text + original[place:]
    verdict = judge(Pair(Document(original), Document(changed)), get_intervention("scenario_wrap").contract)
    assert not text.isdigit() or verdict.outcome is not Outcome.VALID
