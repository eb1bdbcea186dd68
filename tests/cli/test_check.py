from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from semifactual.cli.main import main
from semifactual.pipeline import judging
from semifactual.types import AnswerCheck

PROBLEM = "A gardener plants 4 rows of beans and 3 rows of peas. How many rows does the gardener plant?"
GOOD = PROBLEM + " Gravel is gravel."
BAD = PROBLEM.replace("3 rows", "5 rows") + " Gravel is gravel."


def pair(rewrite: str, **other: Any) -> dict[str, Any]:
    return {"id": "g:1", "problem": PROBLEM, "rewrite": rewrite, "kind": "irrelevant_context", "answer": "7", **other}


def write_rows(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_verdicts_come_a_row_each_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_rows(tmp_path / "pairs.jsonl", pair(GOOD), pair(BAD, id="g:2"))
    assert main(["check", str(file), "--out", str(tmp_path / "verdicts.jsonl")]) == 0
    verdicts = [json.loads(line) for line in (tmp_path / "verdicts.jsonl").read_text().splitlines()]
    assert [(v["row"], v["id"], v["kind"], v["outcome"]) for v in verdicts] == [
        (0, "g:1", "irrelevant_context", "valid"),
        (1, "g:2", "irrelevant_context", "invalid"),
    ]
    assert list(verdicts[0]) == ["row", "id", "kind", "outcome", "answer_check", "checks"]
    assert all(set(check) == {"name", "passed", "evidence"} for v in verdicts for check in v["checks"])
    assert any(check["passed"] is False and check["evidence"] for check in verdicts[1]["checks"])
    assert "1 of 2 rewrites are valid" in capsys.readouterr().out


def test_two_workers_write_the_same_verdicts(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "pairs.jsonl", *(pair(GOOD if n % 3 else BAD, id=f"g:{n}") for n in range(100)))
    for workers in ("1", "2"):
        assert main(["check", str(file), "--out", str(tmp_path / workers), "--workers", workers]) == 0
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
    assert (tmp_path / "1").read_text().count("\n") == 100


@pytest.mark.parametrize(("rewrite", "code"), [(GOOD, 0), (BAD, 1)])
def test_fail_on_reject_decides_the_exit_code(rewrite: str, code: int, tmp_path: Path) -> None:
    file = write_rows(tmp_path / "pairs.jsonl", pair(rewrite))
    assert main(["check", str(file), "--fail-on-reject"]) == code


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (("original", "perturbed", "type"), ()),
        (("problem", "text", "kind"), ()),
        (("p", "r", "k"), ("--problem-field", "p", "--rewrite-field", "r", "--kind-field", "k")),
        (("problem", "rewrite", None), ("--kind", "irrelevant_context")),
    ],
)
def test_fields_go_by_usual_or_given_names(
    names: tuple[str, str, str | None], options: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {names[0]: PROBLEM, names[1]: GOOD} | ({names[2]: "irrelevant_context"} if names[2] else {})
    file = write_rows(tmp_path / "pairs.jsonl", row)
    assert main(["check", str(file), "--json", *options]) == 0
    assert json.loads(capsys.readouterr().out)["outcomes"] == {"irrelevant_context": {"valid": 1}}


@pytest.mark.parametrize(
    "row",
    [
        {"problem": PROBLEM, "rewrite": GOOD},
        {"problem": PROBLEM, "kind": "irrelevant_context"},
        {"rewrite": GOOD, "kind": "irrelevant_context"},
        {"problem": PROBLEM, "rewrite": GOOD, "kind": "sorcery"},
        {"problem": PROBLEM, "rewrite": 5, "kind": "irrelevant_context"},
        {"problem": PROBLEM, "rewrite": " ", "kind": "irrelevant_context"},
    ],
)
def test_a_bad_row_is_named_with_its_line_or_skipped_and_counted(
    row: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_rows(tmp_path / "pairs.jsonl", pair(GOOD), row)
    out = tmp_path / "verdicts.jsonl"
    assert main(["check", str(file), "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert "pairs.jsonl:2 " in said
    assert not out.exists()
    assert main(["check", str(file), "--skip-bad-rows", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["rows"], summary["skipped"]) == (1, 1)


def test_a_built_dataset_passes_its_own_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    problems = write_rows(tmp_path / "problems.jsonl", {"problem": PROBLEM, "answer": "7"})
    kinds = "typo_noise,irrelevant_context"
    assert main(["build", str(problems), "--out", str(tmp_path / "out"), "--kinds", kinds, "--workers", "1"]) == 0
    capsys.readouterr()
    assert main(["check", str(tmp_path / "out"), "--fail-on-reject", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 2


@pytest.mark.parametrize(
    ("rewrites", "said"), [([GOOD], "1 of 1 rewrite is valid"), ([BAD], "0 of 1 rewrite is valid")]
)
def test_one_is_told_as_one(rewrites: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_rows(tmp_path / "pairs.jsonl", *map(pair, rewrites), pair("", id="empty"))
    assert main(["check", str(file), "--skip-bad-rows"]) == 0
    assert f"{said}; 1 unusable row left out\n" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--out", "--html"])
def test_what_would_be_overwritten_is_told_by_its_option(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_rows(tmp_path / "pairs.jsonl", pair(GOOD))
    assert main(["check", str(file), option, str(file)]) == 2
    assert capsys.readouterr().err.endswith(f"Hint: choose another {option}\n")


def test_a_mode_that_is_not_there_is_told_without_the_librarys_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_rows(tmp_path / "pairs.jsonl", pair(GOOD))
    assert main(["check", str(file), "--mode", "loose"]) == 2
    error = capsys.readouterr().err
    assert "'loose' is not one of 'frozen', 'semantic'" in error and "Value error" not in error


def test_a_kind_for_all_rows_that_is_not_there_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_rows(tmp_path / "pairs.jsonl", pair(GOOD))
    assert main(["check", str(file), "--kind", "parafrase"]) == 2
    error = capsys.readouterr().err
    assert "pairs.jsonl" not in error and "paraphrase" in error


def test_verdicts_that_cannot_be_written_are_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_rows(tmp_path / "pairs.jsonl", pair(GOOD))
    assert main(["check", str(file), "--out", str(tmp_path / "none" / "verdicts.jsonl")]) == 2
    assert capsys.readouterr().err.startswith("Error: cannot write")


@pytest.mark.parametrize("workers", ["0", "-4"])
def test_there_is_at_least_one_worker(workers: str, tmp_path: Path) -> None:
    file = write_rows(tmp_path / "pairs.jsonl", pair(GOOD))
    assert main(["check", str(file), "--workers", workers]) == 2


def test_a_valid_rewrite_with_a_refuted_answer_fails_the_gate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "answer_check", lambda problem, pair: AnswerCheck.REFUTED)
    file = write_rows(tmp_path / "pairs.jsonl", pair(GOOD), pair(BAD))
    assert main(["check", str(file), "--fail-on-reject"]) == 1
    assert "1 of 2 rewrites are valid, but the answer of 1 is refuted" in capsys.readouterr().out
