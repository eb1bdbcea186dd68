from __future__ import annotations

import json
from pathlib import Path

import pytest

from semifactual.answers import Verifier
from semifactual.errors import OutputError, SourceError
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


def test_half_of_a_surrogate_pair_is_a_case_like_any_other(tmp_path: Path) -> None:
    out = tmp_path / "verdicts.jsonl"
    with Verifier() as verifier:
        source = write(tmp_path / "cases.jsonl", {"id": "\ud800", "gold": "5", "answer": "\ud8005"})
        verify_file(source, out, verifier=verifier)
    (verdict,) = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    assert (verdict["id"], verdict["equivalent"]) == ("\ud800", False)


@pytest.mark.parametrize("mode", [["a"], {"a": 1}, 7])
def test_a_mode_that_is_no_text_is_a_bad_row(mode: object, tmp_path: Path) -> None:
    source = write(tmp_path / "cases.jsonl", {"gold": "5", "answer": "5", "mode": mode})
    with Verifier() as verifier, pytest.raises(SourceError, match="unknown mode"):
        verify_file(source, verifier=verifier)


def test_the_cases_are_never_overwritten(tmp_path: Path) -> None:
    source = write(tmp_path / "cases.jsonl", {"gold": "5", "answer": "5"})
    before = Path(source).read_bytes()
    with Verifier() as verifier, pytest.raises(OutputError, match="would be overwritten"):
        verify_file(source, Path(source), verifier=verifier)
    assert Path(source).read_bytes() == before
