"""Runs in chunks, with work that takes no model: what is kept, what is done again, what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from semifactual.drift import chunked
from semifactual.drift.begun import SUMMARY, Begun
from semifactual.drift.chunked import RunReport, run_in_chunks
from semifactual.drift.inputs import Inputs
from semifactual.errors import OutputError
from semifactual.pipeline.journal import JOURNAL_NAME, Journal
from semifactual.pipeline.records import to_json
from semifactual.pipeline.variants import VariantProblem, VariantSource

PROBLEMS = [VariantProblem(f"p{number}", "?", "1", {}, ()) for number in range(5)]


def source() -> VariantSource:
    return VariantSource(
        len(PROBLEMS), (), "abc", {}, ("A notice.",), lambda start=0: islice(iter(PROBLEMS), start, None)
    )


@dataclass
class Prepared:
    identity: dict[str, Any]


def assemble(out: Path, prepared: Prepared, journal: Journal) -> dict[str, Any]:
    names = [name for row in journal.rows() for name in row["names"]]
    summary = {"schema": 1, **prepared.identity, "names": names}
    (out / "rows.txt").write_text(" ".join(names))
    (out / SUMMARY).write_text(to_json(summary))
    journal.remove()
    return summary


def run(
    out: Path,
    *,
    seen: list[str] | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
    stages: Callable[[str], None] = lambda _: None,
    seed: int = 0,
    **config: int,
) -> RunReport:
    identity = {"command": "drift", "config": {"seed": seed, **config}}
    inputs = Inputs(Begun.look(out, "drift"), "{question}", source(), None, identity)

    def names(chunk: Sequence[VariantProblem]) -> dict[str, Any]:
        found = [problem.id for problem in chunk]
        if seen is not None:
            seen.extend(found)
        return {"names": found}

    return run_in_chunks(
        inputs,
        lambda: Prepared(identity),
        lambda prepared, verifier: names,
        partial(assemble, out),
        payload=("rows.txt",),
        on_progress=progress,
        on_stage=stages,
    )


@pytest.fixture(autouse=True)
def _two_problems_a_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunked, "PROBLEMS_PER_CHUNK", 2)


def test_progress_counts_problems_and_not_places_in_chunks(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    report = run(tmp_path / "run", progress=lambda *told_now: told.append(told_now))
    assert told == [(0, 5), (2, 5), (4, 5), (5, 5)]
    assert report.summary["names"] == [problem.id for problem in PROBLEMS]
    assert (report.notices, report.resumed_at, report.found_finished) == (("A notice.",), 0, False)
    assert not (tmp_path / "run" / JOURNAL_NAME).exists()


def test_what_was_finished_is_not_done_again(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "run", progress=stop)
    seen: list[str] = []
    report = run(tmp_path / "run", seen=seen)
    assert (seen, report.resumed_at) == (["p4"], 4)
    assert report.summary["names"] == [problem.id for problem in PROBLEMS]


def test_a_finished_run_is_found_unless_it_lost_a_file_or_was_another(tmp_path: Path) -> None:
    first = run(tmp_path / "run")
    seen: list[str] = []
    again = run(tmp_path / "run", seen=seen)
    assert again.found_finished and again.summary == first.summary and not seen
    with pytest.raises(OutputError, match=r"settings: seed: 0 -> 1"):
        run(tmp_path / "run", seed=1)
    (tmp_path / "run" / "rows.txt").unlink()
    with pytest.raises(OutputError, match=r"lacks rows\.txt"):
        run(tmp_path / "run")


def test_memory_and_resamples_may_change_before_the_end_and_the_latter_not_behind_it(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "run", progress=stop, tokens_per_batch=999, resamples=100)
    told: list[str] = []
    report = run(tmp_path / "run", stages=told.append, tokens_per_batch=10, resamples=200)
    assert (report.resumed_at, told) == (2, ["writing the report"])
    assert report.summary["config"] == {"seed": 0, "tokens_per_batch": 10, "resamples": 200}
    assert run(tmp_path / "run", tokens_per_batch=5, resamples=200).found_finished
    with pytest.raises(OutputError, match="settings: resamples: 200 -> 300") as caught:
        run(tmp_path / "run", resamples=300)
    assert caught.value.hint == "a finished run keeps its intervals: leave out --resamples, or choose another --out"


def test_a_run_of_another_command_is_told_alone(tmp_path: Path) -> None:
    run(tmp_path / "run")
    with pytest.raises(OutputError, match=r"holds a run of `semifactual drift`, not of `semifactual decode`$"):
        Begun.look(tmp_path / "run", "decode")


def test_a_changed_source_is_one_cause_and_no_cause_beside_the_option_that_changed_it(tmp_path: Path) -> None:
    before = {"config": {"limit": 5}, "source": {"description": "a", "sha256": "1" * 64, "problems": 5}}
    other = {"description": "b", "sha256": "2" * 64, "problems": 1}
    begun = Begun(tmp_path, before, None)
    with pytest.raises(OutputError, match=r": source: a \(5 problems, 11111111\) -> b \(1 problem, 22222222\)$"):
        begun.refuse({"config": {"limit": 5}, "source": other})
    with pytest.raises(OutputError, match=r"settings: limit: 5 -> 1$"):
        begun.refuse({"config": {"limit": 1}, "source": {**other, "description": "a"}})
