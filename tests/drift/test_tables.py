from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from semifactual.drift.measures import problem_drift
from semifactual.drift.scored import ScoredProblem
from semifactual.drift.tables import DRIFT, DRIFT_SCHEMA, LOGPS, LOGPS_SCHEMA, PROMPTS, RESPONSES, TABLES, RunTables
from tests.drift.scored_problems import random_problem

KINDS = ("typo_noise", "paraphrase", "typo_noise")


def problems() -> list[ScoredProblem]:
    rng = np.random.default_rng(2)
    return [random_problem(rng, f"p{number}", kinds) for number, kinds in enumerate((KINDS, KINDS[:2], KINDS, KINDS))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tables")
    scored = [(problem, problem_drift(problem)) for problem in problems()]
    with RunTables(out) as tables:
        for part in (scored[:2], [], scored[2:]):
            tables.write(part)
    return out


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_logps_hold_a_row_for_each_response_and_variant_with_every_bit(folder: Path) -> None:
    table = pq.read_table(folder / LOGPS)
    assert table.schema.equals(LOGPS_SCHEMA)
    rows = iter(table.to_pylist())
    for problem in problems():
        for response in problem.responses:
            for (kind, variant, prompt), logps in zip(problem.variants(), response.logps, strict=True):
                row = next(rows)
                assert (row["problem_id"], row["sample"], row["kind"]) == (problem.id, response.sample, kind)
                assert (row["variant"], row["prompt_ids"]) == (variant, list(prompt))
                assert row["token_ids"] == list(response.token_ids)
                assert np.array(row["logps"], dtype=np.float32).tobytes() == logps.tobytes()
    assert next(rows, None) is None


def test_drift_is_what_the_logps_say(folder: Path) -> None:
    table = pq.read_table(folder / DRIFT)
    assert table.schema.equals(DRIFT_SCHEMA)
    logps: dict[tuple[str, int], dict[str, list[np.ndarray]]] = {}
    for row in pq.read_table(folder / LOGPS).to_pylist():
        of_response = logps.setdefault((row["problem_id"], row["sample"]), {})
        of_response.setdefault(row["kind"], []).append(np.array(row["logps"]))
    rows = table.to_pylist()
    assert len(rows) == len(logps)
    for row in rows:
        tensor = logps[row["problem_id"], row["sample"]]
        expected = {
            kind: np.mean([2 * np.tanh(np.abs(tensor["original"][0] - one) / 2) for one in tensor[kind]], axis=0)
            for kind in tensor.keys() - {"original", "identity"}
        }
        found = {one["kind"]: one["drift"] for one in row["drift_by_kind"]}
        assert found.keys() == expected.keys()
        for kind in found:
            np.testing.assert_allclose(found[kind], expected[kind], rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(row["drift"], np.mean(list(expected.values()), axis=0), rtol=1e-6, atol=1e-9)
        assert len(row["tokens"]) == len(row["categories"]) == len(row["drift"])


def test_responses_and_prompts_stand_in_order(folder: Path) -> None:
    responses = lines(folder / RESPONSES)
    expected = [(problem.id, response.sample) for problem in problems() for response in problem.responses]
    assert [(row["problem_id"], row["sample"]) for row in responses] == expected
    assert set(responses[0]) == {"problem_id", "sample", "seed", "text", "token_ids", "stop", "answer", "correct"}
    first = lines(folder / PROMPTS)[0]
    assert first["rewrites"] == [
        {"kind": "typo_noise", "variant": 0, "text": "typo_noise of p0"},
        {"kind": "paraphrase", "variant": 0, "text": "paraphrase of p0"},
        {"kind": "typo_noise", "variant": 1, "text": "typo_noise of p0"},
    ]


@pytest.mark.parametrize("name", [LOGPS, DRIFT])
def test_datasets_loads_the_tables(folder: Path, tmp_path: Path, name: str) -> None:
    from datasets import load_dataset

    loaded = load_dataset("parquet", data_files=str(folder / name), split="train", cache_dir=str(tmp_path))
    assert loaded.to_list() == pq.read_table(folder / name).to_pylist()


def test_the_bytes_depend_on_the_problems_alone(folder: Path, tmp_path: Path) -> None:
    scored = [(problem, problem_drift(problem)) for problem in problems()]
    with RunTables(tmp_path) as tables:
        tables.write(scored[:2])
        tables.write(scored[2:])
    assert [(tmp_path / name).read_bytes() for name in TABLES] == [(folder / name).read_bytes() for name in TABLES]
