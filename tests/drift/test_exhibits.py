"""What a report shows beside the summary, against the whole run in memory."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from semifactual.drift.exhibits import AT_RANDOM, CELLS, MOMENTS, MOST_DRIFTING, MOVED, Exhibits, read_exhibits
from semifactual.errors import SourceError
from tests.drift.synthetic import KINDS, Shape, write_run


@pytest.fixture(scope="module")
def exhibits(made_up_run: Path) -> Exhibits:
    return read_exhibits(made_up_run)


def table(run: Path, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(run / name).to_pylist()
    return rows


def test_the_most_drifting_are_those(exhibits: Exhibits, made_up_run: Path) -> None:
    means = {(row["problem_id"], row["sample"]): np.mean(row["drift"]) for row in table(made_up_run, "drift.parquet")}
    highest = sorted(means, key=lambda key: -means[key])[:MOST_DRIFTING]
    assert [one.key for one in exhibits.most_drifting] == highest
    assert exhibits.most_drifting[0].mean == pytest.approx(means[highest[0]], rel=1e-5)


def test_the_random_ones_are_others_and_the_same_every_time(exhibits: Exhibits, made_up_run: Path) -> None:
    keys = [one.key for one in exhibits.at_random]
    assert len(set(keys)) == AT_RANDOM
    assert not set(keys) & {one.key for one in exhibits.most_drifting}
    assert [one.key for one in read_exhibits(made_up_run).at_random] == keys
    assert [one.key for one in read_exhibits(made_up_run, seed=1).at_random] != keys


def test_every_response_can_be_drawn(tmp_path: Path) -> None:
    run = write_run(tmp_path, Shape(problems=20, samples=2, tokens=4))
    drawn = {one.key for seed in range(60) for one in read_exhibits(run, seed=seed).at_random}
    assert len(drawn) == 40 - MOST_DRIFTING


def test_the_moments_are_the_highest_tokens_one_a_problem(exhibits: Exhibits, made_up_run: Path) -> None:
    peaks: dict[str, tuple[float, int, int]] = {}
    for row in table(made_up_run, "drift.parquet"):
        place = int(np.argmax(row["drift"]))
        peak = (row["drift"][place], row["sample"], place)
        peaks[row["problem_id"]] = max(peaks.get(row["problem_id"], peak), peak)
    highest = sorted(peaks, key=lambda problem: -peaks[problem][0])[:MOMENTS]
    expected = [((problem, peaks[problem][1]), peaks[problem][2]) for problem in highest]
    assert [(one.key, place) for one, place in exhibits.moments] == expected


def test_transitions_count_every_token_of_every_variant(exhibits: Exhibits, made_up_run: Path) -> None:
    rows = table(made_up_run, "logps.parquet")
    by_kind = {kind: [np.array(row["logps"]) for row in rows if row["kind"] == kind] for kind in ("original", *KINDS)}
    p0 = np.concatenate(by_kind["original"])
    assert tuple(exhibits.transitions) == KINDS
    for kind, transition in exhibits.transitions.items():
        pk = np.concatenate(by_kind[kind])
        far = 2 * np.tanh(np.abs(p0 - pk) / 2) > MOVED
        edges = np.linspace(0, 1, CELLS + 1)
        expected, _, _ = np.histogram2d(np.exp(p0, dtype=np.float32), np.exp(pk, dtype=np.float32), (edges, edges))
        assert (transition.cells == expected).all()
        assert (transition.fell, transition.rose) == ((far & (pk < p0)).sum(), (far & (pk > p0)).sum())


def test_shown_responses_have_their_logps_facts_and_prompts(exhibits: Exhibits) -> None:
    for one in [*exhibits.most_drifting, *exhibits.at_random, *(one for one, _ in exhibits.moments)]:
        assert one.original is not None
        assert len(one.tokens) == len(one.categories) == len(one.drift) == len(one.original)
        assert one.rewritten.keys() == one.by_kind.keys() == set(KINDS)
        assert (one.facts["problem_id"], one.facts["sample"]) == one.key
        assert exhibits.prompts[one.key[0]]["rewrites"]


def test_drift_follows_from_the_logps_that_were_found(tmp_path: Path) -> None:
    run = write_run(tmp_path, Shape(problems=2, samples=1, variants_per_kind=3))
    one = read_exhibits(run).most_drifting[0]
    for kind, rewritten in one.rewritten.items():
        assert len(rewritten) == 3
        moved = [2 * np.tanh(np.abs(one.original - logps) / 2) for logps in rewritten]
        assert one.by_kind[kind] == pytest.approx(np.mean(moved, axis=0), abs=1e-6)


@pytest.mark.parametrize("name", ["drift.parquet", "logps.parquet", "responses.jsonl", "prompts.jsonl"])
def test_a_missing_file_is_named(made_up_run: Path, tmp_path: Path, name: str) -> None:
    run = tmp_path / "run"
    shutil.copytree(made_up_run, run)
    (run / name).unlink()
    with pytest.raises(SourceError, match=name):
        read_exhibits(run)


def test_rows_of_a_problem_that_are_apart_are_refused(made_up_run: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(made_up_run, run)
    rows = pq.read_table(run / "logps.parquet")
    pq.write_table(rows.sort_by("kind"), run / "logps.parquet")
    with pytest.raises(SourceError, match="together"):
        read_exhibits(run)
