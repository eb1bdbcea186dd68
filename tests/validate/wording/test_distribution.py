"""Each or all together, and first or later: what texts of our own keep, and what they change."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from semifactual.text.document import Document
from semifactual.validate.contract import Pair
from semifactual.validate.verdict import Mode
from semifactual.validate.wording.distribution import distribution
from semifactual.validate.wording.order_of_events import order_of_events

CHECKS = (distribution, order_of_events)
GOLDEN = {
    rule.name: yaml.safe_load((Path(__file__).parents[2] / "golden" / f"{rule.name}.yaml").read_text())
    for rule in CHECKS
}


def cases(label):
    return [pytest.param(rule, case, id=case["after"]) for rule in CHECKS for case in GOLDEN[rule.name][label]]


def found(rule, before, after, mode=Mode.FROZEN):
    return rule.run(Pair(Document(before), Document(after), mode=mode))


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(("rule", "case"), cases("kept"))
def test_what_is_kept_passes(rule, case, mode):
    finding = found(rule, case["before"], case["after"], mode)
    assert finding.passed, finding.evidence


@pytest.mark.parametrize(("rule", "case"), cases("changed"))
def test_what_changed_is_not_passed(rule, case):
    assert not found(rule, case["before"], case["after"]).passed


@pytest.mark.parametrize("rule", CHECKS)
@pytest.mark.parametrize("label", ["kept", "changed"])
def test_every_text_agrees_with_itself(rule, label):
    for case in GOLDEN[rule.name][label]:
        assert found(rule, case["after"], case["after"]).passed


def test_the_verdict_is_sure_only_where_both_texts_say_so():
    before = "Each jar holds 6 figs. How many figs do 3 jars hold?"
    silent = found(distribution, before, "The jars hold 6 figs. How many figs do 3 jars hold?")
    opposed = found(distribution, before, "The jars hold 6 figs in all. How many figs do 3 jars hold?")
    assert silent.passed is None
    assert opposed.passed is False


PIECES = st.sampled_from(
    ["each", "every", "per", "a", "5", "$3", "box", "day", "then", "before", "by", "Friday", ".", ",", "?"]
)


@pytest.mark.parametrize("rule", CHECKS)
@given(words=st.lists(PIECES, max_size=30))
def test_any_text_can_be_read_and_agrees_with_itself(rule, words):
    text = " ".join(words)
    assert found(rule, text, text).passed


@pytest.mark.parametrize("rule", CHECKS)
@pytest.mark.parametrize("piece", ["each 5 ", "$3 a nail. ", "then 7, ", "before 9 after ", "each box 4. "])
def test_a_text_too_long_to_be_a_problem_is_left_undecided(rule, piece):
    text = piece * (60_000 // len(piece))
    assert found(rule, text, text + "7").passed is None
