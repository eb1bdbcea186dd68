from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.train import report_completions
from semifactual.train.records import COMPLETIONS, Records
from semifactual.train.report_completions import completion_data, shown_completions, spread_out, telling_first
from tests.train.synthetic import write_run


def row(**changed: Any) -> dict[str, Any]:
    nothing: dict[str, Any] = dict.fromkeys(COMPLETIONS.names)
    return nothing | {"step": 1, "problem_id": "p", "sample": 0, "tokens": [], "logps": [], "prompt": "q"} | changed


@given(st.integers(0, 200))
def test_an_order_holds_every_number_once(count: int) -> None:
    assert sorted(spread_out(count)) == list(range(count))


def test_good_and_bad_come_in_turn_before_the_level() -> None:
    rows = [row(advantage=value) for value in (0.0, None, -1.0, -2.0, 1.0)]
    assert [one["advantage"] for one in telling_first(rows)] == [1.0, -1.0, -2.0, 0.0, None]


def test_numbers_are_whole_thousandths() -> None:
    data = completion_data(row(tokens=["a", "b"], logps=[-0.25, float("-inf")], drift=[0.01, 0.0], u=[-1.5, 0.0]))
    assert (data["surprise"], data["drift"], data["credit"]) == ([250, 1_000_000_000], [100, 0], [-1500, 0])


def test_of_a_long_response_the_part_around_the_largest_credit_is_shown() -> None:
    credit = [0.0] * 3000
    credit[2000] = -2.0
    data = completion_data(row(tokens=["x"] * 3000, logps=[-1.0] * 3000, drift=None, u=credit))
    assert (data["first"], data["total"], len(data["tokens"])) == (1500, 3000, 1000)
    assert data["credit"][500] == -2000 and data["drift"] is None


def test_each_prompt_is_embedded_once_and_steps_are_in_order(tmp_path: Path) -> None:
    found = shown_completions(write_run(tmp_path / "run"))
    assert len(found["prompts"]) == 1
    steps = [response["step"] for response in found["responses"]]
    assert steps == sorted(steps) and set(steps) == {1, 6, 11, 16}
    assert (found["total"], found["steps"]) == (16, 4)


def test_of_many_completions_every_step_keeps_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = Records(tmp_path)
    for step in range(1, 10):
        rows = [row(step=step, sample=i, tokens=["x"] * 50, logps=[-1.0] * 50, advantage=1.0) for i in range(20)]
        assert records.write_completions(step, rows)
    monkeypatch.setattr(report_completions, "MOST_BYTES", 20_000)
    found = shown_completions(tmp_path)
    assert 9 < len(found["responses"]) < 90
    assert {response["step"] for response in found["responses"]} == set(range(1, 10))


def test_a_run_without_completions_shows_none(tmp_path: Path) -> None:
    assert shown_completions(tmp_path) == {"responses": [], "prompts": [], "total": 0, "steps": 0}
