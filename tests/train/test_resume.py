"""A run that was interrupted and went on equals one that was not: weights, moments, metrics, to the last bit."""

from __future__ import annotations

import fcntl
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from semifactual.errors import ConfigError, OutputError
from semifactual.train.checkpoint import Checkpoints, read_state
from semifactual.train.loop import Ended
from semifactual.train.preflight import inspect
from semifactual.train.recipe_loading import merged
from semifactual.train.run import AUTO, find_start
from semifactual.train.watching import Nobody
from tests.repository import ROOT
from tests.train.conftest import SMALL, Done, MakeRecipe, RunRecipe, run_in, small_recipe, without_times

VALIDATED: dict[str, Any] = {
    "steps": 8,
    "credit": {"steps": 6},
    "eval": {"every": 4, "sets": {"v": {"source": "builtin:word_problems?n=3&steps=1..1&max=9"}}},
    "checkpoint": {"every": 2, "best": "v/accuracy"},
    "log": {"completions_every": 4},
}
"""Four rollouts, three of them with credit."""


class Pressing(Nobody):
    """Presses Ctrl-C when a phase begins for the n-th time."""

    def __init__(self, phase: str, times: int) -> None:
        self.waiting = (phase, times)
        self.said: list[str] = []

    def phase(self, name: str) -> None:
        wanted, times = self.waiting
        if name == wanted:
            self.waiting = (wanted, times - 1)
            if times == 1:
                os.kill(os.getpid(), signal.SIGINT)

    def say(self, sentence: str) -> None:
        self.said.append(sentence)


def files(out: Path, step: int) -> dict[str, bytes]:
    """The bytes of a checkpoint."""
    folder = out / "checkpoints" / f"step-{step}"
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def assert_same(one: Done, other: Done, step: int) -> None:
    assert one.comparable == other.comparable
    assert list(map(without_times, one.evaluations)) == list(map(without_times, other.evaluations))
    assert files(one.out, step) == files(other.out, step)
    tables = [sorted(path.name for path in (done.out / "completions").iterdir()) for done in (one, other)]
    assert tables[0] == tables[1]


@pytest.fixture(scope="module")
def whole(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Done:
    """The run without an interruption."""
    return run_in(tmp_path_factory.mktemp("run") / "whole", small_recipe(model_folder, VALIDATED))


def test_a_run_is_repeated_bit_for_bit(run_recipe: RunRecipe, whole: Done) -> None:
    again = run_recipe(VALIDATED, out="again")
    assert_same(whole, again, 8)
    other = run_recipe({**VALIDATED, "seed": 1}, out="other")
    assert other.comparable != whole.comparable


@pytest.mark.parametrize(
    ("phase", "times", "kept"),
    [
        ("rollout", 2, 2),
        ("probe", 3, 4),
        ("update", 3, 4),
        ("validation", 2, 4),
        ("validation", 3, 8),
        ("checkpoint", 2, 4),
    ],
)
def test_ctrl_c_loses_nothing(run_recipe: RunRecipe, whole: Done, phase: str, times: int, kept: int) -> None:
    stopped = run_recipe(VALIDATED, out="run", watcher=Pressing(phase, times))
    assert stopped.ended is Ended.INTERRUPTED
    assert len(stopped.metrics) == kept
    assert Checkpoints(stopped.out, 1).steps()[-1] == kept
    resumed = run_recipe(VALIDATED, out="run")
    assert resumed.ended is Ended.DONE
    assert_same(whole, resumed, 8)


def test_ctrl_c_before_the_first_step_leaves_nothing_to_go_on_from(run_recipe: RunRecipe, whole: Done) -> None:
    stopped = run_recipe(VALIDATED, out="run", watcher=Pressing("validation", 1))
    assert (stopped.ended, stopped.metrics, Checkpoints(stopped.out, 1).steps()) == (Ended.INTERRUPTED, [], [])
    assert_same(whole, run_recipe(VALIDATED, out="run"), 8)


class Dying(Nobody):
    """Ends the process, as it were, when a checkpoint begins."""

    def phase(self, name: str) -> None:
        if name == "checkpoint":
            raise SystemExit


def test_the_best_is_known_again_where_its_validation_is_not_repeated(run_recipe: RunRecipe, whole: Done) -> None:
    """Broken off in a validation, then killed between that validation and its checkpoint."""
    run_recipe(VALIDATED, out="run", watcher=Pressing("validation", 2))
    with pytest.raises(SystemExit):
        run_recipe(VALIDATED, out="run", watcher=Dying())
    done = run_recipe(VALIDATED, out="run", watcher=Pressing("rollout", 1))
    assert [line["step"] for line in done.evaluations] == [0, 4]
    best = max(done.evaluations, key=lambda line: (line["v/accuracy"], -line["step"]))["step"]
    state, _ = read_state(done.out / "checkpoints" / "step-4")
    assert state.best_step == best == 4


def test_a_run_whose_last_validation_is_wanting_is_not_finished(run_recipe: RunRecipe, make_recipe: MakeRecipe) -> None:
    options = {**VALIDATED, "steps": 4}
    found = inspect(make_recipe(options), fetch=False)
    done = run_recipe(options, out="run", watcher=Pressing("validation", 2))
    assert not find_start(found, done.out, AUTO).finished
    assert [line["step"] for line in run_recipe(options, out="run").evaluations] == [0, 4]
    assert find_start(found, done.out, AUTO).finished
    assert find_start(found, done.out, str(done.out / "checkpoints" / "step-4")).finished


def test_more_steps_go_on_where_fewer_ended(run_recipe: RunRecipe, whole: Done) -> None:
    first = run_recipe({**VALIDATED, "steps": 4}, out="run")
    assert len(first.metrics) == 4
    assert_same(whole, run_recipe(VALIDATED, out="run"), 8)


def test_a_full_disk_at_a_checkpoint_is_tried_again(
    run_recipe: RunRecipe, whole: Done, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, refused = Checkpoints.save, iter([True, False, True])

    def full(self: Checkpoints, *arguments: Any) -> None:
        if next(refused, False):
            raise OutputError("cannot write: the disk is full")
        save(self, *arguments)

    monkeypatch.setattr(Checkpoints, "save", full)
    watcher = Pressing("never", 1)
    done = run_recipe(VALIDATED, out="run", watcher=watcher)
    assert done.ended is Ended.DONE
    assert [sentence.partition(";")[0] for sentence in watcher.said] == ["cannot write: the disk is full"] * 2
    assert_same(whole, done, 8)


def test_a_full_disk_at_the_end_is_an_error_and_the_last_checkpoint_stands(
    run_recipe: RunRecipe, whole: Done, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = Checkpoints.save

    def full(self: Checkpoints, step: int, *arguments: Any) -> None:
        if step == 8:
            raise OutputError("cannot write: the disk is full")
        save(self, step, *arguments)

    with monkeypatch.context() as patched, pytest.raises(OutputError):
        patched.setattr(Checkpoints, "save", full)
        run_recipe(VALIDATED, out="run")
    assert_same(whole, run_recipe(VALIDATED, out="run"), 8)


def test_changed_settings_are_refused_with_their_difference(run_recipe: RunRecipe) -> None:
    run_recipe()
    with pytest.raises(OutputError, match=r"optim\.lr: 0\.01 -> 0\.5"):
        run_recipe({"optim": {"lr": 0.5}})


def test_changed_data_are_refused(run_recipe: RunRecipe) -> None:
    run_recipe()
    with pytest.raises(OutputError, match="problems: "):
        run_recipe(change=lambda found: found.problems.pop())


def test_a_branch_takes_another_runs_checkpoint_and_its_history(run_recipe: RunRecipe) -> None:
    parent = run_recipe({"checkpoint": {"every": 2}, "log": {"completions_every": 1}})
    checkpoint = str(parent.out / "checkpoints" / "step-2")
    branch = run_recipe({"optim": {"lr": 1e-3}}, out="branch", resume=checkpoint)
    assert branch.comparable[:2] == parent.comparable[:2]
    assert [line["step"] for line in branch.metrics] == [1, 2, 3, 4]
    assert branch.metrics[2]["optim/lr"] == 1e-3
    with pytest.raises(OutputError, match="has checkpoints of its own"):
        run_recipe(out="branch", resume=checkpoint)


def test_an_earlier_checkpoint_of_the_same_run_is_not_silently_taken(run_recipe: RunRecipe) -> None:
    done = run_recipe({"checkpoint": {"every": 2}})
    with pytest.raises(OutputError, match="has checkpoints of its own, the last of step 4"):
        run_recipe(resume=str(done.out / "checkpoints" / "step-2"))
    with pytest.raises(ConfigError, match="no checkpoint"):
        run_recipe(out="new", resume=str(done.out))


def test_a_folder_with_other_files_is_left_alone(run_recipe: RunRecipe, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").write_text("dear")
    with pytest.raises(OutputError, match=r"holds other files: thesis\.tex"):
        run_recipe()


def test_one_process_at_a_time(run_recipe: RunRecipe) -> None:
    done = run_recipe({"steps": 2})
    with (done.out / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(OutputError, match="another process"):
            run_recipe()


LONG = merged(VALIDATED, {"steps": 24, "credit": {"steps": 12}})


@pytest.fixture(scope="module")
def unharmed(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Done:
    return run_in(tmp_path_factory.mktemp("unharmed") / "run", small_recipe(model_folder, LONG))


@pytest.fixture(scope="module")
def recipe_file(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recipe of `unharmed`, for the real command."""
    path = tmp_path_factory.mktemp("recipe") / "recipe.yaml"
    path.write_text(yaml.safe_dump(merged(SMALL, merged(LONG, {"model": {"name": str(model_folder)}}))))
    return path


def start(recipe: Path, out: Path) -> subprocess.Popen[bytes]:
    """The real command, in a process of its own."""
    arguments = [sys.executable, "-m", "semifactual.cli.train", str(recipe), "--out", str(out)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(arguments, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.demand) for seed in range(2, 10))])
def test_kill_9_at_a_random_moment(
    seed: int, recipe_file: Path, model_folder: Path, unharmed: Done, tmp_path: Path
) -> None:
    """Killed, and run again until it is done. To start again takes longer than to train, so that is done in here."""
    process = start(recipe_file, tmp_path / "run")
    while not (tmp_path / "run" / "metrics.jsonl").exists():
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(random.Random(seed).uniform(0, 1.5))
    process.kill()
    process.wait()
    assert_same(unharmed, run_in(tmp_path / "run", small_recipe(model_folder, LONG)), 24)
