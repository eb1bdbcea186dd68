from __future__ import annotations

import json
from pathlib import Path

import pytest

from semifactual.answers import Verifier
from semifactual.errors import SourceError
from semifactual.pipeline.verifying import verify_file


def write(path: Path, *rows: dict[str, object]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_order_and_verdicts_do_not_depend_on_the_workers(tmp_path: Path) -> None:
    rows = [{"id": f"c{n}", "gold": str(n), "answer": str(n if n % 3 else n + 1)} for n in range(150)]
    source = write(tmp_path / "cases.jsonl", *rows)
    written = []
    for workers in (1, 3):
        out = tmp_path / f"{workers}.jsonl"
        with Verifier(workers=workers) as verifier:
            report = verify_file(source, out, verifier=verifier, workers=workers)
        assert (report.cases, report.unequal, report.outcomes) == (150, 50, {"different": 50, "equal": 100})
        verdicts = [json.loads(line) for line in out.read_text().splitlines()]
        written.append([(verdict["id"], verdict["equivalent"]) for verdict in verdicts])
    assert written[0] == written[1]
    assert [name for name, _ in written[0]] == [row["id"] for row in rows]


def test_progress_and_bad_golds(tmp_path: Path) -> None:
    source = write(tmp_path / "cases.jsonl", {"gold": "5", "answer": "5"}, {"gold": "\x00", "answer": "5"})
    seen: list[tuple[int, int]] = []
    with Verifier() as verifier:
        report = verify_file(source, verifier=verifier, on_progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]
    assert report.unverifiable_golds == ("1",)


def test_a_file_without_cases(tmp_path: Path) -> None:
    with Verifier() as verifier, pytest.raises(SourceError):
        verify_file(write(tmp_path / "cases.jsonl"), verifier=verifier)
