from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command, Ran
from tests.drift.tiny import save_model, write_problems

QUICK = ("--samples", "2", "--max-new-tokens", "5", "--kinds", "typo_noise,scenario_wrap", "--resamples", "100")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    return write_problems(tmp_path / "pens.jsonl", 3)


@pytest.fixture
def run(command: Command, model: Path, problems: Path, tmp_path: Path) -> Ran:
    return command("drift", problems, "--model", model, "--out", tmp_path / "run", *QUICK)


def test_the_summary_is_a_table_by_kind_and_by_category(run: Ran, tmp_path: Path) -> None:
    assert (run.code, run.err) == (0, "")
    printed = run.out.splitlines()
    assert "6 responses to 3 problems, 30 tokens; 0.0% right; " in run.out
    (heading,) = [line for line in printed if line.startswith("kind ")]
    columns = [part.strip() for part in heading.split("  ") if part.strip()]
    assert columns == ["kind", "drift", "95 % interval", "noise floor", "one-sided POSIX", "contrast"]
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    rows = {
        line.split()[0]: line.split() for line in printed if line.startswith(("typo_noise", "scenario_wrap", "all"))
    }
    assert list(rows) == ["typo_noise", "scenario_wrap", "all"]
    for kind, found in summary["kinds"].items():
        assert float(rows[kind][1]) == pytest.approx(found["drift"]["mean"], rel=0.01)
        assert float(rows[kind][-1]) == pytest.approx(found["contrast"]["mean"], rel=0.06)
    assert float(rows["all"][1]) == pytest.approx(summary["drift"]["mean"], rel=0.01)
    assert any(line.startswith("category ") for line in printed)
    assert "note: The intervals rest on 3 problems" in run.out
    assert str(tmp_path / "run" / "report.html") in printed[-1]


def test_json_is_the_summary_and_a_second_call_finds_it(
    run: Ran, command: Command, model: Path, problems: Path, tmp_path: Path
) -> None:
    again = command("drift", problems, "--model", model, "--out", tmp_path / "run", *QUICK, "--json")
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert again.json == {"out": str(tmp_path / "run"), "found_finished": True, "resumed_at": 0, **summary}
    third = command("drift", problems, "--model", model, "--out", tmp_path / "run", *QUICK)
    assert "holds this run already; nothing to do" in third.out


def test_given_responses_are_scored(command: Command, model: Path, problems: Path, tmp_path: Path) -> None:
    given = tmp_path / "given.jsonl"
    given.write_text(json.dumps({"problem_id": "p1", "text": "So \\boxed{5}."}) + "\n")
    ran = command("drift", problems, "--model", model, "--out", tmp_path / "run", "--responses", given)
    assert ran.code == 0, ran.err
    assert "1 responses to 1 problems" in ran.out and "100.0% right" in ran.out
    assert "note: 2 problems have no given response and were left out." in ran.out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--kinds", "nonsense"], "unknown kind of intervention 'nonsense'"),
        (["--samples", "0"], "samples"),
        (["--prompt", "nowhere"], "there is no prompt template 'nowhere'"),
        (["--responses", "nowhere.jsonl"], "there is no file or folder nowhere.jsonl"),
        (["--chat", "always"], "the tokenizer has no chat template"),
        (["--device", "abacus"], "the device 'abacus' cannot be used"),
        (["--seed", "x"], "Invalid value for '--seed'"),
    ],
)
def test_a_wrong_call_ends_with_one_sentence(
    command: Command, model: Path, problems: Path, tmp_path: Path, options: list[str], sentence: str
) -> None:
    ran = command("drift", problems, "--model", model, "--out", tmp_path / "run", *options)
    assert ran.code == 2
    assert ran.err.startswith("Error: ") and sentence in ran.err
    assert "Traceback" not in ran.err and ran.out == ""
    assert not (tmp_path / "run").exists()


def test_a_model_that_is_not_there_is_no_hub_id(command: Command, problems: Path, tmp_path: Path) -> None:
    ran = command("drift", problems, "--model", tmp_path / "nowhere", "--out", tmp_path / "run")
    assert (ran.code, ran.err.splitlines()[0]) == (2, f"Error: there is no folder {tmp_path / 'nowhere'}")
