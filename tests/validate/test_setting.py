"""The contracts of format_change and notation on hand-written rewrites: what passes, and which checks stop the rest."""

from pathlib import Path
from time import perf_counter

import pytest
import yaml

from semifactual.interventions.registry import get_intervention
from semifactual.text.document import Document
from semifactual.validate.contract import Pair, judge

GOLDEN = yaml.safe_load((Path(__file__).parents[1] / "golden" / "layout.yaml").read_text())
CASES = [(kind, case) for kind in ("format_change", "notation") for case in GOLDEN[kind]]


def verdict(kind, before, after):
    return judge(Pair(Document(before), Document(after)), get_intervention(kind).contract)


@pytest.mark.parametrize(
    ("kind", "case"), CASES, ids=lambda value: value if isinstance(value, str) else str(value["fails"])
)
def test_golden_verdicts(kind, case):
    found = verdict(kind, GOLDEN["originals"][case["of"]], case["to"])
    assert sorted(check.name for check in found.failures) == sorted(case["fails"]), found.failures
    assert all(check.evidence for check in found.failures)


@pytest.mark.parametrize("kind", ["format_change", "notation"])
@pytest.mark.parametrize("name", GOLDEN["originals"])
def test_a_text_against_itself_is_unchanged_and_nothing_else(kind, name):
    text = GOLDEN["originals"][name]
    assert [check.name for check in verdict(kind, text, text).failures] == ["unchanged"]


def evidence(kind, before, after):
    return {check.name: check.evidence for check in verdict(kind, before, after).failures}


def test_evidence_shows_the_formula_and_what_it_became():
    found = evidence("notation", r"Is $x$ or $x \le 5$ true?", r"Is \(x\) or \(x < 5\) true?")
    assert found == {"formulas": r"formula 2: '$x \le 5$' became '\(x < 5\)'"}


def test_evidence_shows_which_white_space_matters():
    assert evidence("format_change", "Take 3 4.", "Take 34.") == {"layout": "white space went between '3' and '4'"}
    assert evidence("format_change", "1 2\n3 4", "1 2 3 4") == {"layout": "a line break went between '2' and '3'"}


def test_evidence_shows_the_words_that_changed():
    found = evidence("format_change", "Ann has 3 red figs.", "Ann has 3\ngreen figs.")
    assert found == {"layout": "'red figs.' became 'green figs.'"}


@pytest.mark.parametrize(
    "piece", ["a ", "> ", "- ", "$", "$x$ ", "\n\n", "``` ", "[asy]", "1 2\n", "\\[", "\\begin{a}", "(", "x" * 50]
)
@pytest.mark.parametrize("kind", ["format_change", "notation"])
def test_long_texts_are_judged_in_time(kind, piece):
    text = piece * (100_000 // len(piece))
    started = perf_counter()
    verdict(kind, text, text.replace("\n", " ") + " b")
    assert perf_counter() - started < 15
