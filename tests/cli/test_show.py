from __future__ import annotations

import json
from pathlib import Path

import pytest

from semifactual.pipeline.records import write_parquet
from tests.cli.conftest import Command


def entry(kind: str, text: str) -> dict[str, object]:
    common = {"engine": "rule", "checks": ["unchanged", "one_typo"], "answer_check": "unknown", "params": "{}"}
    return {"kind": kind, "text": text, **common}


def record(row_id: str, problem: str, *entries: dict[str, object]) -> dict[str, object]:
    lists = {"semifactuals": list(entries), "evaluation_variants": [], "counterfactuals": []}
    return {"id": row_id, "problem": problem, "answer": "3", "source": "test", "metadata": "{}", **lists}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Three rows: one with two rewrites, one whose only rewrite was rejected, one with a hostile text."""
    (tmp_path / "data").mkdir()
    write_parquet(
        tmp_path / "data" / "train-00000-of-00001.parquet",
        [
            record(
                "a",
                "Ann has 3 cats.",
                entry("typo_noise", "Ann hsa 3 cats."),
                entry("paraphrase", "Ann owns 3 cats."),
            ),
            record("b", "Bo has 4 dogs."),
            record("c", "Cy\x1b[2J sees 5 owls.", entry("typo_noise", "Cy\x1b[2J seees 5 owls.")),
        ],
    )
    rejection = {
        "id": "b",
        "kind": "typo_noise",
        "text": "Bo has 5 dogs.",
        "engine": "rule",
        "outcome": "invalid",
        "answer_check": "refuted",
        "checks": [{"name": "one_typo", "passed": False, "evidence": "4 became 5"}],
        "history": [],
    }
    (tmp_path / "rejected.jsonl").write_text(json.dumps(rejection) + "\n", encoding="utf-8")
    (tmp_path / "manifest.json").write_text("{}", encoding="utf-8")
    return tmp_path


def test_rewrites_are_shown_as_word_diffs_with_their_verdicts(command: Command, dataset: Path) -> None:
    ran = command("show", dataset)
    assert ran.code == 0
    assert "Ann [-has-]{+hsa+} 3 cats.\n  passed unchanged, one_typo" in ran.out
    assert "paraphrase  valid, answer unknown, made by rule\n  Ann [-has-]{+owns+} 3 cats." in ran.out


def test_rows_without_a_rewrite_are_passed_over(command: Command, dataset: Path) -> None:
    assert "Bo has 4 dogs." not in command("show", dataset).out
    assert "No rewrite to show." in command("show", dataset, "b").out


def test_sealed_rewrites_and_counterfactuals_are_shown_behind_the_others(command: Command, dataset: Path) -> None:
    row = record("a", "Ann has 3 cats.", entry("typo_noise", "Ann hsa 3 cats."))
    row["evaluation_variants"] = [{"kind": "paraphrase", "text": "Ann owns 3 cats.", "answer": "3"}]
    made = {"kind": "quantity_change", "text": "Ann has 4 cats.", "answer": "4", "derivation": "3 -> 4; 4 = 4"}
    row["counterfactuals"] = [made]
    write_parquet(dataset / "data" / "train-00000-of-00001.parquet", [row])
    shown = command("show", dataset).out
    assert "paraphrase  for evaluation only, answer 3\n  Ann [-has-]{+owns+} 3 cats." in shown
    assert "quantity_change  a counterfactual, answer 4\n  Ann has [-3-]{+4+} cats.\n  3 -> 4; 4 = 4" in shown
    (seen,) = command("show", dataset, "--json").json["rows"]
    assert seen["counterfactuals"] == [made]
    (only,) = command("show", dataset, "--json", "--kind", "paraphrase").json["rows"]
    assert (only["rewrites"], len(only["evaluation_variants"]), only["counterfactuals"]) == ([], 1, [])
    assert "for evaluation" not in command("show", dataset, "a", "--rejected").out


def test_hostile_text_is_escaped(command: Command, dataset: Path) -> None:
    ran = command("show", dataset, "c")
    assert "\x1b" not in ran.out
    assert "Cy\\x1b[2J [-sees-]{+seees+} 5 owls." in ran.out


def test_colour_replaces_the_brackets_on_a_terminal(
    command: Command, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    ran = command("show", dataset, "a")
    assert "\x1b[32mowns\x1b[0m" in ran.out
    assert "{+" not in ran.out


def test_options_narrow_what_is_shown(command: Command, dataset: Path) -> None:
    assert [row["id"] for row in command("show", dataset, "--json").json["rows"]] == ["a", "c"]
    assert [row["id"] for row in command("show", dataset, "--json", "--limit", "1").json["rows"]] == ["a"]
    only = command("show", dataset, "--json", "--kind", "paraphrase").json["rows"]
    assert [[rewrite["text"] for rewrite in row["rewrites"]] for row in only] == [["Ann owns 3 cats."]]


def test_rejected_rewrites_come_with_what_failed(command: Command, dataset: Path) -> None:
    ran = command("show", dataset, "--rejected")
    assert "typo_noise  invalid, answer refuted" in ran.out
    assert "Bo has [-4-]{+5+} dogs.\n  failed one_typo: 4 became 5" in ran.out
    (row,) = command("show", dataset, "--rejected", "--json").json["rows"]
    assert row["rewrites"][0]["checks"] == [{"name": "one_typo", "passed": False, "evidence": "4 became 5"}]


def test_a_source_of_problems_shows_rewrites_made_on_the_fly(command: Command) -> None:
    (row,) = command("show", "builtin:algebra?n=3", "--limit", "1", "--kind", "irrelevant_context", "--json").json[
        "rows"
    ]
    (rewrite,) = row["rewrites"]
    assert rewrite["text"].startswith(row["problem"])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["owner/nowhere"], "owner/nowhere holds no built dataset"),
        (["DIR", "zz"], "'zz'"),
        (["DIR", "--kind", "typo"], "'typo'"),
    ],
)
def test_what_is_not_there_is_an_error(command: Command, dataset: Path, arguments: list[str], complaint: str) -> None:
    ran = command("show", *(str(dataset) if argument == "DIR" else argument for argument in arguments))
    assert (ran.code, ran.out) == (2, "")
    assert complaint in ran.err and ran.err.count("\n") == 2
