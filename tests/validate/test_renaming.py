"""What the contract of name_swap says of hand-written rewrites, and how long it takes to say it."""

from pathlib import Path
from time import perf_counter

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from semifactual.interventions.name_swap import CONTRACT
from semifactual.text.document import Document
from semifactual.text.renaming import renaming
from semifactual.validate.contract import Pair, judge
from semifactual.validate.verdict import Outcome

GOLDEN = yaml.safe_load((Path(__file__).parents[1] / "golden" / "names.yaml").read_text())


def rewrite_of(case):
    original = text = GOLDEN["originals"][case["of"]]
    for old, new in case.get("swap", {}).items():
        assert old in text, (old, text)
        text = text.replace(old, new)
    for old, new in case.get("once", {}).items():
        text = text.replace(old, new, 1)
    return original, text


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: f"{case['of']}-{case.get('swap', case.get('once'))}")
def test_golden_renamings(case):
    original, rewrite = rewrite_of(case)
    verdict = judge(Pair(Document(original), Document(rewrite), answer=GOLDEN["answers"].get(case["of"])), CONTRACT)
    assert sorted(check.name for check in verdict.failures) == sorted(case["fails"]), verdict.failures
    assert all(check.evidence for check in verdict.failures)
    assert (verdict.outcome is Outcome.VALID) == (not case["fails"])


@given(st.text(alphabet="Ana mit'’ .B1", max_size=40), st.text(alphabet="Ana mit'’ .B1", max_size=40))
def test_any_two_texts_can_be_compared(before, after):
    found = renaming(before, after)
    assert "".join(found.before) == before and "".join(found.after) == after
    if not found.other:
        assert (before == after) == (not found.swaps)
    judge(Pair(Document(before), Document(after)), CONTRACT)


def test_long_texts_take_no_longer_than_their_length_warrants():
    text = "Mia gave Omar 3 of the Roses' figs. " * 3000
    start = perf_counter()
    for rewrite in (text.replace("Omar", "Felix"), text.replace("Omar", "Mary Ann"), text[:50_000]):
        judge(Pair(Document(text), Document(rewrite)), CONTRACT)
    assert perf_counter() - start < 15
