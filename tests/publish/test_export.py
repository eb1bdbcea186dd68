"""Exports: the rows of each schema, and the way back from them to the problems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from semifactual.errors import ConfigError, OutputError, SourceError
from semifactual.pipeline.variants import open_variants
from semifactual.publish.export import export
from semifactual.publish.formats import FORMATS
from semifactual.publish.prompting import Style
from semifactual.resources import template_text
from semifactual.sources.source import open_source, problems, scan

AFTER = "\n\nPlease reason step by step, and put your final answer within \\boxed{}."


def rows_of(dataset: Path, to: str, out: str = "out.parquet", **options: Any) -> list[dict[str, Any]]:
    path = dataset.parent / out
    export(str(dataset), to, path, **options)
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return rows


def test_trl_rows_hold_a_chat_and_the_rewrites_in_the_same_words(dataset: Path) -> None:
    assert rows_of(dataset, "trl")[0] == {
        "id": "a",
        "prompt": [{"role": "user", "content": "Ann has {3} cats." + AFTER}],
        "answer": "3",
        "semifactuals": ["Ann hsa {3} cats." + AFTER, "3 cats." + AFTER],
        "semifactual_kinds": ["typo_noise", "paraphrase"],
    }


def test_trl_rows_as_text(dataset: Path) -> None:
    row = rows_of(dataset, "trl", style=Style.TEXT, prompt="bare")[0]
    assert (row["prompt"], row["semifactuals"]) == ("Ann has {3} cats.", ["Ann hsa {3} cats.", "3 cats."])


def test_verl_rows(dataset: Path) -> None:
    assert rows_of(dataset, "verl", row_split="test")[2] == {
        "data_source": "semifactual/hand",
        "prompt": [{"role": "user", "content": "Cy sees 5 owls." + AFTER}],
        "ability": "math",
        "reward_model": {"style": "rule", "ground_truth": "5"},
        "extra_info": {
            "index": 2,
            "split": "test",
            "id": "c",
            "semifactuals": ["Cy seees 5 owls." + AFTER],
            "semifactual_kinds": ["typo_noise"],
        },
    }


def test_easyr1_rows(dataset: Path) -> None:
    assert rows_of(dataset, "easyr1")[1] == {
        "id": "b",
        "problem": "Bo has 4 dogs." + AFTER,
        "answer": "4",
        "semifactuals": [],
        "semifactual_kinds": [],
    }


def test_long_has_a_row_a_rewrite_with_its_evidence(dataset: Path) -> None:
    rows = rows_of(dataset, "long")
    assert [(row["id"], row["kind"]) for row in rows] == [("a", "typo_noise"), ("a", "paraphrase"), ("c", "typo_noise")]
    assert rows[0] == {
        "id": "a",
        "kind": "typo_noise",
        "problem": "Ann has {3} cats.",
        "rewrite": "Ann hsa {3} cats.",
        "answer": "3",
        "source": "hand",
        "engine": "rule",
        "checks": ["unchanged", "one_typo"],
        "answer_check": "unknown",
        "params": '{"n": 1}',
    }


@pytest.mark.parametrize("to", FORMATS)
def test_what_is_for_evaluation_only_never_leaves(dataset: Path, to: str) -> None:
    assert "never" not in json.dumps(rows_of(dataset, to))


@pytest.mark.parametrize("to", FORMATS)
def test_types_are_the_same_whatever_the_rows_hold(dataset: Path, to: str) -> None:
    """A file whose only row has no rewrite has the types of any other, so that files can be put together."""
    export(str(dataset), to, dataset.parent / "all.parquet")
    export(str(dataset), to, dataset.parent / "one.parquet", kinds=("paraphrase",), limit=1)
    schema = pq.read_schema(dataset.parent / "all.parquet")
    assert pq.read_schema(dataset.parent / "one.parquet") == schema
    assert not any(pa.types.is_null(field.type) for field in schema)


def test_each_problem_in_the_format_that_it_came_in(dataset: Path) -> None:
    rows = rows_of(dataset, "trl", prompt="source")
    assert rows[0]["prompt"] == [{"role": "user", "content": "Ann has {3} cats."}]
    assert rows[2]["prompt"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Q: Cy sees 5 owls."},
    ]
    assert rows[2]["semifactuals"] == ["Q: Cy seees 5 owls."]
    with pytest.raises(ConfigError, match="the prompt of c has a system turn"):
        export(str(dataset), "easyr1", dataset.parent / "e.parquet", prompt="source")
    assert not (dataset.parent / "e.parquet").exists()


def test_a_prompt_template_of_ones_own(dataset: Path) -> None:
    template = dataset.parent / "mine.txt"
    template.write_text("Q {question} A\n")
    assert rows_of(dataset, "verl", prompt=str(template))[1]["prompt"][0]["content"] == "Q Bo has 4 dogs. A"


def test_jsonl_holds_the_same_rows(dataset: Path) -> None:
    export(str(dataset), "trl", dataset.parent / "out.jsonl")
    lines = [json.loads(line) for line in (dataset.parent / "out.jsonl").read_text().splitlines()]
    assert lines == rows_of(dataset, "trl")


def test_kinds_and_counts(dataset: Path) -> None:
    report = export(str(dataset), "trl", dataset.parent / "out.parquet", kinds=("paraphrase",))
    assert (report.rows, report.problems, report.rewrites, report.without_rewrites) == (3, 3, 1, 2)


@pytest.mark.parametrize("to", ["trl", "verl", "easyr1"])
def test_the_way_back(tmp_path: Path, to: str) -> None:
    """Reading an export as a source gives the same problems and answers: the instructions are set apart again."""
    spec = "builtin:word_problems?n=6"
    export(spec, to, tmp_path / "out.parquet")
    before = list(open_variants(spec).problems())
    source = open_source(str(tmp_path / "out.parquet"))
    scan(source)
    after = list(problems(source))
    assert [(p.text, p.answer) for p in after] == [(p.text, p.answer) for p in before]
    rows = pq.read_table(tmp_path / "out.parquet").to_pylist()
    rewrites = [(row if to != "verl" else row["extra_info"])["semifactuals"] for row in rows]
    instruction = template_text("prompts/default.txt").rstrip("\n").removeprefix("{question}")
    texts = [[text.removesuffix(instruction) for text in row] for row in rewrites]
    assert texts == [[text for _, text in problem.semifactuals] for problem in before]


def test_the_same_export_twice_is_the_same_file(dataset: Path) -> None:
    for name in ("one.parquet", "two.parquet"):
        export(str(dataset), "verl", dataset.parent / name)
    assert (dataset.parent / "one.parquet").read_bytes() == (dataset.parent / "two.parquet").read_bytes()


@pytest.mark.parametrize(
    ("to", "out", "options", "said"),
    [
        ("ppo", "a.parquet", {}, "no export format 'ppo'"),
        ("verl", "a.jsonl", {}, "no format for verl"),
        ("trl", "a.csv", {}, "no format for trl"),
        ("verl", "a.parquet", {"style": Style.TEXT}, "always of the style chat"),
        ("long", "a.parquet", {"prompt": "default"}, "means nothing for long"),
        ("trl", "a.parquet", {"prompt": "nothing"}, "no prompt template 'nothing'"),
    ],
)
def test_what_cannot_be_asked(dataset: Path, to: str, out: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        export(str(dataset), to, dataset.parent / out, **options)
    assert not (dataset.parent / out).exists()


def test_what_is_read_is_never_overwritten(dataset: Path) -> None:
    with pytest.raises(OutputError, match="would be overwritten"):
        export(str(dataset), "trl", dataset / "data" / "train-00000-of-00001.parquet")


def test_an_older_file_stays_until_the_new_one_is_whole(dataset: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    out.write_text("older")
    with pytest.raises(ConfigError):
        export(str(dataset), "easyr1", out, prompt="source")
    assert out.read_text() == "older" and [p.name for p in tmp_path.glob(".*")] == []


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError):
        export(str(tmp_path / "nothing"), "trl", tmp_path / "out.parquet")
    with pytest.raises(OutputError, match="cannot write"):
        export("builtin:algebra?n=1", "trl", tmp_path / "nowhere" / "out.parquet")
