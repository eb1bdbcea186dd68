"""A training run as its folder tells it: the recipe, the numbers step by step, and how far it came."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow.parquet as pq
import yaml

from semifactual.errors import SourceError

RECIPE_NAME = "recipe.yaml"
METRICS_NAME = "metrics.jsonl"
EVAL_NAME = "eval.jsonl"
VALIDATION_FOLDER = "validation"
COMPLETIONS_FOLDER = "completions"

Series: TypeAlias = tuple[list[int], list[float | None]]
"""Steps, and a value at each; None where it was not finite."""


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """What a run has written down so far."""

    folder: Path
    recipe: Mapping[str, Any]
    metrics: Sequence[Mapping[str, Any]]
    """Lines of metrics.jsonl."""
    evaluations: Sequence[Mapping[str, Any]]
    """Lines of eval.jsonl."""

    @property
    def label(self) -> str:
        """What the run is called: its recipe's label, else the name of its folder."""
        return str(self.recipe.get("label") or self.folder.resolve().name)

    @property
    def seed(self) -> int:
        return int(self.recipe.get("seed", 0))

    @property
    def planned(self) -> int:
        """Optimisation steps that the recipe asks for."""
        return int(self.recipe["steps"])

    @property
    def step(self) -> int:
        """Optimisation steps done."""
        return int(self.metrics[-1]["step"]) if self.metrics else 0

    @property
    def finished(self) -> bool:
        return self.step >= self.planned

    @property
    def seconds(self) -> float:
        """Seconds of training, validation included."""
        steps = sum(line.get("time/step") or 0.0 for line in self.metrics)
        return steps + sum(line.get("time/seconds") or 0.0 for line in self.evaluations)

    @property
    def sets(self) -> Mapping[str, Mapping[str, Any]]:
        """The validation sets that the recipe names."""
        found: Mapping[str, Mapping[str, Any]] = self.recipe.get("eval", {}).get("sets") or {}
        return found

    def series(self, key: str) -> Series:
        """A key of metrics.jsonl at the steps that have it."""
        return _series(self.metrics, key)

    def validated(self, key: str) -> Series:
        """A key of eval.jsonl at the steps that have it."""
        return _series(self.evaluations, key)

    def validation_rows(self, step: int) -> list[dict[str, Any]] | None:
        """The results of one validation prompt by prompt; None where they were not kept."""
        path = self.folder / VALIDATION_FOLDER / f"step-{step:06d}.parquet"
        return pq.read_table(path).to_pylist() if path.is_file() else None


def read_run(folder: Path) -> TrainingRun:
    """Read what a run has written so far; it may still be going on.

    Raises:
        SourceError: this is no training run, or it has not done a step.
    """
    recipe = _read_recipe(folder)
    metrics, evaluations = (list(_lines(folder / name)) for name in (METRICS_NAME, EVAL_NAME))
    if not metrics and not evaluations:
        raise SourceError(f"{folder} holds a training run that has not done a step yet", hint="let it train first")
    return TrainingRun(folder, recipe, metrics, evaluations)


def _read_recipe(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        raise SourceError(f"there is no folder {folder}", hint="give the --out folder of a `scapo-train` run")
    path = folder / RECIPE_NAME
    if not path.is_file():
        other = "a run of `semifactual drift`" if (folder / "drift.parquet").exists() else "no training run"
        raise SourceError(f"{folder} holds {other}", hint="give the --out folder of a `scapo-train` run")
    try:
        recipe = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SourceError(f"{path} is not YAML") from error
    if not isinstance(recipe, dict) or "steps" not in recipe:
        raise SourceError(f"{path} is no resolved recipe", hint="give the --out folder of a `scapo-train` run")
    return recipe


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a file: a run that goes on, or died, may have left a part of one."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            if line.endswith("\n"):
                yield json.loads(line)


def _series(lines: Sequence[Mapping[str, Any]], key: str) -> Series:
    found = [(int(line["step"]), line[key]) for line in lines if key in line]
    return [step for step, _ in found], [value for _, value in found]
