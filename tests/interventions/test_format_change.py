"""format_change: every style sets the text otherwise and keeps every word."""

from pathlib import Path
from random import Random

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from semifactual.interventions.format_change import rewrite
from semifactual.interventions.registry import get_intervention
from semifactual.text.document import Document
from semifactual.validate.contract import Pair, judge
from semifactual.validate.verdict import Outcome

GOLDEN = Path(__file__).parents[1] / "golden"
TEXTS = (
    yaml.safe_load((GOLDEN / "stories.yaml").read_text())
    | yaml.safe_load((GOLDEN / "layout.yaml").read_text())["originals"]
)


def drafts(text, seed=0):
    return list(rewrite(Document(text), Random(seed)))


def by_style(text, seed=0):
    return {draft.params["style"]: draft.text for draft in drafts(text, seed)}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("seed", range(5))
def test_every_draft_keeps_the_contract(name, seed):
    original = Document(TEXTS[name])
    found = drafts(original.text, seed)
    assert found
    for draft in found:
        verdict = judge(Pair(original, Document(draft.text)), get_intervention("format_change").contract)
        assert verdict.outcome is Outcome.VALID, (draft, verdict.failures)


def test_styles():
    styles = by_style("Ann has 3 figs. Bo has 4. How many have they?")
    assert styles["lines"] == "Ann has 3 figs.\nBo has 4.\nHow many have they?"
    assert styles["paragraphs"] == "Ann has 3 figs.\n\nBo has 4.\n\nHow many have they?"
    assert styles["question apart"] == "Ann has 3 figs. Bo has 4.\n\nHow many have they?"
    assert styles["bullets"].replace("* ", "- ") == "- Ann has 3 figs.\n- Bo has 4.\n\nHow many have they?"
    assert styles["quote"].startswith("> Ann has 3 figs.")
    assert styles["fence"].startswith("```") and styles["fence"].endswith("\n```")
    assert styles["heading"].lstrip("#* ").startswith(("Problem", "Question", "Exercise"))


def test_options_stand_on_lines_of_their_own():
    text = by_style("Which is odd? (A) 2 (B) 3 (C) 4")["options"]
    assert [line.lstrip("-* ") for line in text.split("\n")] == ["Which is odd?", "(A) 2", "(B) 3", "(C) 4"]


def test_displayed_formulas_stand_on_lines_of_their_own():
    assert by_style(r"Solve \[x = 2\] for $x$.")["displayed"] == "Solve\n\n\\[x = 2\\]\n\nfor $x$."


@pytest.mark.parametrize("text", ["If $x = 2$, what is $2x$?", "Run `ls`.", "See [asy] dot(); [/asy] there."])
def test_what_is_to_be_typeset_comes_into_no_fence(text):
    assert all("fence" not in by_style(text, seed) for seed in range(10))


def test_the_same_seed_gives_the_same_drafts():
    text = TEXTS["story"]
    assert drafts(text, 3) == drafts(text, 3)
    assert drafts(text, 3) != drafts(text, 4)


@given(st.text(alphabet="abx12 $\\{}()^_.?!>-*`\n", max_size=80), st.integers(0, 20))
def test_drafts_of_any_text_keep_the_contract(text, seed):
    for draft in drafts(text, seed):
        verdict = judge(Pair(Document(text), Document(draft.text)), get_intervention("format_change").contract)
        assert verdict.outcome is Outcome.VALID, (draft, verdict.failures)
