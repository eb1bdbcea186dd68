from __future__ import annotations

import errno
import json
import math
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from semifactual.errors import OutputError
from semifactual.train import records
from semifactual.train.records import COMPLETIONS, JsonLines, Records


def test_lines_are_cut_back_to_a_step(tmp_path: Path) -> None:
    lines = JsonLines(tmp_path / "m.jsonl")
    for step in (1, 2, 3):
        assert lines.append({"step": step, "loss": 0.5})
    lines.cut(2)
    lines.append({"step": 3, "loss": 0.25})
    assert list(lines.lines()) == [{"step": 1, "loss": 0.5}, {"step": 2, "loss": 0.5}, {"step": 3, "loss": 0.25}]


def test_a_torn_line_is_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text('{"step": 1}\n{"step": 2')
    lines = JsonLines(path)
    lines.cut(5)
    lines.append({"step": 2})
    assert list(lines.lines()) == [{"step": 1}, {"step": 2}]


def test_numbers_that_are_not_finite_are_null(tmp_path: Path) -> None:
    lines = JsonLines(tmp_path / "m.jsonl")
    lines.append({"step": 1, "a": math.nan, "b": -math.inf})
    assert json.loads((tmp_path / "m.jsonl").read_text()) == {"step": 1, "a": None, "b": None}


def test_what_a_full_disk_refuses_comes_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = JsonLines(tmp_path / "m.jsonl")
    lines.append({"step": 1})
    write = JsonLines._write

    def torn(self: JsonLines) -> None:
        with self.path.open("ab") as file:
            file.write(b'{"st')
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(JsonLines, "_write", torn)
    assert not lines.append({"step": 2})
    assert list(lines.lines()) == [{"step": 1}]
    assert (lines.of_step(1), lines.of_step(2)) == ({"step": 1}, None)
    with pytest.raises(OutputError, match="disk is full"):
        lines.sync()
    monkeypatch.setattr(JsonLines, "_write", write)
    assert lines.append({"step": 3})
    assert [line["step"] for line in lines.lines()] == [1, 2, 3]


def test_completions_are_cut_back_too(tmp_path: Path) -> None:
    written = Records(tmp_path)
    row = dict.fromkeys(COMPLETIONS.names) | {"step": 4, "tokens": ["a"], "credit": [-0.5]}
    assert written.write_completions(4, [row]) and written.write_completions(12, [row])
    written.cut(4)
    (path,) = (tmp_path / "completions").iterdir()
    assert path.name == "step-000004.parquet"
    assert pq.read_table(path).to_pylist() == [row]


def test_every_documented_completion_column_exists() -> None:
    text = (records.__doc__ or "").partition("**completions")[2]
    assert set(COMPLETIONS.names) <= set(re.findall(r"``([\w ]+)``", text))
