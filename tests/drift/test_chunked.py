"""Runs in chunks, with work that takes no model: what is kept, what is done again, what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from semifactual.drift import chunked
from semifactual.drift.chunked import SUMMARY, RunReport, run_in_chunks
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
    source: VariantSource = field(default_factory=source)
    identity: dict[str, Any] = field(default_factory=lambda: {"config": {"seed": 0}})


def assemble(out: Path, prepared: Prepared, journal: Journal) -> dict[str, Any]:
    names = [name for row in journal.rows() for name in row["names"]]
    summary = {"schema": 1, **prepared.identity, "names": names}
    (out / "rows.txt").write_text(" ".join(names))
    (out / SUMMARY).write_text(to_json(summary))
    journal.remove()
    return summary


def run(
    out: Path, *, seen: list[str] | None = None, progress: Callable[[int, int], None] = lambda *_: None, seed: int = 0
) -> RunReport:
    def names(chunk: Sequence[VariantProblem]) -> dict[str, Any]:
        found = [problem.id for problem in chunk]
        if seen is not None:
            seen.extend(found)
        return {"names": found}

    return run_in_chunks(
        out,
        lambda: Prepared(identity={"config": {"seed": seed}}),
        lambda prepared, verifier: names,
        partial(assemble, out),
        payload=("rows.txt",),
        on_progress=progress,
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
    with pytest.raises(OutputError, match=r"config\.seed: 0 -> 1"):
        run(tmp_path / "run", seed=1)
    (tmp_path / "run" / "rows.txt").unlink()
    with pytest.raises(OutputError, match=r"lacks rows\.txt"):
        run(tmp_path / "run")
