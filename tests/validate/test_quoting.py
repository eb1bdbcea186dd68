"""Evidence quotes the texts as they stand: whole words that a reader finds again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.interventions.registry import get_intervention
from semifactual.pipeline.marking import quotations
from semifactual.text.document import Document
from semifactual.validate.contract import Pair, judge
from semifactual.validate.quoting import excerpt, quoted, with_what_follows
from semifactual.validate.verdict import Mode

STORY = (
    "Jesse's mill grinds 4,000 pounds of grain every 3 days. Tess has twice as many sacks as Jesse. "
    "Each sack holds 25 pounds and costs $2. How many sacks does Tess rearrange?"
)


@given(st.text(alphabet="abc ,.é", max_size=300), st.integers(0, 300), st.integers(0, 300))
def test_an_excerpt_stands_in_the_text(text, start, end):
    (piece,) = quotations(excerpt(text, start, end)) if text[start:end].strip() else ("",)
    assert piece in text
    assert len(piece) <= 80


def test_a_long_excerpt_ends_behind_a_word():
    text = "measure " * 20
    assert excerpt(text, 0, len(text)) == repr(("measure " * 10).strip()) + " …"


@pytest.mark.parametrize(
    ("text", "piece", "shown"),
    [
        ("lost 4,000 pounds of grain", "4,000", "'4,000 pounds of'"),
        ("the second class has 15 desks", "second class", "'second class has 15'"),
        ("He eats 12. Then he sleeps.", "12", "'12'"),
        ("after 3 half-hour shifts", "3", "'3 half-hour shifts'"),
    ],
)
def test_context_is_never_cut_inside_a_word_or_number(text, piece, shown):
    start = text.index(piece)
    assert with_what_follows(text, start, start + len(piece)) == shown


def test_words_are_quoted_one_by_one():
    assert quoted(["figs", "Ann's"]) == "'figs', \"Ann's\""


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("4,000 pounds of grain", "5,000 pounds of grain"),
        ("every 3 days", "for 3 days"),
        ("Tess has twice as many sacks as Jesse", "Jesse has twice as many sacks as Tess"),
        ("costs $2.", "costs $2 in total."),
        ("does Tess rearrange?", "does Jesse rearrange?"),
        ("Each sack holds 25 pounds and costs $2.", "Each sack costs 25 pounds and holds $2."),
        ("sacks does Tess rearrange", "pounds does Tess rearrange"),
        ("every 3 days.", "every 3 days, and his younger brother keeps the noisy engine clean."),
    ],
)
def test_what_evidence_quotes_stands_in_one_of_the_texts(mode, old, new):
    rewrite = STORY.replace(old, new)
    failures = judge(
        Pair(Document(STORY), Document(rewrite), mode=mode), get_intervention("paraphrase").contract
    ).failures
    assert failures
    for one in failures:
        for quotation in quotations(one.evidence):
            assert quotation in STORY or quotation in rewrite, one
