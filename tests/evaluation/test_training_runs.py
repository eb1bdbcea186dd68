from __future__ import annotations

from pathlib import Path

import pytest

from semifactual.errors import SourceError
from semifactual.evaluation import training_runs
from semifactual.evaluation.training_runs import read_run
from semifactual.train import records
from tests.train.synthetic import write_run


def test_what_training_writes_is_read(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path / "a", {"seed": 3}, done=7))
    assert (run.label, run.seed, run.step, run.planned, run.finished) == ("made-up", 3, 7, 20, False)
    assert run.series("reward/mean")[0] == [1, 3, 5, 7]
    assert run.series("optim/grad_norm")[1][2] is None
    assert run.validated("v/accuracy")[0] == [0, 4]
    assert list(run.sets) == ["v"]
    assert run.seconds == pytest.approx(7 * 1.0 + 2 * 2.0)
    rows = run.validation_rows(4)
    assert rows is not None and len(rows) == 90
    assert run.validation_rows(5) is None


@pytest.mark.parametrize(
    "name", ["RECIPE_NAME", "METRICS_NAME", "EVAL_NAME", "VALIDATION_FOLDER", "COMPLETIONS_FOLDER"]
)
def test_reader_and_writer_name_the_files_alike(name: str) -> None:
    assert getattr(training_runs, name) == getattr(records, name)


def test_a_line_that_is_being_written_is_left_out(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "a", done=3)
    with (folder / "metrics.jsonl").open("a") as file:
        file.write('{"step": 4, "los')
    assert read_run(folder).step == 3


def test_a_run_without_a_label_is_called_by_its_folder(tmp_path: Path) -> None:
    assert read_run(write_run(tmp_path / "lambda-0.1", {"label": ""})).label == "lambda-0.1"


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({}, "holds no training run"),
        ({"drift.parquet": ""}, "holds a run of `semifactual drift`"),
        ({"recipe.yaml": "steps: 4"}, "has not done a step yet"),
        ({"recipe.yaml": "{"}, "is not YAML"),
        ({"recipe.yaml": "base: tiny-cpu"}, "is no resolved recipe"),
    ],
)
def test_a_folder_without_a_run_is_refused(tmp_path: Path, files: dict[str, str], sentence: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(SourceError, match=sentence):
        read_run(tmp_path)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="there is no folder"):
        read_run(tmp_path / "nowhere")
