from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import pytest

from semifactual.errors import OutputError
from semifactual.interventions.registry import Rewriter
from semifactual.pipeline import assemble
from semifactual.pipeline.build import build, preview
from semifactual.pipeline.config import BuildConfig
from semifactual.pipeline.journal import JOURNAL_NAME
from semifactual.pipeline.records import read_parquet
from semifactual.text.document import Document
from semifactual.types import Draft

build_module = import_module("semifactual.pipeline.build")

PARQUET = assemble.PARQUET_NAME
KINDS = ("typo_noise", "scenario_wrap")


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("problems") / "problems.jsonl"
    rows = [
        {
            "question": f"A baker packs {n} boxes with {n + 3} rolls each and sells half of the rolls before noon. "
            "How many rolls does the baker have left?",
            "answer": f"There are {n}*{n + 3} rolls.\n#### {n * (n + 3) / 2:g}",
            "shelf": n % 7,
        }
        for n in range(1, 151)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def undisturbed(problems: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    build(config_of(problems, workers=1), out)
    return out


def config_of(problems: Path, **options: Any) -> BuildConfig:
    return BuildConfig(source=str(problems), **{"kinds": KINDS, "workers": 1, **options})


def files_of(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def test_a_build_has_every_file_and_every_row_in_order(problems: Path, undisturbed: Path) -> None:
    assert set(files_of(undisturbed)) == {"README.md", PARQUET, "manifest.json", "rejected.jsonl"}
    rows = list(read_parquet(undisturbed / PARQUET))
    asked = [json.loads(line)["question"] for line in problems.read_text().splitlines()]
    assert [row["problem"] for row in rows] == asked
    assert len({row["id"] for row in rows}) == len(rows)
    assert [entry["kind"] for entry in rows[0]["semifactuals"]] == list(KINDS)
    assert rows[1]["answer"] == "5"
    assert json.loads(rows[8]["metadata"])["shelf"] == 2


def test_the_manifest_counts_what_the_rows_hold(problems: Path, undisturbed: Path) -> None:
    manifest = json.loads((undisturbed / "manifest.json").read_text())
    rows = list(read_parquet(undisturbed / PARQUET))
    rejected = [json.loads(line) for line in (undisturbed / "rejected.jsonl").read_text().splitlines()]
    for kind, counts in manifest["counts"]["kinds"].items():
        held = sum(entry["kind"] == kind for row in rows for entry in row["semifactuals"])
        assert (counts["valid"], counts["missing"]) == (held, len(rows) - held)
        assert counts["rejected"] == sum(rejection["kind"] == kind for rejection in rejected)
    assert manifest["config"] == config_of(problems).identity()
    assert len(manifest["source_sha256"]) == 64


def test_datasets_loads_the_folder_with_schema_1(undisturbed: Path, tmp_path: Path) -> None:
    import datasets

    loaded = datasets.load_dataset(str(undisturbed), cache_dir=str(tmp_path))
    assert list(loaded) == ["train"]
    assert loaded["train"].to_list() == list(read_parquet(undisturbed / PARQUET))


def test_two_workers_make_the_same_bytes_as_one(problems: Path, undisturbed: Path, tmp_path: Path) -> None:
    build(config_of(problems, workers=2), tmp_path / "out")
    assert files_of(tmp_path / "out") == files_of(undisturbed)


def test_hash_seeds_do_not_matter(problems: Path, undisturbed: Path, tmp_path: Path) -> None:
    assert run_build(problems, tmp_path / "out", hash_seed="7").wait() == 0
    assert files_of(tmp_path / "out") == files_of(undisturbed)


def test_killed_builds_resume_to_the_same_bytes(problems: Path, undisturbed: Path, tmp_path: Path) -> None:
    kill_and_resume(problems, undisturbed, tmp_path, rounds=2)


@pytest.mark.demand
def test_killed_builds_resume_to_the_same_bytes_ten_times(problems: Path, undisturbed: Path, tmp_path: Path) -> None:
    kill_and_resume(problems, undisturbed, tmp_path, rounds=10)


def kill_and_resume(problems: Path, undisturbed: Path, folder: Path, rounds: int) -> None:
    """Kill a build at a random moment after its first journalled rows, let the same command finish it, compare."""
    moments = random.Random(rounds)
    for number in range(rounds):
        out = folder / str(number)
        process = run_build(problems, out)
        wait_for_rows(out, process)
        time.sleep(moments.uniform(0, 0.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert run_build(problems, out).wait() == 0
        assert files_of(out)[PARQUET] == files_of(undisturbed)[PARQUET]
        assert files_of(out)["rejected.jsonl"] == files_of(undisturbed)["rejected.jsonl"]


def run_build(problems: Path, out: Path, *, hash_seed: str = "0") -> subprocess.Popen[bytes]:
    options = ["--out", str(out), "--workers", "2", "--kinds", ",".join(KINDS)]
    return subprocess.Popen(
        [sys.executable, "-m", "semifactual.cli.main", "build", str(problems), *options],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # the resource tracker complains of what a killed process left behind
    )


def wait_for_rows(out: Path, process: subprocess.Popen[bytes]) -> None:
    rows = out / JOURNAL_NAME / "rows.jsonl"
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        if (rows.exists() and rows.stat().st_size) or (out / "manifest.json").exists():
            return
        time.sleep(0.005)


def test_a_finished_folder_is_left_alone(problems: Path, undisturbed: Path) -> None:
    before = files_of(undisturbed)
    report = build(config_of(problems), undisturbed)
    assert report.found_finished
    assert files_of(undisturbed) == before


def test_a_build_killed_behind_its_last_file_is_finished(problems: Path, tmp_path: Path, exclaim_kind: str) -> None:
    config = config_of(problems, kinds=(exclaim_kind,), limit=3)
    build(config, tmp_path / "out")
    before = files_of(tmp_path / "out")
    (tmp_path / "out" / JOURNAL_NAME).mkdir()
    (tmp_path / "out" / JOURNAL_NAME / "rows.jsonl").write_text("{}\n")
    assert build(config, tmp_path / "out").found_finished
    assert files_of(tmp_path / "out") == before


def test_a_changed_config_or_source_is_refused_with_the_difference(
    problems: Path, undisturbed: Path, tmp_path: Path
) -> None:
    with pytest.raises(OutputError, match=r"config\.seed: 0 -> 1"):
        build(config_of(problems, seed=1), undisturbed)
    copy = tmp_path / "problems.jsonl"
    copy.write_text(problems.read_text())
    out = tmp_path / "out"
    build(config_of(copy, limit=3), out)
    copy.write_text(problems.read_text().replace("baker", "cook"))
    with pytest.raises(OutputError, match="source_sha256: "):
        build(config_of(copy, limit=3), out)


def test_a_moved_source_is_the_same_source_and_a_renamed_one_is_not(
    problems: Path, tmp_path: Path, exclaim_kind: str
) -> None:
    out, settings = tmp_path / "out", {"kinds": (exclaim_kind,), "limit": 3}
    manifest = build(config_of(problems, **settings), out).manifest
    assert manifest["config"]["source"] == str(problems)
    moved = tmp_path / problems.name
    moved.write_bytes(problems.read_bytes())
    assert build(config_of(moved, **settings), out).found_finished
    with pytest.raises(OutputError, match="source_name: problems -> renamed"):
        build(config_of(moved.rename(tmp_path / "renamed.jsonl"), **settings), out)


@pytest.mark.parametrize("library", ["pyspellchecker", "sympy"])
def test_another_version_of_a_library_is_another_dataset(
    library: str, problems: Path, tmp_path: Path, exclaim_kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = config_of(problems, kinds=(exclaim_kind,), limit=3)
    assert library in build(config, tmp_path / "out").manifest["versions"]
    monkeypatch.setattr(build_module, "version", lambda name: "0" if name == library else metadata.version(name))
    with pytest.raises(OutputError, match=rf"versions\.{library}: .* -> 0"):
        build(config, tmp_path / "out")


@pytest.mark.parametrize("name", assemble.PAYLOAD)
def test_a_finished_folder_that_lost_a_file_is_not_called_finished(
    name: str, problems: Path, tmp_path: Path, exclaim_kind: str
) -> None:
    config = config_of(problems, kinds=(exclaim_kind,), limit=3)
    build(config, tmp_path / "out")
    (tmp_path / "out" / name).unlink()
    with pytest.raises(OutputError, match=f"lacks {name}"):
        build(config, tmp_path / "out")


def test_a_disk_that_fills_while_assembling_loses_nothing(
    problems: Path, tmp_path: Path, undisturbed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(path: Path, records: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(assemble, "write_parquet", full_disk)
        with pytest.raises(OutputError, match="the disk is full"):
            build(config_of(problems), tmp_path / "out")
    report = build(config_of(problems), tmp_path / "out")
    assert report.resumed_at == 150
    assert files_of(tmp_path / "out") == files_of(undisturbed)


def test_require_all_drops_and_counts_rows_that_lack_a_kind(
    problems: Path, tmp_path: Path, register: Callable[[Rewriter], str]
) -> None:
    def shout(original: Document, rng: random.Random) -> Iterator[Draft]:
        yield Draft(original.text + "!!!!")

    config = config_of(problems, kinds=(register(shout),), limit=4, require_all=True)
    counts = build(config, tmp_path / "out").manifest["counts"]
    assert (counts["problems"], counts["rows"], counts["dropped_by_require_all"]) == (4, 0, 4)
    assert counts["kinds"]["shout"]["missing"] == 4


def test_require_all_keeps_a_row_with_fewer_rewrites_of_a_kind_than_wanted(
    problems: Path, tmp_path: Path, exclaim_kind: str
) -> None:
    config = config_of(problems, kinds=(exclaim_kind,), per_kind=3, limit=4, require_all=True)
    counts = build(config, tmp_path / "out").manifest["counts"]
    assert (counts["rows"], counts["dropped_by_require_all"], counts["kinds"]["exclaim"]["missing"]) == (4, 0, 4)


def test_progress_tells_every_finished_problem(problems: Path, tmp_path: Path, exclaim_kind: str) -> None:
    told: list[tuple[int, int]] = []
    build(
        config_of(problems, kinds=(exclaim_kind,), limit=50),
        tmp_path / "out",
        on_progress=lambda done, total: told.append((done, total)),
    )
    assert told[0] == (0, 50)
    assert told[-1] == (50, 50)


def test_a_preview_is_what_a_build_would_make(problems: Path, undisturbed: Path) -> None:
    rows = preview(config_of(problems), 5)
    assert [row["record"] for row in rows] == list(read_parquet(undisturbed / PARQUET))[:5]


def test_an_interrupt_leaves_a_journal_that_resumes(
    problems: Path, tmp_path: Path, register: Callable[..., str], exclaim_kind: str
) -> None:
    def stop_at_50(done: int, total: int) -> None:
        if done >= 50:
            raise KeyboardInterrupt

    config = config_of(problems, kinds=(exclaim_kind,))
    with pytest.raises(KeyboardInterrupt):
        build(config, tmp_path / "out", on_progress=stop_at_50)
    assert 50 <= build(config, tmp_path / "out").resumed_at < 150


def test_a_sealed_family_is_made_alike_and_kept_apart(problems: Path, undisturbed: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    manifest = build(config_of(problems, seal="surface"), out).manifest
    assert manifest["config"]["seal"] == ["surface"]
    counts = manifest["counts"]["kinds"]
    assert {kind for kind in counts if counts[kind]["sealed"]} == {"typo_noise"}
    for row, open_row in zip(read_parquet(out / PARQUET), read_parquet(undisturbed / PARQUET), strict=True):
        typos = [entry for entry in open_row["semifactuals"] if entry["kind"] == "typo_noise"]
        wanted = [{"kind": "typo_noise", "text": entry["text"], "answer": row["answer"]} for entry in typos]
        assert row["evaluation_variants"] == wanted
        assert row["semifactuals"] == [entry for entry in open_row["semifactuals"] if entry not in typos]
    whole = json.loads((undisturbed / "manifest.json").read_text())["counts"]["kinds"]
    assert {kind: {**counts[kind], "sealed": False} for kind in counts} == whole
    assert "Sealed for evaluation: `typo_noise`" in (out / "README.md").read_text()


def test_another_seal_is_another_dataset(problems: Path, undisturbed: Path) -> None:
    with pytest.raises(OutputError, match=r"config\.seal: none -> surface"):
        build(config_of(problems, seal="surface"), undisturbed)


def test_sealed_kinds_count_where_all_are_required(
    problems: Path, tmp_path: Path, register: Callable[[Rewriter], str]
) -> None:
    def shout(original: Document, rng: random.Random) -> Iterator[Draft]:
        yield Draft(original.text + "!" * (4 if "packs 1 " in original.text else 1))

    config = config_of(problems, kinds=(register(shout),), seal="surface", limit=4, require_all=True)
    counts = build(config, tmp_path / "out").manifest["counts"]
    assert (counts["rows"], counts["dropped_by_require_all"]) == (3, 1)
    assert (counts["kinds"]["shout"]["valid"], counts["kinds"]["shout"]["problems_covered"]) == (3, 3)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Problems whose steps are annotated, one that sympy solves, and one of which nothing more is known."""
    path = tmp_path_factory.mktemp("solved") / "solved.jsonl"
    rows = [
        {
            "question": f"Ines packs {n} crates with {n + 7} candles each. How many candles does she pack?",
            "answer": f"{n}*{n + 7}=<<{n}*{n + 7}={n * (n + 7)}>>{n * (n + 7)}\n#### {n * (n + 7)}",
        }
        for n in range(20, 60)
    ]
    rows += [{"question": "Compute $17 \\cdot 21$.", "answer": "357"}, {"question": "Who has 3 figs?", "answer": "Al"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_counterfactuals_of_any_source_and_what_has_none_is_counted(solved: Path, tmp_path: Path) -> None:
    config = config_of(solved, kinds=("irrelevant_context",), counterfactuals=2)
    counts = build(config, tmp_path / "one").manifest["counts"]
    rows = list(read_parquet(tmp_path / "one" / PARQUET))
    assert counts["counterfactuals"] == sum(len(row["counterfactuals"]) for row in rows) >= 2 * 35
    assert counts["without_counterfactuals"] == sum(not row["counterfactuals"] for row in rows) >= 1
    assert rows[-1]["counterfactuals"] == [] != rows[-2]["counterfactuals"]
    assert all(made["answer"] != row["answer"] for row in rows for made in row["counterfactuals"])
    build(config_of(solved, kinds=("irrelevant_context",), counterfactuals=2, workers=2), tmp_path / "two")
    assert files_of(tmp_path / "two") == files_of(tmp_path / "one")


def test_rows_without_a_counterfactual_count_only_where_one_is_wanted(problems: Path, undisturbed: Path) -> None:
    counts = json.loads((undisturbed / "manifest.json").read_text())["counts"]
    assert (counts["counterfactuals"], counts["without_counterfactuals"]) == (0, 0)


def test_counterfactuals_of_a_builtin_source_change_text_and_answer(tmp_path: Path) -> None:
    config = BuildConfig(
        source="builtin:word_problems?n=20", kinds=("irrelevant_context",), counterfactuals=1, workers=1
    )
    report = build(config, tmp_path / "out")
    rows = list(read_parquet(tmp_path / "out" / PARQUET))
    assert len(rows) == 20
    assert report.manifest["counts"]["counterfactuals"] == sum(len(row["counterfactuals"]) for row in rows) >= 18
    for row in rows:
        assert [entry["answer_check"] for entry in row["semifactuals"]] == ["rederived"]
        for counterfactual in row["counterfactuals"]:
            assert counterfactual["text"] != row["problem"]
            assert counterfactual["answer"] != row["answer"]
