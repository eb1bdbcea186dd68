from __future__ import annotations

import json
import math
from typing import Any

import pytest

from semifactual.drift.measures import Measures, problem_drift
from semifactual.drift.scored import ScoredProblem
from semifactual.drift.summary import summarise
from semifactual.drift.taxonomy import CATEGORIES
from tests.drift.scored_problems import scored

LN3 = math.log(3)


def summary(problems: list[ScoredProblem], kinds: tuple[str, ...] = ("typo_noise",), **options: Any) -> dict[str, Any]:
    measures = Measures(kinds)
    for problem in problems:
        measures.add(problem, problem_drift(problem))
    identity = {"model": {"name": "m"}, "source": {}, "config": {"seed": 0, "resamples": 200}, "versions": {}}
    made = summarise(measures, identity, counts={}, seconds={"score": 0.12345}, **options)
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    return made


def moved(by: float, *, id: str = "p", noise: float = 0.0, **options: Any) -> ScoredProblem:
    return scored([[[-1.0], [-1.0 + by], [-1.0 + noise]]], ["typo_noise"], id=id, **options)


def test_the_summary_has_the_fields_of_schema_1() -> None:
    found = summary([moved(LN3, id="a"), moved(0.0, id="b")])
    assert list(found) == [
        "schema", "model", "source", "config", "versions", "counts", "accuracy", "accuracy_interval", "drift", "kinds",
        "noise_floor", "categories", "posix", "kinds_by_category", "top_tokens", "warnings", "seconds",
    ]  # fmt: skip
    assert set(found["drift"]) == {"mean", "interval", "share_zero", "tail", "quantiles", "histogram"}
    assert set(found["kinds"]["typo_noise"]) == {
        "drift", "contrast", "posix", "noise_floor", "within_noise", "problems", "responses", "tokens"
    }  # fmt: skip
    assert found["kinds"]["typo_noise"]["drift"].keys() == found["drift"].keys()
    assert list(found["categories"]) == [category.value for category in CATEGORIES]
    assert found["counts"] == {"problems": 2, "responses": 2, "tokens": 2, "truncated": 0}
    assert found["seconds"] == {"score": 0.123}


def test_figures_by_hand() -> None:
    found = summary([moved(LN3, id="a", correct=[True]), moved(0.0, id="b")])
    assert found["drift"]["mean"] == pytest.approx(0.5)
    assert found["drift"]["share_zero"] == 0.5
    assert found["accuracy"] == 0.5
    assert found["posix"]["mean"] == pytest.approx(LN3 / 2)
    assert found["kinds"]["typo_noise"]["contrast"]["mean"] == pytest.approx(-LN3 / 2)
    reflection = found["categories"]["reflection marker"]
    assert (reflection["tokens"], reflection["share"], reflection["relative"]) == (2, 1.0, 1.0)
    assert found["categories"]["word"] == {
        "tokens": 0, "share": 0.0, "drift": None, "relative": None, "interval": None
    }  # fmt: skip
    assert found["kinds_by_category"]["typo_noise"]["reflection marker"] == pytest.approx(0.5)


@pytest.mark.parametrize(("noise", "within"), [(0.0, False), (0.09, False), (0.11, True)])
def test_drift_within_three_times_of_the_noise_floor_is_said_to_be(noise: float, within: bool) -> None:
    # At a shift of 0.3 drift is nearly 0.3, and at a noise of 0.1 nearly 0.1.
    found = summary([moved(0.3, id=name, noise=noise) for name in "ab"])
    assert found["kinds"]["typo_noise"]["within_noise"] is within
    assert any("within three times of its noise floor" in warning for warning in found["warnings"]) is within


def test_no_drift_at_all_is_no_more_than_noise() -> None:
    found = summary([moved(0.0, id=name) for name in "ab"])
    assert found["kinds"]["typo_noise"]["within_noise"] is True
    assert found["categories"]["reflection marker"]["relative"] is None


def test_a_kind_that_no_problem_has_is_named_and_not_measured() -> None:
    found = summary([moved(0.3, id=name) for name in "ab"], ("typo_noise", "paraphrase"))
    assert list(found["kinds"]) == list(found["kinds_by_category"]) == ["typo_noise"]
    assert "No problem has a rewrite of the kind paraphrase." in found["warnings"]


def test_warnings_of_few_problems_and_many_truncated_responses() -> None:
    few = summary([moved(0.3, stops=["length"])], notes=["A note."])
    assert few["warnings"][0] == "A note."
    assert any("There is one problem" in warning for warning in few["warnings"])
    assert any("1 of 1 responses reached" in warning for warning in few["warnings"])
    assert few["drift"]["interval"] is None
    many = summary([moved(0.3, id=str(number), stops=["eos"]) for number in range(20)])
    assert many["warnings"] == []
