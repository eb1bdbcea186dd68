"""Comparisons of made-up runs, against figures worked out another way."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from semifactual.errors import ConfigError
from semifactual.evaluation.compare import compare_runs
from semifactual.evaluation.run_groups import group_runs
from semifactual.evaluation.training_runs import TrainingRun, read_run
from tests.train.synthetic import write_run

PLAIN = {"label": "grpo", "credit": {"enabled": False}}
CREDIT = {"label": "scapo"}


def make(folder: Path, options: dict[str, Any], seed: int, **how: Any) -> TrainingRun:
    name = f"{options.get('label')}-{seed}-{len(list(folder.iterdir()))}"
    return read_run(write_run(folder / name, {**options, "seed": seed}, **how))


def pairs(folder: Path, seeds: int = 3, **how: Any) -> list[TrainingRun]:
    runs = [make(folder, PLAIN, seed, **how) for seed in range(seeds)]
    return runs + [make(folder, CREDIT, seed, lift=0.5, **how) for seed in range(seeds)]


def test_groups_and_their_values(tmp_path: Path) -> None:
    runs = pairs(tmp_path)
    found = compare_runs(runs)
    assert [(group["label"], group["seeds"]) for group in found["groups"]] == [
        ("grpo", [0, 1, 2]),
        ("scapo", [0, 1, 2]),
    ]
    assert [metric["metric"] for metric in found["metrics"]] == ["v/accuracy", "v/variants", "v/sealed"]
    assert found["settings"] == [{"key": "credit.enabled", "values": ["false", "true"]}]
    assert found["step"] == 20 and found["warnings"] == []
    first = found["metrics"][0]["groups"][0]
    finals = [run.evaluations[-1]["v/accuracy"] for run in runs[:3]]
    assert [run["final"] for run in first["runs"]] == finals
    assert first["final"] == {"mean": pytest.approx(fmean(finals)), "low": min(finals), "high": max(finals)}
    for run, one in zip(runs, first["runs"], strict=False):
        values = run.validated("v/accuracy")[1]
        assert one["best"] == max(value for value in values if value is not None)
        assert run.validated("v/accuracy")[0][values.index(one["best"])] == one["best_step"]


def test_the_interval_is_that_of_drawing_problems_naively(tmp_path: Path) -> None:
    runs = pairs(tmp_path)
    final = compare_runs(runs)["metrics"][0]["differences"][0]["final"]
    tables = [pq.read_table(run.folder / "validation" / "step-000020.parquet").to_pylist() for run in runs]
    shares = np.array([[row["right"] / 2 for row in table if row["kind"] == "original"] for table in tables])
    moved = shares[3:].mean(0) - shares[:3].mean(0)
    assert final["difference"] == pytest.approx(moved.mean())
    assert final["by_seed"] == pytest.approx(list(shares[3:].mean(1) - shares[:3].mean(1)))
    rng = np.random.default_rng(1)
    drawn = [moved[rng.integers(0, 30, 30)].mean() for _ in range(4000)]
    assert final["interval"] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.03)
    assert (final["over"], final["drawn"], final["paired"]) == ("problems", 30, True)


def test_without_tables_seeds_are_drawn(tmp_path: Path) -> None:
    found = compare_runs(pairs(tmp_path, tables=False))
    final = found["metrics"][0]["differences"][0]["final"]
    assert (final["over"], final["drawn"]) == ("seeds", 3)
    assert min(final["by_seed"]) <= final["interval"][0] <= final["difference"] <= final["interval"][1]
    assert any("drawing seeds" in warning for warning in found["warnings"])


def test_one_pair_without_tables_has_no_interval(tmp_path: Path) -> None:
    final = compare_runs(pairs(tmp_path, 1, tables=False))["metrics"][0]["differences"][0]["final"]
    assert final["interval"] is None and final["over"] is None


def test_only_shared_seeds_are_paired(tmp_path: Path) -> None:
    runs = [make(tmp_path, PLAIN, seed) for seed in (0, 1)] + [make(tmp_path, CREDIT, seed) for seed in (1, 2)]
    final = compare_runs(runs)["metrics"][0]["differences"][0]["final"]
    assert final["seeds"] == [1]
    values = [run.evaluations[-1]["v/accuracy"] for run in runs]
    assert final["difference"] == pytest.approx(values[2] - values[1])


def test_groups_without_a_shared_seed_are_compared_whole(tmp_path: Path) -> None:
    runs = [make(tmp_path, PLAIN, 0), make(tmp_path, CREDIT, 1)]
    found = compare_runs(runs)
    final = found["metrics"][0]["differences"][0]["final"]
    assert not final["paired"] and final["by_seed"] == [] and final["interval"] is not None
    assert any("no seed in common" in warning for warning in found["warnings"])


def test_steps_to_a_target(tmp_path: Path) -> None:
    runs = pairs(tmp_path, 1)
    metric = compare_runs(runs, ["v/accuracy"], target=0.5)["metrics"][0]
    for run, group in zip(runs, metric["groups"], strict=True):
        reached = [step for step, value in zip(*run.validated("v/accuracy"), strict=True) if value and value >= 0.5]
        assert group["runs"][0]["reached"] == (reached[0] if reached else None)
    own = compare_runs(runs, ["v/accuracy"])["metrics"][0]
    assert own["target"] == runs[0].evaluations[-1]["v/accuracy"] and not own["target_given"]


def test_of_a_length_no_value_is_best(tmp_path: Path) -> None:
    metric = compare_runs(pairs(tmp_path, 1), ["v/length"])["metrics"][0]
    assert metric["target"] is None and metric["groups"][0]["best"] is None
    assert metric["differences"][0]["best"] is None and metric["differences"][0]["final"]["interval"] is not None


def test_an_unfinished_run_is_marked_and_sets_the_step(tmp_path: Path) -> None:
    runs = [make(tmp_path, PLAIN, 0), make(tmp_path, CREDIT, 0, done=13)]
    found = compare_runs(runs)
    assert found["step"] == 12
    assert [run["finished"] for group in found["groups"] for run in group["runs"]] == [True, False]
    assert any("is unfinished: 13 of 20 steps" in warning for warning in found["warnings"])
    assert any("compared at step 12" in warning for warning in found["warnings"])
    at_twelve = next(line for line in runs[0].evaluations if line["step"] == 12)
    assert found["metrics"][0]["groups"][0]["final"]["mean"] == at_twelve["v/accuracy"]


def test_equal_labels_are_told_apart_by_what_differs(tmp_path: Path) -> None:
    runs = [make(tmp_path, {"label": "a", "credit": {"lambda0": strength}}, 0) for strength in (0.1, 0.2)]
    assert [group.label for group in group_runs(runs)] == ["a (credit.lambda0=0.1)", "a (credit.lambda0=0.2)"]


def test_what_does_not_decide_the_numbers_makes_no_group(tmp_path: Path) -> None:
    runs = [make(tmp_path, {"label": "a"}, 0), make(tmp_path, {"label": "b", "checkpoint": {"keep": 5}}, 1)]
    assert len(group_runs(runs)) == 1


def refusal(runs: list[TrainingRun], *arguments: Any) -> str:
    with pytest.raises(ConfigError) as raised:
        compare_runs(runs, *arguments)
    return f"{raised.value.message} {raised.value.hint}"


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    run = make(tmp_path, PLAIN, 0)
    assert "needs two runs" in refusal([run])
    assert "the same recipe and the same seed 0" in refusal([run, make(tmp_path, PLAIN, 0)])
    assert "the target 60 is no share" in refusal([run, make(tmp_path, CREDIT, 0)], ["v/accuracy"], 60.0)
    assert "no validation metric 'v/luck'" in refusal([run, make(tmp_path, CREDIT, 0)], ["v/luck"])
    other = {"eval": {"sets": {"v": {"source": "builtin:word_problems?n=9"}}}}
    assert "eval.sets.v.source is builtin:word_problems?n=6 and" in refusal(
        [run, make(tmp_path, {**CREDIT, **other}, 0)]
    )
    rewarded = make(tmp_path, {**CREDIT, "reward": {"function": "mine:reward"}}, 0)
    assert "validated differently: reward.function is null and mine:reward" in refusal([run, rewarded])
    assert "has no validation" in refusal([run, make(tmp_path, {**CREDIT, "eval": {"every": 0}}, 0)])
    late = make(tmp_path, {**CREDIT, "eval": {"every": 3}}, 0, done=3)
    late = TrainingRun(late.folder, late.recipe, late.metrics, late.evaluations[1:])
    assert "never validated at the same step" in refusal([run, late])


def test_a_validation_in_which_every_reward_failed_is_refused(tmp_path: Path) -> None:
    runs = pairs(tmp_path, 1)
    failed = [{**line, "v/accuracy": None} for line in runs[1].evaluations]
    runs[1] = TrainingRun(runs[1].folder, runs[1].recipe, runs[1].metrics, failed)
    assert "has no v/accuracy at step 20: every reward failed" in refusal(runs)


def test_different_questions_under_one_name_are_refused(tmp_path: Path) -> None:
    runs = pairs(tmp_path, 1)
    path = runs[1].folder / "validation" / "step-000020.parquet"
    table = pq.read_table(path)
    changed = ["new" if place == 7 else text for place, text in enumerate(table["question"].to_pylist())]
    pq.write_table(table.set_column(table.column_names.index("question"), "question", [changed]), path)
    assert "2 prompts are in one of them alone" in refusal(runs)
