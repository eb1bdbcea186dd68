from __future__ import annotations

import json
from pathlib import Path

import pytest

from semifactual.errors import SourceError
from semifactual.pipeline.build import build
from semifactual.pipeline.config import BuildConfig
from semifactual.pipeline.dataset import made_problems, seen_problems

PROBLEMS = [
    {"id": "a", "question": "A gardener plants 4 rows of beans. How many rows does the gardener plant?", "answer": "4"},
    {"id": "b", "question": "A baker fills 6 trays with rolls. How many trays does the baker fill?", "answer": "6"},
]
KINDS = ("scenario_wrap", "typo_noise")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset as `build` makes it."""
    base = tmp_path_factory.mktemp("dataset")
    source = base / "problems.jsonl"
    source.write_text("".join(json.dumps(problem) + "\n" for problem in PROBLEMS), encoding="utf-8")
    return build(BuildConfig(source=str(source), kinds=KINDS, workers=1), base / "out").out


def test_rewrites_made_on_the_fly_are_those_of_a_build(folder: Path) -> None:
    built = list(seen_problems(folder, kind="typo_noise"))
    assert list(made_problems(str(folder.parent / "problems.jsonl"), kind="typo_noise")) == built
    assert list(made_problems(str(folder.parent / "problems.jsonl"), kind="typo_noise", row_id="b")) == built[1:]


def test_rows_come_in_order_with_their_rewrites(folder: Path) -> None:
    problems = list(seen_problems(folder))
    assert [(problem.id, problem.answer) for problem in problems] == [("a", "4"), ("b", "6")]
    assert [problem.problem for problem in problems] == [problem["question"] for problem in PROBLEMS]
    assert all(
        [rewrite.kind for rewrite in problem.rewrites] == ["scenario_wrap", "typo_noise"] for problem in problems
    )
    assert all(check.passed for problem in problems for rewrite in problem.rewrites for check in rewrite.checks)


def test_a_row_and_a_kind_can_be_picked(folder: Path) -> None:
    (problem,) = seen_problems(folder, row_id="b", kind="typo_noise")
    assert (problem.id, [rewrite.kind for rewrite in problem.rewrites]) == ("b", ["typo_noise"])


def test_json_holds_plain_values(folder: Path) -> None:
    problem = next(seen_problems(folder))
    assert json.loads(json.dumps(problem.to_json()))["rewrites"][0]["outcome"] == "valid"


@pytest.mark.parametrize("name", ["manifest.json", "rejected.jsonl", "train-00000-of-00001.parquet"])
def test_a_folder_that_lacks_a_part_is_an_error(folder: Path, tmp_path: Path, name: str) -> None:
    for path in folder.rglob("*"):
        copy = tmp_path / path.relative_to(folder)
        if path.is_dir():
            copy.mkdir()
        elif path.name != name:
            copy.write_bytes(path.read_bytes())
    with pytest.raises(SourceError, match=name):
        list(seen_problems(tmp_path, rejected=True))


def test_an_unknown_id_is_an_error(folder: Path) -> None:
    with pytest.raises(SourceError, match="'c'"):
        list(seen_problems(folder, row_id="c"))
    with pytest.raises(SourceError, match="'c'"):
        list(made_problems(str(folder.parent / "problems.jsonl"), row_id="c"))
