from __future__ import annotations

import io
import math
import os
import pty
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from semifactual.cli.train_live import Board, sparkline
from semifactual.cli.train_view import PlainView, watching
from semifactual.evaluation.training_runs import TrainingRun, read_run
from tests.train.synthetic import write_run


@pytest.fixture
def run(tmp_path: Path) -> TrainingRun:
    return read_run(write_run(tmp_path / "run"))


def drawn(board: Board, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False, emoji=False)
    console.print(board)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def heard(run: TrainingRun) -> Board:
    board = Board()
    for line in run.metrics:
        board.hear_step(line, 40)
    board.hear_evaluation(run.evaluations[-1])
    return board


def test_a_table_before_anything_is_heard() -> None:
    assert "loading" in drawn(Board())


def test_the_table_has_what_one_watches(run: TrainingRun) -> None:
    text = drawn(heard(run))
    last = next(line for line in reversed(run.metrics) if "reward/mean" in line)
    rows = {match[1]: match[2] for match in re.finditer(r"^(\S[\w/ ]*?)  +(\S+)  ", text, re.MULTILINE)}
    assert "step 20/40" in text and " left" in text
    assert rows["reward"] == f"{last['reward/mean']:.3g}"
    assert rows["length"] == "30" and rows["cut"] == "10.0%"
    assert {"entropy", "drift paraphrase", "drift typo_noise", "v/accuracy"} <= set(rows)
    # 20 steps of 1 s and a validation of 2 s; 10 rollouts of 0.2 s for each part, 20 updates of 0.5 s
    assert "time: generate 9%, reward 9%, probe 9%, score 9%, update 45%, validate 9%" in text


def test_a_narrow_terminal_and_odd_numbers_do_no_harm(run: TrainingRun) -> None:
    board = heard(run)
    board.hear_step({"step": 21, "reward/mean": None, "policy/entropy": math.nan}, 40)
    assert "step 21/40" in drawn(board)
    assert max(map(len, drawn(board, width=30).splitlines())) <= 30


def test_names_from_the_data_cannot_act_on_the_terminal() -> None:
    board = Board()
    board.hear_step({"step": 1, "drift/kind/\x1b[31m[bold]x": 0.5, "time/step": 1.0}, 2)
    text = drawn(board)
    assert "\x1b" not in text and "[bold]x" in text


def test_a_long_run_keeps_its_beginning_and_its_end() -> None:
    board = Board()
    for step in range(1, 20_001):
        board.hear_step({"step": step, "reward/mean": step / 20_000, "time/step": 0.1}, 20_000)
    values = board._heard["reward/mean"]
    assert len(values) <= 4096 and values[0] == 1 / 20_000 and values[-1] == 1.0
    assert values == sorted(values)


@pytest.mark.parametrize("count", [1, 31, 32, 33, 500])
def test_a_sparkline_keeps_its_width(count: int) -> None:
    line = sparkline([float(value) for value in range(count)])
    assert 1 <= len(line) <= 32
    assert list(line) == sorted(line)


def told(run: TrainingRun, view: Any) -> None:
    view.say("once")
    view.say("once")
    for line in run.metrics:
        view.phase("update")
        view.step(line, run.planned)
    view.evaluation(run.evaluations[-1])


def test_a_log_has_a_line_a_step(run: TrainingRun) -> None:
    lines: list[str] = []
    told(run, PlainView(lines.append))
    assert lines[0] == "once"
    assert len([line for line in lines if re.match(r"step \d+/20  .*1\.0 s$", line)]) == 20
    assert [line for line in lines if "rewards failed" in line] == [
        "step 3: 3 of 8 rewards failed, the first with ValueError"
    ]
    assert lines[-1].startswith("step 20: v/accuracy ")


def test_a_pipe_gets_the_log_and_quiet_gets_nothing(run: TrainingRun, capsys: pytest.CaptureFixture[str]) -> None:
    with watching(quiet=True) as view:
        told(run, view)
    assert capsys.readouterr().out == ""
    with watching(quiet=False) as view:
        told(run, view)
    assert capsys.readouterr().out.count("\n") == 23


SHOW = """
import json, sys
from semifactual.cli.train_view import watching
with watching(quiet=False) as view:
    view.say("a [bold] sentence")
    for line in map(json.loads, open(sys.argv[1])):
        view.step(line, 20)
"""


def test_a_terminal_gets_the_table(run: TrainingRun) -> None:
    shown = on_a_terminal([sys.executable, "-c", SHOW, str(run.folder / "metrics.jsonl")], {"TERM": "xterm"})
    assert "a [bold] sentence" in shown
    assert "step 20/20" in shown and "▁" in shown and "drift paraphrase" in shown
    dumb = on_a_terminal([sys.executable, "-c", SHOW, str(run.folder / "metrics.jsonl")], {"TERM": "dumb"})
    assert "▁" not in dumb and dumb.count("step ") >= 20


def on_a_terminal(command: list[str], environment: Mapping[str, str]) -> str:
    """What a command writes to a terminal of its own."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env={**os.environ, **environment}) as process:
        os.close(theirs)
        written = b""
        while part := read(ours):
            written += part
        assert process.wait() == 0, written
    os.close(ours)
    return written.decode()


def read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # a terminal whose other end has closed
        return b""
