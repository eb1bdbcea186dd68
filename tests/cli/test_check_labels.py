"""`semifactual check --by` and `--label-field`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command

PROBLEM = "A gardener plants 4 rows of beans and 3 rows of peas. How many rows does the gardener plant?"
GOOD = PROBLEM + " Gravel is gravel."
BAD = PROBLEM.replace("3 rows", "5 rows") + " Gravel is gravel."


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    rows: list[dict[str, Any]] = [
        {"rewrite": GOOD, "label": "preserving", "sort": "reworded"},
        {"rewrite": GOOD, "label": "violating", "sort": "renumbered"},
        {"rewrite": BAD, "label": "violating", "sort": "renumbered"},
        {"rewrite": BAD, "label": "preserving", "sort": None},
    ]
    path.write_text(
        "".join(json.dumps({"problem": PROBLEM, "kind": "irrelevant_context", **row}) + "\n" for row in rows)
    )
    return path


def test_outcomes_are_counted_by_a_column(file: Path, command: Command) -> None:
    values = command("check", file, "--by", "sort", "--json").json["by"]["values"]
    assert {name: (part["rows"], part["outcomes"]) for name, part in values.items()} == {
        "renumbered": (2, {"invalid": 1, "valid": 1}),
        "reworded": (1, {"valid": 1}),
        "(none)": (1, {"invalid": 1}),
    }
    assert (
        "renumbered     2      1        1       0  1/2 50.0 % (9.5-90.5)" in command("check", file, "--by", "sort").out
    )


def test_rates_go_by_the_labels(file: Path, command: Command) -> None:
    labels = command("check", file, "--by", "sort", "--label-field", "label", "--json").json["labels"]
    assert [labels["all"][rate]["count"] for rate in ("caught", "falsely_rejected", "unsure")] == [1, 1, 0]
    assert labels["by"]["renumbered"]["caught"]["of"] == 2
    printed = command("check", file, "--by", "sort", "--label-field", "label").out
    assert "all         1/2 50.0 % (9.5-90.5)  1/2 50.0 % (9.5-90.5)     0/4 0.0 %\n" in printed
    assert max(map(len, printed.splitlines())) <= 100


def test_rates_of_kinds_and_of_a_column_stand_apart(tmp_path: Path, command: Command) -> None:
    path, long = tmp_path / "pairs.jsonl", "a name that is far longer than others"
    rows = [
        {"problem": PROBLEM, "rewrite": text, "kind": kind, "label": label, "writer": long}
        for text, kind, label in ((GOOD, "irrelevant_context", "kept"), (BAD, "typo_noise", "changed"))
        for _ in range(1200)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = command("check", path, "--by", "writer", "--label-field", "label").out.splitlines()
    headings = [line.split()[0] for line in lines if "changed: caught" in line]
    assert headings == ["kind", "writer"]
    assert max(map(len, lines)) <= 100


def test_labels_that_nobody_named_are_told(file: Path, command: Command) -> None:
    told = command("check", file, "--label-field", "sort", "--skip-bad-rows", "--keeps", "reworded").out
    assert "counted as changed, because no option names them: renumbered\n" in told
    both = ["--keeps", "reworded", "--changes", "renumbered"]
    assert "no option" not in command("check", file, "--label-field", "sort", "--skip-bad-rows", *both).out


def test_many_labels_that_nobody_named_are_counted(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "pairs.jsonl"
    row = {"problem": PROBLEM, "rewrite": GOOD, "kind": "irrelevant_context"}
    path.write_text("".join(json.dumps({**row, "label": f"value {n}"}) + "\n" for n in range(31)))
    told = command("check", path, "--label-field", "label", "--changes", "value 3").out
    assert "counted as kept, because no option names them: 30 labels\n" in told


def test_what_labels_mean_can_be_said(file: Path, command: Command) -> None:
    said = ["--label-field", "sort", "--skip-bad-rows", "--json"]
    kept = command("check", file, *said, "--keeps", "reworded").json
    assert (kept["labels"]["kept"], kept["labels"]["changed"], kept["skipped"]) == (["reworded"], ["renumbered"], 1)
    changed = command("check", file, *said, "--changes", "renumbered").json
    assert changed["labels"]["all"] == kept["labels"]["all"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--by", "srot"], "no row has the field srot"),
        (["--label-field", "sort"], "has an empty label in the field sort"),
        (["--label-field", "sort", "--skip-bad-rows"], "the label 'renumbered' in the field sort is unknown"),
        (["--label-field", "label", "--keeps", "good"], "no row has 'good' in the field label"),
        (["--keeps", "preserving"], "no --label-field is named"),
    ],
)
def test_a_mistake_is_one_sentence(options: list[str], said: str, file: Path, command: Command) -> None:
    ran = command("check", file, *options)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err and ran.err.startswith("Error: ")


def test_the_page_is_written_and_named(file: Path, tmp_path: Path, command: Command) -> None:
    page = tmp_path / "check.html"
    ran = command("check", file, "--label-field", "label", "--html", page)
    assert f"page in {page}" in ran.out
    assert "2 of 4 verdicts disagree with the label" in page.read_text(encoding="utf-8")


def test_many_values_are_cut_and_hostile_ones_escaped(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "pairs.jsonl"
    row = {"problem": PROBLEM, "rewrite": GOOD, "kind": "irrelevant_context"}
    values = ["\x1b[31m" + "x" * 90, *(f"value {n}" for n in range(30))]
    path.write_text("".join(json.dumps({**row, "by": value}) + "\n" for value in values))
    ran = command("check", path, "--by", "by")
    assert "and 11 more values, which --json and --html give" in ran.out
    assert "\x1b" not in ran.out
    assert len(command("check", path, "--by", "by", "--json").json["by"]["values"]) == 31
