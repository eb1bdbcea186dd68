"""Two processes equal one."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
import yaml
from safetensors.torch import load_file

from semifactual.train.distributed import Ranks, join
from semifactual.train.recipe_loading import merged
from tests.repository import ROOT
from tests.train.conftest import SMALL, read_lines, run_in, small_recipe, without_times

OPTIONS = {
    "steps": 4,
    "rollout": {"batch": 6, "samples": 3},
    "credit": {"steps": 2, "lambda0": 0.5},
    "optim": {"minibatch": 3, "lr": 1e-4},
    "eval": {"every": 4, "sets": {"v": {"source": "builtin:word_problems?n=3&steps=1..1&max=9"}}},
}
"""Nine responses a step on two processes: the middle group of three straddles them."""


def test_alone_nothing_is_exchanged() -> None:
    alone = join()
    assert (alone, alone.is_main) == (Ranks(), True)
    values = torch.tensor([1.0, 2.0])
    assert alone.gather([3, 4]) == [3, 4]
    assert alone.sum(values) is values
    assert alone.any(True) and not alone.any(False)


@pytest.mark.parametrize(("items", "world"), [(10, 3), (2, 4), (0, 2), (9, 2)])
def test_shares_are_even_and_leave_nothing_out(items: int, world: int) -> None:
    shares = [Ranks(rank, world).share(range(items)) for rank in range(world)]
    assert [item for share in shares for item in share] == list(range(items))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_gradients_are_summed_in_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("semifactual.train.distributed.BUCKET_ELEMENTS", 5)
    sizes: list[int] = []

    def doubled(self: Ranks, values: torch.Tensor) -> torch.Tensor:
        sizes.append(len(values))
        return 2 * values

    monkeypatch.setattr(Ranks, "sum", doubled)
    parameters = [torch.nn.Parameter(torch.ones(shape)) for shape in ((2, 2), (3,), (2,), (7,))]
    for parameter in parameters[1:]:
        parameter.grad = torch.full_like(parameter, 3.0)
    frozen = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    Ranks(0, 2).sum_gradients([*parameters, frozen])
    assert sizes == [4, 5, 7]
    assert parameters[0].grad is not None and not parameters[0].grad.any()
    assert all((parameter.grad == 6.0).all() for parameter in parameters[1:])
    assert frozen.grad is None


def launched(recipe: Path, out: Path) -> None:
    """As torchrun starts it, with two processes on the CPU."""
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command = [*launcher, "-m", "semifactual.cli.train", str(recipe), "--out", str(out)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_run_on_two_processes_equals_one_on_one(model_folder: Path, tmp_path: Path) -> None:
    one = run_in(tmp_path / "one", small_recipe(model_folder, OPTIONS))
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(yaml.safe_dump(merged(merged(SMALL, OPTIONS), {"model": {"name": str(model_folder)}})))
    launched(recipe, tmp_path / "two")
    for name, expected in (("metrics.jsonl", one.metrics), ("eval.jsonl", one.evaluations)):
        found = read_lines(tmp_path / "two" / name)
        assert [line.keys() for line in found] == [line.keys() for line in expected]
        for line, wanted in zip(found, expected, strict=True):
            assert without_times(line) == pytest.approx(without_times(wanted), rel=1e-3, abs=1e-5)
    weights = [load_file(tmp_path / name / "checkpoints" / "step-4" / "model.safetensors") for name in ("one", "two")]
    assert relative_distance(*weights) < 1e-5
    assert len((tmp_path / "two" / "checkpoints" / "step-4" / "rng.json").read_text()) > 2 * 5056


def relative_distance(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> float:
    apart: Sequence[float] = [(one[name] - other[name]).square().sum().item() for name in one]
    return math.sqrt(sum(apart) / sum(value.square().sum().item() for value in one.values()))
