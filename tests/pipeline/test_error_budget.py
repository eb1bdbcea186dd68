"""Measured rates, and the bad rewrites that they let expect."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.interventions.registry import interventions
from semifactual.pipeline.error_budget import (
    MEASURED,
    MeasuredKind,
    Measurement,
    bad_share,
    error_budget,
    measurement,
)
from semifactual.pipeline.proportions import Proportion
from semifactual.resources import template_yaml

shares = st.floats(0, 1)
HAND = Measurement(
    "9.9", "2030-01-31", "frozen", "200 pairs", {"typo": MeasuredKind(Proportion(95, 100), Proportion(2, 100))}
)


def test_the_formula_by_hand() -> None:
    # Of 1,000 drafts 100 are bad; 95 of them are caught, and 18 of the 900 good ones rejected: 5 of 887 are bad.
    assert bad_share(rejected=0.113, caught=0.95, falsely=0.02) == pytest.approx(5 / 887)


@given(bad=shares, caught=shares, falsely=shares)
def test_the_share_that_made_the_rejections_is_found_again(bad: float, caught: float, falsely: float) -> None:
    rejected = bad * caught + (1 - bad) * falsely
    if caught - falsely < 0.01 or rejected > 0.99:
        return
    assert bad_share(rejected, caught, falsely) == pytest.approx(bad * (1 - caught) / (1 - rejected), abs=1e-9)


@pytest.mark.parametrize(("caught", "falsely"), [(0.5, 0.5), (0.1, 0.2), (0.0, 0.0)])
def test_checks_that_tell_nothing_apart_say_nothing(caught: float, falsely: float) -> None:
    assert bad_share(0.1, caught, falsely) is None


@given(st.integers(1, 5000), st.integers(0, 5000))
def test_a_share_is_one_and_the_cautious_one_is_no_smaller(valid: int, rejected: int) -> None:
    kind = error_budget({"typo": {"valid": valid, "rejected": rejected}}, HAND)["kinds"]["typo"]
    assert 0 <= kind["expected_bad_share"] <= kind["upper_bad_share"] <= 1
    assert kind["upper_bad_share"] > 0


def test_a_kind_that_was_not_measured_or_not_made_has_no_share() -> None:
    counts = {"typo": {"valid": 0, "rejected": 9}, "mine": {"valid": 5, "rejected": 0}}
    budget = error_budget(counts, HAND)
    assert budget["kinds"]["typo"]["expected_bad_share"] is None
    assert budget["not_measured"] == ["mine"]
    assert (budget["semifactual"], budget["date"], budget["measured_on"]) == ("9.9", "2030-01-31", "200 pairs")


def test_the_measurement_that_ships_is_whole() -> None:
    raw = template_yaml(MEASURED)
    assert measurement().to_json() == raw
    assert set(raw["kinds"]) <= set(interventions())
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", raw["semifactual"]) and re.fullmatch(r"\d{4}-\d\d-\d\d", raw["date"])
    assert raw["mode"] == "frozen" and raw["measured_on"]
    total = 0
    for counts in raw["kinds"].values():
        assert 0 <= counts["caught"] <= counts["violating"] and 0 <= counts["rejected"] <= counts["preserving"]
        total += counts["violating"] + counts["preserving"]
    assert raw["measured_on"].startswith(f"{total:,} ")
