"""What the contract of number_word says of hand-written rewrites."""

from pathlib import Path
from time import perf_counter

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from semifactual.interventions.number_word import CONTRACT
from semifactual.text.document import Document
from semifactual.validate.contract import Pair, judge
from semifactual.validate.spelled_numbers import spellings_between
from semifactual.validate.verdict import Outcome

GOLDEN = yaml.safe_load((Path(__file__).parents[1] / "golden" / "number_words.yaml").read_text())


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: f"{case['of']}-{case['words']}")
def test_golden_spellings(case):
    original = rewrite = GOLDEN["originals"][case["of"]]
    for old, new in case["words"].items():
        assert old in original
        rewrite = rewrite.replace(old, f"<{new}>", 1)
    verdict = judge(Pair(Document(original), Document(rewrite.replace("<", "").replace(">", ""))), CONTRACT)
    assert sorted(check.name for check in verdict.failures) == sorted(case["fails"]), verdict.failures
    assert all(check.evidence for check in verdict.failures)
    assert (verdict.outcome is Outcome.VALID) == (not case["fails"])


@given(st.text(alphabet="12 one,.a$-", max_size=30), st.text(alphabet="12 one,.a$-", max_size=30))
def test_any_two_texts_can_be_compared(before, after):
    found = spellings_between(Document(before), Document(after))
    if not found.other and not found.found:
        assert before == after
    judge(Pair(Document(before), Document(after)), CONTRACT)


@pytest.mark.parametrize("text", ["1 " * 30_000, "She has 7 figs and (3, 4). " * 3000])
def test_long_texts_take_no_longer_than_their_length_warrants(text):
    start = perf_counter()
    for rewrite in (text.replace("1", "one"), text.replace("7", "seven"), text[:-30_000]):
        judge(Pair(Document(text), Document(rewrite)), CONTRACT)
    assert perf_counter() - start < 15
