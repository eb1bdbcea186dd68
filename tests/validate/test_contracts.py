"""Every shipped contract on hand-written rewrites: what passes, and which checks stop the rest."""

from pathlib import Path

import pytest
import yaml

from semifactual.interventions.registry import get_intervention, interventions
from semifactual.text.document import Document
from semifactual.validate.contract import Pair, judge
from semifactual.validate.verdict import Outcome

GOLDEN = yaml.safe_load((Path(__file__).parents[1] / "golden" / "verdicts.yaml").read_text())


def rewrite_of(case):
    original = text = GOLDEN["originals"][case["of"]]
    if case.get("lower"):
        text = text[0].lower() + text[1:]
    if "replace" in case:
        old, new = case["replace"]
        if case.get("json_damage"):
            new = "\x0c" + old[2:]
        assert old in text, case
        text = text.replace(old, new, 1)
    return original, case.get("before", "") + text + case.get("after", "")


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: f"{case['kind']}-{case['fails'] or 'valid'}")
def test_golden_verdicts(case):
    original, rewrite = rewrite_of(case)
    pair = Pair(Document(original), Document(rewrite), answer=GOLDEN["answers"][case["of"]])
    verdict = judge(pair, get_intervention(case["kind"]).contract)
    assert sorted(check.name for check in verdict.failures) == sorted(case["fails"]), verdict.failures
    assert all(check.evidence for check in verdict.failures)
    assert (verdict.outcome is Outcome.VALID) == (not case["fails"])


@pytest.mark.parametrize("kind", sorted(interventions()))
@pytest.mark.parametrize("name", sorted(GOLDEN["originals"]))
def test_a_text_against_itself_fails_only_for_being_unchanged(kind, name):
    original = GOLDEN["originals"][name]
    pair = Pair(Document(original), Document(original), answer=GOLDEN["answers"][name])
    verdict = judge(pair, get_intervention(kind).contract)
    assert [check.name for check in verdict.failures] == ["unchanged"]
    assert verdict.outcome is Outcome.INVALID
