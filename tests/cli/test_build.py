from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from semifactual.cli.main import main
from semifactual.pipeline.assemble import PARQUET_NAME
from semifactual.pipeline.records import read_parquet

KINDS = ("--kinds", "typo_noise,irrelevant_context", "--workers", "1")


def problem_lines(count: int) -> list[str]:
    """Rows of different small problems, as JSON lines."""
    return [
        json.dumps({"question": f"A gardener plants {n} rows of beans. How many rows are there?", "answer": f"{n}"})
        for n in range(1, count + 1)
    ]


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    path = tmp_path / "problems.jsonl"
    path.write_text("\n".join(problem_lines(12)) + "\n")
    return path


def rows_of(out: Path) -> list[dict[str, object]]:
    return list(read_parquet(out / PARQUET_NAME))


def test_the_summary_says_what_was_guessed_and_what_was_covered(
    problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", str(problems), "--out", str(tmp_path / "out"), *KINDS]) == 0
    said = capsys.readouterr()
    assert "question" in said.out and "100.0%" in said.out and "12 rows" in said.out
    assert said.err == ""


def test_json_is_one_object(problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", str(problems), "--out", str(tmp_path / "out"), "--json", *KINDS]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["counts"]["rows"] == 12
    assert summary["found_finished"] is False


def test_the_same_command_again_says_that_it_is_done(
    problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["build", str(problems), "--out", str(tmp_path / "out"), *KINDS]
    assert main(command) == 0
    assert main(command) == 0
    assert "nothing to do" in capsys.readouterr().out
    assert main([*command, "--seed", "3"]) == 2
    assert "config.seed: 0 -> 3" in capsys.readouterr().err


def test_options_come_from_a_file_and_the_command_line_goes_over_it(problems: Path, tmp_path: Path) -> None:
    config = tmp_path / "build.yaml"
    config.write_text(f"source: {problems}\nkinds: [typo_noise]\nlimit: 5\nworkers: 1\n")
    assert main(["build", "--config", str(config), "--limit", "3", "--out", str(tmp_path / "out")]) == 0
    assert len(rows_of(tmp_path / "out")) == 3


def test_a_dry_run_prints_five_rows_and_writes_nothing(
    problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", str(problems), "--out", str(tmp_path / "out"), "--dry-run", *KINDS]) == 0
    assert capsys.readouterr().out.count("problem: ") == 5
    assert not (tmp_path / "out").exists()


def test_per_kind_makes_different_rewrites(problems: Path, tmp_path: Path) -> None:
    command = ["build", str(problems), "--out", str(tmp_path / "out"), "--per-kind", "3", *KINDS]
    assert main(command) == 0
    for row in rows_of(tmp_path / "out"):
        texts = [entry["text"] for entry in row["semifactuals"]]  # type: ignore[attr-defined]
        assert len(texts) == len(set(texts)) == 6


def test_families_stand_for_their_kinds_and_a_sealed_one_is_told_apart(
    problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["build", str(problems), "--out", str(tmp_path / "out"), "--workers", "1"]
    options = [
        "--kinds",
        "typo_noise,irrelevant_context,paraphrase",
        "--families",
        "surface",
        "--seal",
        "context",
        "--seal",
        "wording",
    ]
    assert main([*command, *options, "--json"]) == 0
    counts = json.loads(capsys.readouterr().out)["counts"]["kinds"]
    sealed = {kind for kind, count in counts.items() if count["sealed"]}
    assert {"irrelevant_context", "paraphrase"} <= sealed and "typo_noise" in counts.keys() - sealed
    for row in rows_of(tmp_path / "out"):
        assert {entry["kind"] for entry in row["evaluation_variants"]} <= sealed  # type: ignore[attr-defined]
        assert {entry["kind"] for entry in row["semifactuals"]}.isdisjoint(sealed)  # type: ignore[attr-defined]
    assert main([*command, *options]) == 0
    assert "irrelevant_context (sealed)" in capsys.readouterr().out
    assert main([*command, "--kinds", "typo_noise,irrelevant_context"]) == 2
    error = capsys.readouterr().err
    assert "config.seal: wording, context -> none; and " in error
    assert "templates.layout" not in error and " templates\nHint: " in error


def test_where_no_problem_is_left_the_kind_that_was_missing_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    problems = tmp_path / "problems.jsonl"
    problems.write_text('{"problem": "How many feet has one cat?", "answer": "4"}\n')
    command = ["build", str(problems), "--out", str(tmp_path / "out"), "--workers", "1", "--require-all"]
    assert main([*command, "--kinds", "typo_noise,notation"]) == 0
    told = "missing most often was notation, of which 1 rewrite could not be made"
    assert f"--require-all left no problem; {told}\n" in capsys.readouterr().out


def test_where_all_is_sealed_it_is_told(problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["build", str(problems), "--out", str(tmp_path / "out"), "--workers", "1", "--limit", "2"]
    assert main([*command, "--families", "surface", "--seal", "surface"]) == 0
    assert "every kind is sealed" in capsys.readouterr().out


def test_a_kind_is_no_family_but_has_one(problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", str(problems), "--out", str(tmp_path / "out"), "--seal", "register"]) == 2
    assert "register is a kind of the family wording" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--families", "--seal"])
def test_a_family_that_is_not_there_is_an_error_that_names_the_others(
    option: str, problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for family, said in (("word", "unknown family 'word'"), ("format", "no kind of the family 'format'")):
        assert main(["build", str(problems), "--out", str(tmp_path / "out"), option, family]) == 2
        error = capsys.readouterr().err
        assert said in error and "surface" in error.partition("Hint: ")[2]


def test_a_seal_in_a_config_file_holds_where_the_command_line_says_nothing(problems: Path, tmp_path: Path) -> None:
    config = tmp_path / "build.yaml"
    config.write_text(f"source: {problems}\nkinds: [typo_noise]\nseal: [surface]\nlimit: 2\nworkers: 1\n")
    assert main(["build", "--config", str(config), "--out", str(tmp_path / "out")]) == 0
    assert all(row["evaluation_variants"] and not row["semifactuals"] for row in rows_of(tmp_path / "out"))


def test_a_source_whose_answers_cannot_be_computed_is_built_and_told_of(
    problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", str(problems), "--out", str(tmp_path / "out"), "--counterfactuals", "2", *KINDS]) == 0
    assert "no counterfactual: no problem has" in capsys.readouterr().out


def with_bad_line(content: bytes) -> bytes:
    """A thousand rows, of which row 700 is `content`. One kind is made of them: it is reading that is tested."""
    lines = [line.encode() for line in problem_lines(1000)]
    lines[699] = content
    return b"\n".join(lines) + b"\n"


BAD_FILES: dict[str, Callable[[], bytes]] = {
    "broken.jsonl": lambda: with_bad_line(b'{"question": "Why?", "answer": '),
    "missing.jsonl": lambda: with_bad_line(b'{"question": "Why?"}'),
    "blank.jsonl": lambda: with_bad_line(b'{"question": "  ", "answer": "1"}'),
    "number.jsonl": lambda: with_bad_line(b'{"question": 5, "answer": "1"}'),
    "list.jsonl": lambda: with_bad_line(b"[1, 2]"),
    "nul.jsonl": lambda: with_bad_line(b'{"question": "Why\\u0000?", "answer": "1"}'),
    "encoding.jsonl": lambda: with_bad_line('{"question": "Wieviel Äpfel?", "answer": "1"}'.encode("latin-1")),
    "surrogate.jsonl": lambda: with_bad_line(b'{"question": "Why \\ud800?", "answer": "1"}'),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_line_700_stops_a_build_before_it_starts_or_is_skipped_and_counted(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / name, tmp_path / "out"
    path.write_bytes(BAD_FILES[name]())
    command = ["build", str(path), "--out", str(out), "--kinds", "irrelevant_context", "--workers", "1"]
    assert main(command) == 2
    said = capsys.readouterr().err
    assert name in said and "700" in said and "Traceback" not in said
    assert not out.exists()
    assert main([*command, "--skip-bad-rows"]) == 0
    assert len(rows_of(out)) == 999
    assert "1 rows that cannot be used were left out" in capsys.readouterr().out


UNUSABLE_FILES = {
    "empty.jsonl": b"",
    "pretend.parquet": b'{"question": "Why?", "answer": "1"}\n',
    "pretend.json": b"PAR1 and more",
    "conflict.jsonl": b'{"question": "Why?", "answer": "1"}\n{"question": "Why?", "answer": "2"}\n',
    "unknown.docx": b"Why?",
}


@pytest.mark.parametrize("name", UNUSABLE_FILES)
def test_an_unusable_file_is_one_clear_sentence(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / name).write_bytes(UNUSABLE_FILES[name])
    assert main(["build", str(tmp_path / name), "--out", str(tmp_path / "out"), *KINDS]) == 2
    said = capsys.readouterr().err
    assert said.startswith("Error: ") and name in said and "Traceback" not in said
    assert not (tmp_path / "out").exists()


def test_duplicates_are_merged_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "twice.jsonl"
    path.write_text("\n".join(problem_lines(4) * 2) + "\n")
    assert main(["build", str(path), "--out", str(tmp_path / "out"), "--json", *KINDS]) == 0
    assert json.loads(capsys.readouterr().out)["counts"]["rows"] == 4


def test_a_problem_of_a_megabyte_is_refused_or_skipped_like_any_bad_row(
    problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"question": "A clerk files some papers. " * 40_000 + "How many clerks are there?", "answer": "1"}
    problems.write_text(problems.read_text() + json.dumps(row) + "\n")
    command = ["build", str(problems), "--out", str(tmp_path / "out"), *KINDS]
    assert main(command) == 2
    assert "problems.jsonl:13 " in capsys.readouterr().err
    assert main([*command, "--skip-bad-rows"]) == 0
    assert len(rows_of(tmp_path / "out")) == 12


@pytest.mark.parametrize("kinds", ["sorcery", "typo_noise,typo_noise", ","])
def test_unusable_kinds_are_refused(
    kinds: str, problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", str(problems), "--out", str(tmp_path / "out"), "--kinds", kinds]) == 2
    assert capsys.readouterr().err.startswith("Error: ")
    assert not (tmp_path / "out").exists()


def test_a_build_without_a_folder_is_refused(problems: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", str(problems)]) == 2
    assert "--out" in capsys.readouterr().err


def test_a_folder_with_other_files_is_left_alone(
    problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "mine"
    out.mkdir()
    (out / "thesis.tex").write_text("mine")
    assert main(["build", str(problems), "--out", str(out), *KINDS]) == 2
    assert "thesis.tex" in capsys.readouterr().err
    assert [path.name for path in out.iterdir()] == ["thesis.tex"]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_folder_is_one_clear_sentence(
    problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o555)
    assert main(["build", str(problems), "--out", str(folder / "out"), *KINDS]) == 2
    assert "permission denied" in capsys.readouterr().err


def test_a_folder_below_a_file_cannot_be_made(
    problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", str(problems), "--out", str(problems / "out"), *KINDS]) == 2
    assert "not a folder" in capsys.readouterr().err


def test_ctrl_c_ends_a_build_cleanly_and_says_how_to_go_on(tmp_path: Path) -> None:
    path, out = tmp_path / "problems.jsonl", tmp_path / "out"
    path.write_text("\n".join(problem_lines(5000)) + "\n")
    options = ["--out", str(out), "--workers", "2", "--kinds", "typo_noise"]
    command = [sys.executable, "-m", "semifactual.cli.main", "build", str(path), *options]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    rows = out / ".journal" / "rows.jsonl"
    while process.poll() is None and not (rows.exists() and rows.stat().st_size):
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert said == "Error: interrupted; finished rows are kept\nHint: run the same command again to go on\n"


def test_a_kind_from_an_installed_plug_in_builds_and_checks(problems: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    install_plug_in(site)
    out = tmp_path / "out"
    command = [sys.executable, "-m", "semifactual.cli.main"]
    environment = {**os.environ, "PYTHONPATH": str(site)}
    # Two workers: a plug-in must be found in every process.
    build = [*command, "build", str(problems), "--out", str(out), "--kinds", "polite", "--workers", "2"]
    subprocess.run(build, env=environment, check=True, capture_output=True)
    entry = rows_of(out)[0]["semifactuals"][0]  # type: ignore[index]
    assert entry["text"].startswith("Kindly help. A gardener")
    assert entry["checks"] == ["kindly_first"]
    checked = subprocess.run([*command, "check", str(out), "--json"], env=environment, check=True, capture_output=True)
    assert json.loads(checked.stdout)["outcomes"] == {"polite": {"valid": 12}}


def install_plug_in(site: Path) -> None:
    """What pip would leave behind for a package with one module and one entry point."""
    metadata = site / "semifactual_polite-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: semifactual-polite\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[semifactual.interventions]\npolite = semifactual_polite\n")
    (site / "semifactual_polite.py").write_text(
        textwrap.dedent(
            """
            from semifactual.interventions.registry import intervention
            from semifactual.types import Draft, Family
            from semifactual.validate.contract import Contract, check
            from semifactual.validate.verdict import failed, passed

            OPENING = "Kindly help. "


            @check("kindly_first", "the original, with one polite sentence before it")
            def kindly_first(pair):
                return passed() if pair.rewrite.text == OPENING + pair.original.text else failed("no polite opening")


            @intervention(
                "polite",
                family=Family.CONTEXT,
                contract=Contract(checks=(kindly_first,)),
                summary="a polite opening",
                example=("Add 1 and 2.", "Kindly help. Add 1 and 2."),
            )
            def rewrite(original, rng):
                yield Draft(OPENING + original.text)
            """
        )
    )


def test_a_dry_run_says_none_only_of_a_kind_without_any_rewrite(
    problems: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kinds = ("--kinds", "typo_noise,paraphrase", "--per-kind", "40", "--workers", "1")
    assert main(["build", str(problems), "--limit", "1", "--dry-run", "--json", *kinds]) == 0
    (record,) = json.loads(capsys.readouterr().out)["rows"]
    made = {entry["kind"] for entry in record["semifactuals"]}
    assert 0 < len(record["semifactuals"]) < 80
    assert main(["build", str(problems), "--limit", "1", "--dry-run", *kinds]) == 0
    said = capsys.readouterr().out
    assert all((f"{kind}: none" in said) == (kind not in made) for kind in ("typo_noise", "paraphrase"))


def test_the_bar_for_answers_is_named_where_rewrites_failed_at_it(
    problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", str(problems), "--out", str(tmp_path / "out"), "--answer-check", "agreed"]) == 0
    assert "no rewrite entered the dataset; the bar for answers was --answer-check agreed" in capsys.readouterr().out
