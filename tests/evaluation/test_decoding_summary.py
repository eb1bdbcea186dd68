"""The summary of a decoding run, on a case worked by hand."""

from __future__ import annotations

from typing import Any

import pytest

from semifactual.evaluation.decoders import Method
from semifactual.evaluation.decoding_summary import NOTHING_RIGHT, Outcome, summarise

IDENTITY: dict[str, Any] = {"config": {"resamples": 5000, "seed": 0}}


def outcomes(problem: str, greedy: bool, plain: str, filtered: str) -> list[Outcome]:
    """One problem; r is a right response and w a wrong one. Of the filtered, w rejected one of 10 proposals."""
    found = [Outcome(problem, Method.GREEDY, greedy, 10, False, 0, 0.0)]
    found += [Outcome(problem, Method.PLAIN, grade == "r", 10, grade == "w", 0, 0.0) for grade in plain]
    found += [
        Outcome(problem, Method.FILTERED, grade == "r", 10 if grade == "w" else 30, False, int(grade == "w"), 0.2)
        for grade in filtered
    ]
    return found


@pytest.fixture
def summary() -> dict[str, Any]:
    """Problem a: one turned right. Problem b: one turned wrong, one turned right. Problem c: nothing changes."""
    rows = [
        *outcomes("a", True, plain="wrw", filtered="rrw"),
        *outcomes("b", False, plain="rww", filtered="wrw"),
        *outcomes("c", True, plain="rrr", filtered="rrr"),
    ]
    return summarise(rows, IDENTITY, without_rewrites=2)


def test_accuracy_by_method(summary: dict[str, Any]) -> None:
    methods = summary["methods"]
    assert {name: one["accuracy"] for name, one in methods.items()} == {
        "greedy": pytest.approx(2 / 3),
        "plain": pytest.approx(5 / 9),
        "filtered": pytest.approx(6 / 9),
    }
    assert all(one["interval"][0] <= one["accuracy"] <= one["interval"][1] for one in methods.values())
    assert methods["plain"]["truncated"] == 4
    assert summary["counts"] == {"problems": 3, "problems_without_rewrites": 2, "responses": 21}


def test_paired_differences(summary: dict[str, Any]) -> None:
    plain = next(one for one in summary["differences"] if (one["from"], one["to"]) == ("plain", "filtered"))
    assert plain["mean"] == pytest.approx(1 / 9)
    assert (plain["turned_right"], plain["turned_wrong"]) == (2, 1)
    assert (plain["problems_better"], plain["problems_worse"]) == (1, 0)
    assert plain["interval"] == pytest.approx([0, 1 / 3])
    greedy = next(one for one in summary["differences"] if (one["from"], one["to"]) == ("greedy", "filtered"))
    assert (greedy["turned_right"], greedy["turned_wrong"]) == (1, 1)


def test_what_the_filter_did(summary: dict[str, Any]) -> None:
    """3 wrong ones of 10 tokens and 6 right ones of 30; each wrong one had a rejection."""
    assert summary["filter"] == {
        "proposals": 210,
        "rejected": 3,
        "share_rejected": pytest.approx(3 / 210),
        "masked_mass": pytest.approx(0.2),
        "responses_unchanged": 6,
    }


def test_warnings(summary: dict[str, Any]) -> None:
    assert [warning.split(" responses")[0] for warning in summary["warnings"][:1]] == ["4 of 9 plain"]
    assert "3 problems" in summary["warnings"][1]


def test_where_nothing_is_right_nothing_is_compared() -> None:
    rows = [*outcomes("a", False, plain="www", filtered="www"), *outcomes("b", False, plain="www", filtered="www")]
    summary = summarise(rows, IDENTITY, without_rewrites=0)
    assert [one["interval"] for one in [*summary["methods"].values(), *summary["differences"]]] == [None] * 6
    assert NOTHING_RIGHT in summary["warnings"]
