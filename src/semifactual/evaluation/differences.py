"""A metric of single runs, and the difference between two groups of runs with its bootstrap interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from semifactual.drift.bootstrap import Floats, paired_intervals
from semifactual.errors import ConfigError
from semifactual.evaluation.per_problem import Parts, metric_parts, split_metric
from semifactual.evaluation.run_groups import Group
from semifactual.evaluation.training_runs import TrainingRun


@dataclass(frozen=True, slots=True)
class Point:
    """Where a metric of a run is taken."""

    step: int
    value: float


class Tables:
    """The validation results prompt by prompt, read once."""

    def __init__(self, runs: Sequence[TrainingRun]) -> None:
        self._names = list(runs[0].sets)
        self._rows: dict[tuple[Path, int], list[dict[str, Any]] | None] = {}
        self._first: tuple[TrainingRun, list[tuple[Any, ...]]] | None = None
        self.complete = True
        """Whether every table that was asked for is there."""

    def parts(self, run: TrainingRun, step: int, metric: str) -> Parts | None:
        """The parts of a metric by problem; None where they were not kept.

        Raises:
            ConfigError: the questions are not those of the other runs.
        """
        split = split_metric(metric, self._names)
        rows = self._read(run, step)
        if split is None or rows is None:
            return None
        return metric_parts(split[1], [row for row in rows if row["set"] == split[0]])

    def _read(self, run: TrainingRun, step: int) -> list[dict[str, Any]] | None:
        key = (run.folder, step)
        if key not in self._rows:
            rows = run.validation_rows(step)
            self.complete = self.complete and rows is not None
            if rows is not None:
                self._check_questions(run, rows)
            self._rows[key] = rows
        return self._rows[key]

    def _check_questions(self, run: TrainingRun, rows: Sequence[Mapping[str, Any]]) -> None:
        asked = sorted((row["set"], row["problem_id"], row["number"], row["question"]) for row in rows)
        if self._first is None:
            self._first = (run, asked)
        elif self._first[1] != asked:
            apart = len(set(asked) ^ set(self._first[1]))
            raise ConfigError(
                f"{self._first[0].folder} and {run.folder} were asked different questions in validation:"
                f" {apart:,} prompts are in one of them alone",
                hint="their validation sets bear the same names, but the data or the rewrites have changed",
            )


def difference(
    metric: str,
    first: tuple[Group, Mapping[int, Point]],
    second: tuple[Group, Mapping[int, Point]],
    tables: Tables,
) -> dict[str, Any]:
    """The second group less the first, over the seeds that both have; over all seeds of each where they share none."""
    shared = sorted(first[1].keys() & second[1].keys())
    sides = [({seed: points[seed] for seed in shared or points}, group) for group, points in (first, second)]
    values = [fmean(point.value for point in points.values()) for points, _ in sides]
    by_seed = [second[1][seed].value - first[1][seed].value for seed in shared]
    (interval, drawn), over = _by_problems(metric, sides, tables), "problems"
    if interval is None:
        interval, drawn, over = _by_seeds(by_seed), len(by_seed), "seeds"
    return {
        "difference": values[1] - values[0],
        "interval": interval,
        "over": over if interval is not None else None,
        "drawn": drawn if interval is not None else None,
        "paired": bool(shared),
        "seeds": shared,
        "by_seed": by_seed,
    }


def _by_problems(
    metric: str, sides: Sequence[tuple[Mapping[int, Point], Group]], tables: Tables
) -> tuple[list[float] | None, int]:
    """The interval of the difference from drawing problems, each with the results of all seeds, and their number."""
    drawn: list[tuple[Floats, Floats]] = []
    for points, group in sides:
        found = [tables.parts(group.runs[seed], point.step, metric) for seed, point in points.items()]
        kept = [parts for parts in found if parts]
        if len(kept) < len(found) or not kept:
            return None, 0
        problems = sorted(kept[0])
        sums = np.array([[parts[problem] for problem in problems] for parts in kept], dtype=np.float64).mean(axis=0)
        drawn.append((sums[:, :1], sums[:, 1:]))
    if len(drawn[0][0]) < 2:
        return None, 0
    return _listed(paired_intervals(drawn[0], drawn[1])), len(drawn[0][0])


def _by_seeds(differences: Sequence[float]) -> list[float] | None:
    """The interval of the mean difference from drawing seeds; None where there is but one."""
    if len(differences) < 2:
        return None
    moved = np.array(differences, dtype=np.float64)[:, None]
    ones = np.ones_like(moved)
    return _listed(paired_intervals((np.zeros_like(moved), ones), (moved, ones)))


def _listed(interval: Floats) -> list[float] | None:
    low, high = (float(end) for end in interval[0])
    return None if np.isnan(low) else [low, high]


def value_at(run: TrainingRun, metric: str, step: int) -> Point:
    """A metric at a step that was validated.

    Raises:
        ConfigError: nothing was measured there, because every reward failed.
    """
    found = next((point for point in _points(run, metric, step) if point.step == step), None)
    if found is None:
        raise ConfigError(f"{run.folder} has no {metric} at step {step:,}: every reward failed in that validation")
    return found


def best_value(run: TrainingRun, metric: str, last: int) -> Point:
    """The highest value up to a step, and of equals the first."""
    return max(_points(run, metric, last), key=lambda point: (point.value, -point.step))


def first_reached(run: TrainingRun, metric: str, target: float, last: int) -> int | None:
    return next((point.step for point in _points(run, metric, last) if point.value >= target - 1e-12), None)


def _points(run: TrainingRun, metric: str, last: int) -> Iterator[Point]:
    for step, value in zip(*run.validated(metric), strict=True):
        if value is not None and step <= last:
            yield Point(step, value)
