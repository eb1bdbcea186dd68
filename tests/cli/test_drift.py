from __future__ import annotations

import json
import subprocess
import sys
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
    assert "1 response to 1 problem, " in ran.out and "100.0% right" in ran.out
    assert "note: 2 problems without a given response left out." in ran.out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--kinds", "nonsense"], "unknown kind of intervention 'nonsense'"),
        (["--samples", "0"], "--samples must be 1 or more, not 0"),
        (["--seed", "-1"], "--seed must be 0 or more, not -1"),
        (["--max-new-tokens", "0"], "--max-new-tokens must be 1 or more, not 0"),
        (["--top-p", "0"], "--top-p must be above 0, not 0.0"),
        (["--model", ""], "--model must not be empty"),
        (["--chat", "maybe"], "--chat must be 'auto', 'always' or 'never', not maybe"),
        (["--dtype", "int8"], "there is no dtype 'int8'"),
        (["--prompt", "nowhere"], "there is no prompt template 'nowhere'"),
        (["--responses", "nowhere.jsonl"], "there is no file nowhere.jsonl, which --responses names"),
        (["--chat", "always"], "the tokenizer has no chat template"),
        (["--device", "abacus"], "there is no device 'abacus'"),
        (["--seed", "x"], "Invalid value for '--seed'"),
    ],
)
def test_a_wrong_call_ends_with_one_sentence(
    command: Command, model: Path, problems: Path, tmp_path: Path, options: list[str], sentence: str
) -> None:
    ran = command("drift", problems, "--model", model, "--out", tmp_path / "run", *options)
    assert ran.code == 2
    assert ran.err.startswith("Error: ") and sentence in ran.err
    assert "Traceback" not in ran.err and (ran.out == "" or "--chat" in options)  # only the model knows that one
    assert not (tmp_path / "run").exists()


def test_a_model_that_is_not_there_is_no_hub_id(command: Command, problems: Path, tmp_path: Path) -> None:
    ran = command("drift", problems, "--model", tmp_path / "nowhere", "--out", tmp_path / "run")
    assert (ran.code, ran.err.splitlines()[0]) == (2, f"Error: there is no folder {tmp_path / 'nowhere'}")


def test_responses_that_decode_wrote_are_refused_with_a_way_out(
    command: Command, model: Path, problems: Path, tmp_path: Path
) -> None:
    given = tmp_path / "decode.jsonl"
    given.write_text(json.dumps({"problem_id": "p1", "method": "greedy", "sample": 0, "text": "5"}) + "\n")
    ran = command("drift", problems, "--model", model, "--out", tmp_path / "run", "--responses", given)
    assert (ran.code, ran.out) == (2, "")
    assert "holds responses of several methods (its rows have a method, such as 'greedy')" in ran.err
    assert "select(.method ==" in ran.err


def test_what_is_read_is_said_with_the_field_of_the_responses(
    command: Command, model: Path, problems: Path, tmp_path: Path
) -> None:
    given = tmp_path / "given.jsonl"
    given.write_text(json.dumps({"problem_id": "p1", "response": "5"}) + "\n")
    ran = command("drift", problems, "--model", model, "--out", tmp_path / "run", "--responses", given)
    assert "given.jsonl: responses from response (guessed)." in ran.out


def test_without_a_terminal_a_line_now_and_then_and_none_with_json(
    command: Command, model: Path, problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("semifactual.cli.model_runs.SECONDS_BETWEEN_LINES", 0.0)
    ran = command("drift", problems, "--model", model, "--out", tmp_path / "run", *QUICK)
    assert ran.err.splitlines() == ["0 of 3 problems finished", "3 of 3 problems finished"]
    ran = command("drift", problems, "--model", model, "--out", tmp_path / "other", *QUICK, "--json")
    assert ran.err == ""


def test_a_run_of_another_command_is_told_first(run: Ran, command: Command, problems: Path, tmp_path: Path) -> None:
    assert run.code == 0
    ran = command("decode", problems, "--model", "builtin:nothing", "--out", tmp_path / "run")
    assert ran.err.splitlines()[0] == (
        f"Error: {tmp_path / 'run'} holds a run of `semifactual drift`, not of `semifactual decode`"
    )


def test_names_and_paths_and_settings_are_looked_at_before_torch_is_imported(run: Ran, tmp_path: Path) -> None:
    assert run.code == 0
    script = """
import sys
from pathlib import Path
from semifactual.drift.config import load_config
from semifactual.drift.inputs import open_inputs
from semifactual.errors import OutputError
config = load_config({"source": sys.argv[1], "model": "builtin:tiny", "kinds": "typo_noise,scenario_wrap"})
try:
    open_inputs(config, Path(sys.argv[2]), "drift")
except OutputError as error:
    print(error)
print({"torch", "transformers"} & set(sys.modules))
"""
    found = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "pens.jsonl", tmp_path / "run"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    refusal, imported = found.stdout.splitlines()
    assert "samples: 2 -> 8" in refusal and imported == "set()"
