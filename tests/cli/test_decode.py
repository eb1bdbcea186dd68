"""`semifactual decode`: what it prints, its files, its refusals."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Command

SOURCE = "builtin:word_problems?steps=1..2&max=20&n=3"
OPTIONS = ("--model", "builtin:tiny", "--samples", "2", "--max-new-tokens", "12", "--resamples", "100")


def test_prints_methods_and_differences_and_finds_itself_finished(command: Command, tmp_path: Path) -> None:
    first = command("decode", SOURCE, *OPTIONS, "--out", tmp_path / "run")
    assert first.code == 0, first.err
    assert "was trained on" not in first.out
    assert all(word in first.out for word in ("greedy", "plain", "filtered", "turned right", " proposals rejected; "))
    again = command("decode", SOURCE, *OPTIONS, "--out", tmp_path / "run", "--json")
    assert again.json["found_finished"]
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert {name: again.json[name] for name in summary} == summary
    rows = (tmp_path / "run" / "decode.jsonl").read_text().splitlines()
    assert len(rows) == summary["counts"]["responses"] == 15


def test_refusals_are_one_sentence(command: Command, tmp_path: Path) -> None:
    ran = command("decode", SOURCE, *OPTIONS, "--cap", "1.5", "--out", tmp_path / "run")
    assert ran.code == 2
    assert "cap" in ran.err and "Traceback" not in ran.err
    ran = command("decode", SOURCE, "--model", "openai:gpt@http://localhost", "--out", tmp_path / "run")
    assert ran.code == 2
    assert not (tmp_path / "run").exists()


def test_a_harder_source_than_the_tiny_model_knows_is_said(command: Command, tmp_path: Path) -> None:
    ran = command("decode", "builtin:word_problems?n=1", *OPTIONS, "--out", tmp_path / "run")
    assert "builtin:tiny was trained on builtin:word_problems?steps=1..2&max=20; it gets few harder" in ran.out
