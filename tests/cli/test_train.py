from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from semifactual import __version__
from semifactual.cli.train import main
from semifactual.errors import OutputError
from semifactual.train.recipe_loading import merged, shipped_recipes
from tests.cli.conftest import Ran
from tests.policy.models import byte_tokenizer, tiny_model
from tests.train.conftest import SMALL, read_lines

Train = Callable[..., Ran]


@pytest.fixture
def train(capsys: pytest.CaptureFixture[str]) -> Train:
    """Runs a command line of `scapo-train` in this process."""

    def run(*arguments: str | Path) -> Ran:
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small recipe in a file, with its model beside it."""
    folder = tmp_path_factory.mktemp("recipe")
    tiny_model("qwen3", max_position_embeddings=1024).save_pretrained(folder / "model")
    byte_tokenizer().save_pretrained(folder / "model")
    validation = {"eval": {"every": 2, "sets": {"v": {"source": "builtin:word_problems?n=3&steps=1..1&max=9"}}}}
    options = merged(SMALL, {**validation, "model": {"name": str(folder / "model"), "device": "cpu"}})
    (folder / "small.yaml").write_text(yaml.safe_dump(options))
    return folder / "small.yaml"


def test_no_arguments_print_the_help(train: Train) -> None:
    ran = train()
    assert ran == train("--help")
    assert ran.code == 0 and ran.out.startswith("Usage: scapo-train [OPTIONS]")


def test_version(train: Train) -> None:
    assert train("--version").out == f"scapo-train {__version__}\n"


def test_recipes_are_listed(train: Train) -> None:
    ran = train("--list")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()[1:]] == list(shipped_recipes())


@pytest.mark.parametrize(
    ("arguments", "complaint", "hint"),
    [
        (["tiny-cpu"], "training needs a folder", "add --out RUN, or --dry-run to only look"),
        (["tiny-cp", "--dry-run"], "there is no recipe tiny-cp", "did you mean tiny-cpu?"),
        (["tiny-cpu", "--frobnicate"], "--frobnicate", "see `scapo-train --help`"),
        (["tiny-cpu", "--dry-run", "--set", "steps"], "--set steps is no setting", "write it as --set"),
    ],
)
def test_a_wrong_call_is_one_sentence_and_a_hint(train: Train, arguments: list[str], complaint: str, hint: str) -> None:
    ran = train(*arguments)
    assert (ran.code, ran.out) == (2, "")
    error, hinted = ran.err.splitlines()
    assert complaint in error and hinted.startswith(f"Hint: {hint}")


def test_everything_wrong_is_on_one_page(train: Train, recipe: Path) -> None:
    ran = train(recipe, "--dry-run", "--set", "optim.minibatch=3", "--set", "rollout.samples=1")
    assert ran.code == 2
    assert ran.out.startswith("model ")
    assert "2 things are wrong:\n  1. rollout.batch 4" in ran.err and "\n  2. rollout.samples is 1" in ran.err


def test_a_dry_run_prints_the_plan_and_writes_nothing(train: Train, recipe: Path, tmp_path: Path) -> None:
    ran = train(recipe, "--dry-run", "--out", tmp_path / "run")
    assert ran.code == 0
    assert "12 responses a rollout" in ran.out and "forward passes a response token" in ran.out
    assert not (tmp_path / "run").exists()
    plan = train(recipe, "--dry-run", "--json").json
    assert (plan["batches"]["steps"], plan["faults"]) == (4, [])


def test_a_run_its_summary_and_the_same_command_again(train: Train, recipe: Path, tmp_path: Path) -> None:
    ran = train(recipe, "--out", tmp_path / "run", "--set", "seed=1")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith(f"4 steps in {tmp_path / 'run'}\n")
    assert f"\nreport: {tmp_path / 'run' / 'report.html'}\n" in ran.out
    assert (tmp_path / "run" / "report.html").is_file()
    assert "v/accuracy" in ran.out
    again = train(recipe, "--out", tmp_path / "run", "--set", "seed=1", "--json")
    assert again.json["ended"] == "found finished"
    assert again.json["evaluation"]["step"] == 4 and again.json["first_evaluation"]["step"] == 0
    other = train(recipe, "--out", tmp_path / "run")
    assert other.code == 2 and "seed: 1 -> 0" in other.err


def test_json_alone_is_on_stdout(train: Train, recipe: Path, tmp_path: Path) -> None:
    ran = train(recipe, "--out", tmp_path / "run", "--json")
    assert json.loads(ran.out)["steps"] == 4
    assert ran.err == ""


def test_a_report_that_cannot_be_written_is_said_and_fails_nothing(
    train: Train, recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: Path) -> Path:
        raise OutputError(f"cannot write to {folder}: the disk is full")

    monkeypatch.setattr("semifactual.train.report.write_report", refuse)
    ran = train(recipe, "--out", tmp_path / "run")
    assert ran.code == 0 and "\nno report: cannot write to " in ran.out


@pytest.mark.slow
def test_ctrl_c_is_one_sentence_and_exit_code_130(recipe: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "semifactual.cli.train", str(recipe), "--out", str(tmp_path / "run")]
    process = subprocess.Popen([*command, "--set", "steps=4000"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    while not read_lines(tmp_path / "run" / "eval.jsonl"):
        assert process.poll() is None
    while not (tmp_path / "run" / "metrics.jsonl").exists():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    sentence, hint = error.decode().splitlines()
    assert sentence.endswith("; nothing is lost") and sentence.startswith("Error: interrupted after step ")
    assert hint == "Hint: run the same command again to go on"
    steps = len(read_lines(tmp_path / "run" / "metrics.jsonl"))
    assert (tmp_path / "run" / "checkpoints" / f"step-{steps}").is_dir()
    assert "is unfinished" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
