from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.train.synthetic import write_run

PLAIN = {"label": "grpo", "credit": {"enabled": False}}


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    folders = [write_run(tmp_path / f"grpo-{seed}", {**PLAIN, "seed": seed}) for seed in (0, 1, 2)]
    return folders + [
        write_run(tmp_path / f"scapo-{seed}", {"label": "scapo", "seed": seed}, lift=0.6) for seed in (0, 1, 2)
    ]


def test_a_table_and_a_sentence_for_each_metric(command: Command, runs: list[Path]) -> None:
    ran = command("compare", *runs, "--metric", "v/accuracy", "--target", "0.5")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "at step 20"
    heading = next(line for line in lines if line.startswith("v/accuracy "))
    assert heading.split("  ")[-1] == "steps to 50.0\u202f%"
    rows = {line.split()[0]: line for line in lines if line.startswith(("grpo ", "scapo "))}
    assert "(3 of 3)" in rows["scapo"]
    assert "scapo less grpo is +" in lines[-1] and "over 30 problems" in lines[-1]


def test_json_is_the_comparison(command: Command, runs: list[Path]) -> None:
    found = command("compare", *runs, "--json").json
    assert found["schema"] == 1 and [group["label"] for group in found["groups"]] == ["grpo", "scapo"]
    assert [metric["metric"] for metric in found["metrics"]] == ["v/accuracy", "v/variants", "v/sealed"]


def test_out_holds_a_page_and_the_numbers(command: Command, runs: list[Path], tmp_path: Path) -> None:
    ran = command("compare", *runs, "--out", tmp_path / "c")
    assert ran.out.endswith(f"report: {tmp_path / 'c' / 'compare.html'}\n")
    assert "<!doctype html>" in (tmp_path / "c" / "compare.html").read_text()
    assert json.loads((tmp_path / "c" / "compare.json").read_text())["step"] == 20


def test_an_unfinished_run_is_marked(command: Command, runs: list[Path], tmp_path: Path) -> None:
    short = write_run(tmp_path / "short", {"label": "short", "loss": {"ddof": 0}}, done=9)
    ran = command("compare", runs[0], short)
    assert ran.code == 0 and f"note: {short} is unfinished: 9 of 20 steps are done." in ran.out


def test_what_is_no_training_run_is_refused(command: Command, runs: list[Path], tmp_path: Path) -> None:
    (tmp_path / "drift").mkdir()
    (tmp_path / "drift" / "drift.parquet").write_text("")
    ran = command("compare", runs[0], tmp_path / "drift")
    assert (ran.code, ran.out) == (2, "")
    assert "holds a run of `semifactual drift`" in ran.err and "scapo-train" in ran.err
    assert command("compare", runs[0]).code == 2
    assert command("compare", runs[0], runs[1], "--out", runs[0]).err.startswith(f"Error: {runs[0]} is a training run")
