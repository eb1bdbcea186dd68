"""The journal of long work: finished rows, append-only and on disk before the next ones are taken.

A folder under construction holds ``.journal/config.json`` (what is being built) and ``.journal/rows.jsonl`` (one
line a finished row, in the source's order). A process that dies can only tear the last line, which is cut off when
the journal is opened again; everything before it is kept, so a resumed build goes on where the old one stood.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from io import FileIO
from pathlib import Path
from typing import Any

from semifactual.errors import OutputError
from semifactual.pipeline.config import differences
from semifactual.pipeline.output import sync_folder, write_all, write_text_durably, writing

JOURNAL_NAME = ".journal"
MANIFEST_NAME = "manifest.json"
_COUNT_CHUNK = 1 << 20
_SHOWN_TEMPLATES = 3


class Journal:
    """The open journal of one folder under construction. One process at a time holds it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.finished = 0
        """How many rows the journal holds."""
        self._path = folder / "rows.jsonl"
        self._file: FileIO | None = None

    @classmethod
    def of(cls, out: Path) -> Journal:
        """The journal of the folder `out`, not opened, whether or not there is one."""
        return cls(out / JOURNAL_NAME)

    @classmethod
    def open(cls, out: Path, identity: Mapping[str, Any]) -> Journal:
        """Start the journal of the build that `identity` describes in the folder `out`, or go on with it.

        Raises:
            OutputError: another build is under way there, by another config or in another process, or the folder
                cannot be written.
        """
        journal = cls.of(out)
        described = journal.folder / "config.json"
        with writing(out):
            journal.folder.mkdir(parents=True, exist_ok=True)
            journal._file = journal._path.open("ab", buffering=0)
        try:
            journal._lock(out)
            if described.exists():
                refuse_changes(out, json.loads(described.read_text(encoding="utf-8")), identity)
            else:
                write_text_durably(described, json.dumps(identity, indent=2) + "\n")
            with writing(journal._path):
                journal.finished = journal._cut_torn_line()
                sync_folder(journal.folder)
        except BaseException:
            journal.close()
            raise
        return journal

    def append(self, lines: Sequence[str]) -> None:
        """Add the lines of finished rows; they are on disk when this returns.

        Raises:
            OutputError: they could not be written. What was written before is whole.
        """
        with writing(self._path):
            file = self._opened()
            write_all(file, "".join(f"{line}\n" for line in lines))
            os.fsync(file.fileno())
        self.finished += len(lines)

    def rows(self) -> Iterator[dict[str, Any]]:
        """The finished rows, in order, read one at a time."""
        with self._path.open(encoding="utf-8", newline="\n") as file:
            for line in file:
                yield json.loads(line)

    def close(self) -> None:
        """Let go of the journal and keep it for the next run."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def remove(self) -> None:
        """Close and delete the journal, if there is one: the dataset is complete."""
        self.close()
        with writing(self.folder):
            if self.folder.exists():
                shutil.rmtree(self.folder)

    def _opened(self) -> FileIO:
        if self._file is None:
            raise ValueError("the journal is closed")
        return self._file

    def _lock(self, out: Path) -> None:
        try:
            fcntl.flock(self._opened(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise OutputError(
                f"another process is at work on {out}", hint="wait for it, or choose another --out"
            ) from error

    def _cut_torn_line(self) -> int:
        """Truncate the file behind its last whole line, and return how many lines there are."""
        lines = end = position = 0
        with self._path.open("rb") as file:
            while chunk := file.read(_COUNT_CHUNK):
                lines += chunk.count(b"\n")
                if (last := chunk.rfind(b"\n")) >= 0:
                    end = position + last + 1
                position += len(chunk)
        if end < position:
            os.truncate(self._path, end)
        return lines


def refuse_changes(out: Path, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Raise where the build that `out` holds is not the one now asked for.

    Raises:
        OutputError: with every difference.
    """
    if changes := differences(before, after):
        raise OutputError(
            f"{out} was begun with other settings: {_shown(changes)}",
            hint="repeat the old settings to resume, or choose another --out",
        )


def _shown(changes: Sequence[str]) -> str:
    """The changes in a line; of templates, which other kinds bring along, at most a few, and none beside settings."""
    templates = [change for change in changes if change.startswith("templates.")]
    others = [change for change in changes if change not in templates]
    shown = [] if others else templates[:_SHOWN_TEMPLATES]
    rest = len(templates) - len(shown)
    more = [f"and {rest:,} {'more ' if shown else ''}template{'s' * (rest != 1)}"] if rest else []
    return "; ".join([*others, *shown, *more])


def finished_manifest(out: Path, name: str = MANIFEST_NAME) -> dict[str, Any] | None:
    """The manifest of what `out` holds, where it is finished; None where work may start or go on there.

    `name` is that of the file which is written last.

    Raises:
        OutputError: the folder holds something else, or is no folder.
    """
    if not out.exists():
        return None
    if not out.is_dir():
        raise OutputError(f"{out} is a file, not a folder", hint="choose another --out")
    try:
        names = sorted(entry.name for entry in out.iterdir())
    except OSError as error:
        raise OutputError(f"cannot read {out}: {(error.strerror or str(error)).lower()}") from error
    if name in names:
        return _read_manifest(out, name)
    if names and JOURNAL_NAME not in names:
        shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        raise OutputError(f"{out} holds other files: {shown}", hint="choose an empty or a new folder as --out")
    return None


def _read_manifest(out: Path, name: str) -> dict[str, Any]:
    try:
        manifest = json.loads((out / name).read_text(encoding="utf-8"))
        if isinstance(manifest, dict) and "schema" in manifest:
            return manifest
    except (OSError, ValueError):
        pass
    raise OutputError(f"{out} holds a {name} that is not ours", hint="choose an empty or a new folder")
