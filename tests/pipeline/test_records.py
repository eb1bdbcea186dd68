from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from semifactual.pipeline.records import COLUMNS, ROWS_PER_GROUP, read_parquet, record, write_parquet
from semifactual.types import Counterfactual, Problem

PROBLEM = Problem("p:1", "What is $1+1$?", "2", "hand", {"b": [1, None], "a": "é"})


def test_a_record_has_exactly_the_columns_of_schema_1() -> None:
    made = record(PROBLEM, [], [], [Counterfactual("quantity_changed", "What is $1+2$?", "3", "1 + 2")])
    assert list(made) == list(COLUMNS)
    assert made["metadata"] == '{"a": "é", "b": [1, null]}'
    assert made["counterfactuals"][0]["answer"] == "3"


def test_a_sealed_entry_keeps_its_kind_and_text_and_has_the_problems_answer() -> None:
    entry = {"kind": "typo_noise", "text": "Waht is $1+1$?", "engine": "rule", "checks": [], "params": "{}"}
    made = record(PROBLEM, [], [entry])
    assert made["evaluation_variants"] == [{"kind": "typo_noise", "text": "Waht is $1+1$?", "answer": "2"}]
    assert made["semifactuals"] == []


def test_datasets_reads_the_features_that_the_file_names(tmp_path: Path) -> None:
    import datasets

    rows = [record(PROBLEM, [], []) for _ in range(3)]
    write_parquet(tmp_path / "rows.parquet", rows)
    loaded = datasets.Dataset.from_parquet(str(tmp_path / "rows.parquet"), cache_dir=str(tmp_path / "cache"))
    text, strings = datasets.Value("string"), datasets.List(datasets.Value("string"))
    assert loaded.features == datasets.Features(
        id=text,
        problem=text,
        answer=text,
        source=text,
        semifactuals=datasets.List(
            {"kind": text, "text": text, "engine": text, "checks": strings, "answer_check": text, "params": text}
        ),
        evaluation_variants=datasets.List({"kind": text, "text": text, "answer": text}),
        counterfactuals=datasets.List({"kind": text, "text": text, "answer": text, "derivation": text}),
        metadata=text,
    )
    assert loaded.to_list() == rows


def test_parquet_is_written_in_groups_and_read_back(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    rows = [record(Problem(f"p:{n}", "t", "1", "hand"), [], []) for n in range(ROWS_PER_GROUP + 1)]
    assert write_parquet(tmp_path / "rows.parquet", rows) == len(rows)
    assert pq.ParquetFile(tmp_path / "rows.parquet").num_row_groups == 2
    assert list(read_parquet(tmp_path / "rows.parquet")) == rows


def test_no_rows_make_a_file_with_the_schema(tmp_path: Path) -> None:
    assert write_parquet(tmp_path / "rows.parquet", []) == 0
    assert list(read_parquet(tmp_path / "rows.parquet")) == []


def test_the_schema_costs_no_import_of_datasets() -> None:
    code = "import sys; from semifactual.pipeline.records import arrow_schema; arrow_schema(); print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"datasets", "torch", "sympy"}.isdisjoint(found.stdout.split())
