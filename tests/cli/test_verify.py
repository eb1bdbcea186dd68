from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Command

CASES: list[dict[str, Any]] = [
    {"id": "a", "gold": "\\frac12", "answer": "0.5"},
    {"id": "b", "gold": "5", "prediction": "6"},
    {"id": "c", "gold": "42", "response": "So \\boxed{42}.", "mode": "response"},
    {"id": "d", "gold": "42", "response": "So 42.", "mode": "response"},
    {"id": "e", "gold": "5", "expand": [["(", 100], ["5", 1], [")", 100]]},
    {"gold": 7, "answer": 7.0},
    {"id": "g", "gold": "", "answer": "1"},
]


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(case) + "\n" for case in CASES))
    return path


def test_two_answers(command: Command) -> None:
    ran = command("verify", r"\frac12", "0.5")
    assert ran.code == 0
    assert ran.out.startswith("equal (exact)")
    ran = command("verify", "5", "6", "--json")
    assert (ran.json["equivalent"], ran.json["outcome"], ran.json["method"]) == (False, "different", "exact")


def test_a_negative_answer_is_no_option(command: Command) -> None:
    assert "different" in command("verify", "5", "-5").out
    assert "equal (exact)" in command("verify", "-5", "-5.0").out


def test_fail_on_unequal(command: Command) -> None:
    assert command("verify", "5", "5", "--fail-on-unequal").code == 0
    assert command("verify", "5", "6", "--fail-on-unequal").code == 1


def test_tolerance(command: Command) -> None:
    assert command("verify", "3.1416", r"\pi", "--tolerance", "0.001", "--fail-on-unequal").code == 0
    assert command("verify", "1", "1", "--tolerance", "much").code == 2


def test_a_file_keeps_its_order(command: Command, cases: Path, tmp_path: Path) -> None:
    out = tmp_path / "verdicts.jsonl"
    ran = command("verify", "--file", cases, "--out", out, "--json")
    assert ran.code == 0
    verdicts = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["id"] for row in verdicts] == ["a", "b", "c", "d", "e", "5", "g"]
    assert [row["equivalent"] for row in verdicts] == [True, False, True, False, False, True, False]
    assert {"id", "equivalent", "outcome", "method", "reason", "ms"} <= set(verdicts[0])
    assert "no answer in the response: none" in verdicts[3]["reason"]
    assert (ran.json["cases"], ran.json["unequal"], ran.json["unverifiable_golds"]) == (7, 4, ["g"])


def test_a_summary_for_people(command: Command, cases: Path) -> None:
    ran = command("verify", "--file", cases)
    assert "3 of 7 answers are equal to their gold" in ran.out
    assert "1 golds do not verify against themselves: g" in ran.out


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"gold": "5"}', "no usable answer"),
        ('{"answer": "5"}', "no usable gold"),
        ('{"gold": "5", "answer": "5", "mode": "odd"}', "unknown mode"),
        ('{"gold": "5", "expand": [["x", 1000000000]]}', "no usable answer"),
        ("{", "not JSON"),
    ],
)
def test_bad_rows_are_reported_with_their_line(line: str, problem: str, command: Command, cases: Path) -> None:
    cases.write_text(cases.read_text() + line + "\n")
    ran = command("verify", "--file", cases)
    assert ran.code == 2
    assert f"cases.jsonl:{len(CASES) + 1}" in ran.err and problem in ran.err
    assert command("verify", "--file", cases, "--skip-bad-rows", "--json").json["skipped"] == 1


@pytest.mark.parametrize("arguments", [(), ("5",), ("5", "6", "--file", "x.jsonl"), ("5", "6", "--out", "x.jsonl")])
def test_unusable_calls(arguments: tuple[str, ...], command: Command) -> None:
    assert command("verify", *arguments).code == 2
