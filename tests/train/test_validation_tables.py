"""Validation prompt by prompt: the table says what eval.jsonl says, and goes back with it on a resume."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from semifactual.evaluation.per_problem import metric_parts
from semifactual.train.records import VALIDATION, Records
from tests.train.conftest import RunRecipe
from tests.train.synthetic import validation_rows

SETS = {
    "v": {"source": "builtin:word_problems?n=3&steps=1..1&max=9", "samples": 2, "pass_at": [1, 2]},
    "w": {"source": "builtin:word_problems?n=2&steps=1..1&max=9", "seed": 5, "kinds": "typo_noise"},
}
OPTIONS = {"eval": {"every": 2, "sets": SETS}, "data": {"kinds": "paraphrase"}}


def test_a_run_keeps_tables_that_make_up_its_metrics(run_recipe: RunRecipe) -> None:
    done = run_recipe(OPTIONS)
    assert [line["step"] for line in done.evaluations] == [0, 2, 4]
    for line in done.evaluations:
        table = pq.read_table(done.out / "validation" / f"step-{line['step']:06d}.parquet")
        assert table.schema == VALIDATION
        rows = table.to_pylist()
        for key, value in line.items():
            name, _, measure = key.partition("/")
            parts = metric_parts(measure, [row for row in rows if row["set"] == name])
            if parts:
                top, bottom = (sum(part[side] for part in parts.values()) for side in (0, 1))
                assert top / bottom == pytest.approx(value), key
        assert {row["kind"] for row in rows if row["sealed"]} >= {"typo_noise"}
        assert not any(row["sealed"] for row in rows if row["kind"] in ("original", "paraphrase"))
    first, last = (pq.read_table(done.out / "validation" / f"step-{step:06d}.parquet") for step in (0, 4))
    for column in ("set", "problem_id", "number", "kind", "question", "samples"):
        assert first[column] == last[column]


def test_questions_have_digests_of_their_own(run_recipe: RunRecipe) -> None:
    done = run_recipe({**OPTIONS, "steps": 2})
    rows = pq.read_table(done.out / "validation" / "step-000000.parquet").to_pylist()
    keys = {(row["set"], row["problem_id"], row["number"]) for row in rows}
    assert len(keys) == len(rows) == len({(row["set"], row["question"]) for row in rows})


def test_tables_are_cut_back_with_the_lines(tmp_path: Path) -> None:
    records = Records(tmp_path)
    for step in (0, 4, 8):
        assert records.write_validation(step, validation_rows(random.Random(step), 0.5))
    records.cut(4)
    assert sorted(path.name for path in (tmp_path / "validation").iterdir()) == [
        "step-000000.parquet",
        "step-000004.parquet",
    ]


def test_a_full_disk_loses_the_table_and_not_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", refuse)
    assert not Records(tmp_path).write_validation(4, validation_rows(random.Random(0), 0.5))
    assert list((tmp_path / "validation").iterdir()) == []


def test_a_branch_takes_the_tables_along(run_recipe: RunRecipe) -> None:
    begun = run_recipe({**OPTIONS, "steps": 2, "checkpoint": {"every": 2}}, out="begun")
    branch = run_recipe(
        {**OPTIONS, "optim": {"lr": 1e-3}}, out="branch", resume=str(begun.out / "checkpoints" / "step-2")
    )
    assert sorted(path.name for path in (branch.out / "validation").iterdir()) == [
        f"step-{step:06d}.parquet" for step in (0, 2, 4)
    ]
