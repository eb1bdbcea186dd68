from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from semifactual.errors import OutputError
from semifactual.pipeline import output
from semifactual.pipeline.journal import JOURNAL_NAME, Journal, finished_manifest

IDENTITY = {"config": {"seed": 0}, "source_sha256": "ab"}


def rows_file(out: Path) -> Path:
    return out / JOURNAL_NAME / "rows.jsonl"


def test_rows_come_back_in_order_after_reopening(tmp_path: Path) -> None:
    out = tmp_path / "out"
    journal = Journal.open(out, IDENTITY)
    journal.append(['{"n": 1}', '{"n": "\u2028é"}'])
    journal.close()
    again = Journal.open(out, IDENTITY)
    again.append(['{"n": 3}'])
    assert again.finished == 3
    assert [row["n"] for row in again.rows()] == [1, "\u2028é", 3]
    again.close()


@pytest.mark.parametrize("torn", [b'{"n": 2', b"\x00\x00\x00", b"{"])
def test_a_torn_last_line_is_cut_off(tmp_path: Path, torn: bytes) -> None:
    out = tmp_path / "out"
    journal = Journal.open(out, IDENTITY)
    journal.append(['{"n": 1}'])
    journal.close()
    whole = rows_file(out).read_bytes()
    rows_file(out).write_bytes(whole + torn)
    again = Journal.open(out, IDENTITY)
    again.close()
    assert again.finished == 1
    assert rows_file(out).read_bytes() == whole


def test_changed_settings_are_refused_with_the_difference(tmp_path: Path) -> None:
    out = tmp_path / "out"
    Journal.open(out, IDENTITY).close()
    with pytest.raises(OutputError, match=r"config\.seed: 0 -> 7"):
        Journal.open(out, {"config": {"seed": 7}, "source_sha256": "ab"})


def test_one_process_at_a_time_builds_a_folder(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "out", IDENTITY)
    with pytest.raises(OutputError, match="another process is at work on"):
        Journal.open(tmp_path / "out", IDENTITY)
    journal.close()


def test_a_full_disk_loses_no_earlier_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    journal = Journal.open(out, IDENTITY)
    journal.append(['{"n": 1}'])

    def full_disk(file: object, text: str) -> None:
        file.write(text[:4].encode())  # type: ignore[attr-defined]
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("semifactual.pipeline.journal.write_all", full_disk)
        with pytest.raises(OutputError, match="the disk is full"):
            journal.append(['{"n": 2}'])
    journal.close()
    again = Journal.open(out, IDENTITY)
    again.append(['{"n": 2}'])
    assert [row["n"] for row in again.rows()] == [1, 2]
    again.close()


@pytest.mark.parametrize(
    ("number", "said"),
    [(errno.EROFS, "read-only"), (errno.EACCES, "permission denied"), (errno.EIO, "input/output error")],
)
def test_every_failed_write_is_one_sentence(number: int, said: str) -> None:
    with pytest.raises(OutputError, match=f"cannot write out: .*{said}"), output.writing(Path("out")):
        raise OSError(number, "Input/output error")


def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match=r"holds other files: thesis\.tex"):
        finished_manifest(tmp_path)


def test_a_foreign_manifest_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(OutputError, match="not ours"):
        finished_manifest(tmp_path)


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(OutputError, match="is a file, not a folder"):
        finished_manifest(tmp_path / "out")


def test_new_empty_and_unfinished_folders_are_open_for_a_build(tmp_path: Path) -> None:
    assert finished_manifest(tmp_path / "new") is None
    assert finished_manifest(tmp_path) is None
    Journal.open(tmp_path / "out", IDENTITY).close()
    assert finished_manifest(tmp_path / "out") is None
    assert json.loads((tmp_path / "out" / JOURNAL_NAME / "config.json").read_text()) == IDENTITY
