"""Writing to disk, durably, and with one clear sentence for a full disk, a read-only folder or a missing right."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

from semifactual.errors import OutputError

_REASONS = {
    errno.ENOSPC: ("the disk is full", "free some space and run the same command again: finished rows are kept"),
    errno.EDQUOT: ("the disk quota is used up", "free some space and run the same command again"),
    errno.EFBIG: ("the file grew past the allowed size", "raise the limit and run the same command again"),
    errno.EROFS: ("the file system is read-only", "choose another --out"),
    errno.EACCES: ("permission denied", "choose an --out that you may write to"),
    errno.EPERM: ("operation not permitted", "choose an --out that you may write to"),
    errno.ENOTDIR: ("a part of the path is a file, not a folder", "choose another --out"),
    errno.EEXIST: ("a file stands where a folder is wanted", "choose another --out"),
}


@contextmanager
def writing(path: Path, option: str = "--out") -> Iterator[None]:
    """Turn an `OSError` raised inside into an `OutputError` about `path`, which `option` named; wrap only writing."""
    try:
        yield
    except OSError as error:
        reason, hint = _REASONS.get(error.errno or 0, ((error.strerror or str(error)).lower(), None))
        raise OutputError(f"cannot write {path}: {reason}", hint=hint and hint.replace("--out", option)) from error


def write_all(file: FileIO, text: str) -> None:
    """Write JSON `text` to an unbuffered file: what is written needs no later flush that could fail unnoticed.

    Half of a surrogate pair, which UTF-8 cannot hold, is written as its escape, which is JSON's escape too.
    """
    unwritten = memoryview(text.encode("utf-8", "backslashreplace"))
    while unwritten:
        unwritten = unwritten[file.write(unwritten) :]


def refuse_overwriting(out: Path | None, files: Iterable[Path], option: str = "--out") -> None:
    """Check that `out`, which `option` named, is none of the files that are read.

    Raises:
        OutputError: it is one of them.
    """
    if out is not None and out.exists() and any(out.samefile(file) for file in files):
        raise OutputError(f"{out} is the file that is read, and would be overwritten", hint=f"choose another {option}")


def write_rows(rows: Iterator[dict[str, Any]], out: Path | None) -> Iterator[dict[str, Any]]:
    """Pass rows through, and write each as JSON to a file that takes the name `out` once all are there."""
    if out is None:
        yield from rows
        return
    temporary = out.with_name(f".{out.name}.tmp")
    try:
        with writing(out):
            file = temporary.open("wb", buffering=0)
        with file:
            for row in rows:
                with writing(out):
                    write_all(file, json.dumps(row, ensure_ascii=False) + "\n")
                yield row
        with writing(out):
            os.replace(temporary, out)
    finally:
        temporary.unlink(missing_ok=True)


def write_text_durably(path: Path, text: str, option: str = "--out") -> None:
    """Write a small file so that it is either whole or not there, even if power fails."""
    with writing(path, option):
        temporary = path.with_name(path.name + ".tmp")
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        sync_folder(path.parent)


def move_durably(staged: Path, final: Path) -> None:
    """Bring a file that is whole to its place, so that it stays there even if power fails."""
    with staged.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(staged, final)
    sync_folder(final.parent)


def sync_folder(folder: Path) -> None:
    """Make the folder's entries durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
