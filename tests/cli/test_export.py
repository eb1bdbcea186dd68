from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Command

SOURCE = "builtin:word_problems?n=3"


def test_a_source_is_exported_and_the_summary_tells(command: Command, tmp_path: Path) -> None:
    ran = command("export", SOURCE, "--to", "trl", "--out", tmp_path / "a.parquet")
    assert ran.code == 0, ran.err
    assert f"3 rows with 12 rewrites in {tmp_path / 'a.parquet'}" in ran.out
    assert pq.read_metadata(tmp_path / "a.parquet").num_rows == 3


def test_options_reach_the_rows(command: Command, tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    options = ["--style", "text", "--prompt", "bare", "--kinds", "typo_noise, paraphrase", "--limit", "2", "--json"]
    ran = command("export", SOURCE, "--to", "trl", "--out", out, *options)
    assert ran.json["rows"] == 2 and ran.json["rewrites"] == 4 and ran.json["reward_function"] is None
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert isinstance(rows[0]["prompt"], str) and "boxed" not in rows[0]["prompt"]
    assert rows[0]["semifactual_kinds"] == ["typo_noise", "paraphrase"]


@pytest.mark.parametrize("to", ["verl", "easyr1"])
def test_the_reward_function_is_named_where_a_trainer_needs_one(command: Command, tmp_path: Path, to: str) -> None:
    ran = command("export", SOURCE, "--to", to, "--out", tmp_path / "a.parquet", "--json")
    path, name = ran.json["reward_function"].rsplit(":", 1)
    assert f"def {name}(" in Path(path).read_text()


def test_verls_rows_may_belong_to_another_split(command: Command, tmp_path: Path) -> None:
    command("export", SOURCE, "--to", "verl", "--out", tmp_path / "a.parquet", "--row-split", "test")
    assert pq.read_table(tmp_path / "a.parquet").to_pylist()[0]["extra_info"]["split"] == "test"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--to", "ppo", "--out", "a.parquet"], "the formats are: trl, verl, easyr1, long"),
        (["--to", "trl", "--out", "a.csv"], ".parquet or .jsonl"),
        (["--to", "trl", "--out", "a.parquet", "--style", "poem"], "no style 'poem'"),
        (["--to", "trl", "--out", "a.parquet", "--prompt", "x"], "the names are: bare, default"),
        (["--to", "trl"], "--out"),
    ],
)
def test_mistakes_are_one_sentence(command: Command, arguments: list[str], said: str) -> None:
    ran = command("export", SOURCE, *arguments)
    assert ran.code == 2 and said in ran.err and ran.out == ""
