"""A tiny random model in a folder, and runs so small that they take a second or two."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from semifactual.pipeline.variants import VariantProblem
from semifactual.train.data import read_problems
from semifactual.train.distributed import Ranks
from semifactual.train.loop import Ended, train
from semifactual.train.preflight import Inspection, inspect
from semifactual.train.recipe import Recipe
from semifactual.train.recipe_loading import merged
from semifactual.train.run import AUTO, find_start, open_run
from semifactual.train.watching import Nobody, Watcher
from tests.policy.models import byte_tokenizer, tiny_model

torch.set_num_threads(1)

SMALL = {
    "steps": 4,
    "data": {"source": "builtin:word_problems?n=12&steps=1..1&max=9"},
    "rollout": {"batch": 4, "samples": 3, "max_new_tokens": 6, "max_prompt_tokens": 600},
    "reward": {"function": "tests.train.rewards:vowels"},
    "credit": {"steps": 2, "truncated": "include"},
    "optim": {"minibatch": 2, "lr": 1e-2, "microbatch_tokens": 1000},
    "eval": {"every": 0},
    "checkpoint": {"every": 0},
    "log": {"completions_every": 0},
}
"""Two rollouts of four problems, each for two steps; the credit acts in the first."""


@cache
def _read_once(settings: Any) -> tuple[list[VariantProblem], list[str]]:
    return read_problems(settings)


@pytest.fixture(scope="session", autouse=True)
def builtin_problems_are_made_once() -> Iterator[None]:
    """To draw problems and rewrite them takes as long as a small run, and it is always the same ones."""

    def read(settings: Any) -> tuple[list[VariantProblem], list[str]]:
        if not settings.source.startswith("builtin:"):
            return read_problems(settings)
        problems, notices = _read_once(settings)
        return [replace(problem) for problem in problems], [*notices]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("semifactual.train.preflight.read_problems", read)
        yield


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model of 20,000 parameters with its tokenizer, as `from_pretrained` loads it."""
    folder = tmp_path_factory.mktemp("model")
    tiny_model("qwen3", max_position_embeddings=1024).save_pretrained(folder)
    byte_tokenizer().save_pretrained(folder)
    return folder


@dataclass(frozen=True)
class Done:
    """What a run left behind."""

    out: Path
    ended: Ended
    metrics: list[dict[str, Any]]
    evaluations: list[dict[str, Any]]

    @property
    def comparable(self) -> list[dict[str, Any]]:
        """The metrics, without what depends on the machine."""
        return [without_times(line) for line in self.metrics]


MakeRecipe = Callable[..., Recipe]
RunRecipe = Callable[..., Done]


def small_recipe(model_folder: Path, options: Mapping[str, Any] | None = None) -> Recipe:
    """The small recipe with other options over it."""
    base = merged(SMALL, {"model": {"name": str(model_folder), "device": "cpu"}})
    return Recipe.model_validate(merged(base, options or {}))


def run_in(
    folder: Path,
    recipe: Recipe,
    *,
    resume: str = AUTO,
    watcher: Watcher | None = None,
    change: Callable[[Inspection], None] | None = None,
) -> Done:
    """Train in this process; `change` may meddle with what was found out before."""
    found = inspect(recipe, fetch=False)
    if change is not None:
        change(found)
    assert found.faults == []
    start = find_start(found, folder, resume)
    with open_run(found, folder, start, Ranks(), watcher or Nobody()) as opened:
        ended = train(opened)
    return Done(folder, ended, read_lines(folder / "metrics.jsonl"), read_lines(folder / "eval.jsonl"))


@pytest.fixture
def make_recipe(model_folder: Path) -> MakeRecipe:
    """The small recipe with other options over it."""

    def make(options: Mapping[str, Any] | None = None) -> Recipe:
        return small_recipe(model_folder, options)

    return make


@pytest.fixture
def run_recipe(make_recipe: MakeRecipe, tmp_path: Path) -> RunRecipe:
    """Trains the small recipe, with other options over it, in a folder of the given name."""

    def run(options: Mapping[str, Any] | None = None, *, out: str = "run", **how: Any) -> Done:
        return run_in(tmp_path / out, make_recipe(options), **how)

    return run


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON lines file; none where there is no file."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def without_times(line: Mapping[str, Any]) -> dict[str, Any]:
    """A line without what depends on the machine."""
    return {key: value for key, value in line.items() if not key.startswith("time/")}
