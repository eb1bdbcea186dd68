from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from semifactual.errors import OutputError
from semifactual.pipeline import judging, output
from semifactual.pipeline.checking import check_pair, check_source
from semifactual.pipeline.pairs import PairRow
from semifactual.types import AnswerCheck

TEXTS = {"Why?!": "valid", "Why?!!!": "unsure", "Why?!!!!": "invalid"}


@pytest.fixture
def pairs(tmp_path: Path, exclaim_kind: str) -> str:
    path = tmp_path / "pairs.jsonl"
    rows = [{"id": text, "problem": "Why?", "rewrite": text, "kind": exclaim_kind} for text in TEXTS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_a_verdict_row_has_the_evidence_of_every_check(exclaim_kind: str) -> None:
    assert check_pair(PairRow(4, "p:1", exclaim_kind, "Why?", "So?!!!")) == {
        "row": 4,
        "id": "p:1",
        "kind": exclaim_kind,
        "outcome": "invalid",
        "answer_check": "unknown",
        "checks": [
            {"name": "extends", "passed": False, "evidence": "another beginning"},
            {"name": "calm", "passed": None, "evidence": "three marks"},
        ],
    }


def test_a_report_counts_outcomes_and_failed_checks(pairs: str, exclaim_kind: str) -> None:
    report = check_source(pairs, workers=1)
    assert report.outcomes == {exclaim_kind: {"invalid": 1, "unsure": 1, "valid": 1}}
    assert report.failed_checks == {exclaim_kind: {"calm": 2}}
    assert (report.rows, report.rejected, report.answer_checks) == (3, 2, {"unknown": 3})


def test_verdicts_are_written_in_order(pairs: str, tmp_path: Path) -> None:
    check_source(pairs, tmp_path / "verdicts.jsonl", workers=1)
    verdicts = [json.loads(line) for line in (tmp_path / "verdicts.jsonl").read_text().splitlines()]
    assert {verdict["id"]: verdict["outcome"] for verdict in verdicts} == TEXTS


def test_a_failed_write_leaves_older_verdicts_alone(
    pairs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(file: object, text: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    out = tmp_path / "verdicts.jsonl"
    out.write_text("older\n")
    monkeypatch.setattr(output, "write_all", full_disk)
    with pytest.raises(OutputError, match="the disk is full"):
        check_source(pairs, out, workers=1)
    assert out.read_text() == "older\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pairs.jsonl", "verdicts.jsonl"]


def test_a_valid_rewrite_with_a_refuted_answer_is_rejected(
    pairs: str, exclaim_kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "answer_check", lambda problem, pair: AnswerCheck.REFUTED)
    report = check_source(pairs, workers=1)
    assert report.outcomes[exclaim_kind]["valid"] == 1
    assert (report.rejected, report.to_json()["rejected"]) == (3, 3)


@pytest.mark.parametrize("name", ["pairs.jsonl", "sub/../pairs.jsonl", "link.jsonl"])
def test_the_source_is_never_overwritten(name: str, pairs: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.jsonl").symlink_to(pairs)
    before = Path(pairs).read_bytes()
    with pytest.raises(OutputError, match="would be overwritten"):
        check_source(pairs, tmp_path / name, workers=1)
    with pytest.raises(OutputError, match="would be overwritten"):
        check_source(str(tmp_path), tmp_path / name, workers=1)
    assert Path(pairs).read_bytes() == before
