"""Does a file hold what its ending says? Asked before any row is read, so that the answer is one clear sentence."""

from __future__ import annotations

from pathlib import Path

from semifactual.errors import SourceError

SNIFFED_BYTES = 4096

_MAGIC = (
    (b"PAR1", "a parquet file", "rename it so that it ends in .parquet"),
    (b"\x1f\x8b", "a gzip file", "decompress it first"),
    (b"\x28\xb5\x2f\xfd", "a zstandard file", "decompress it first"),
    (b"BZh", "a bzip2 file", "decompress it first"),
    (b"\xfd7zXZ", "an xz file", "decompress it first"),
    (b"PK\x03\x04", "a zip archive", "unpack it first"),
    (b"\xff\xfe", "UTF-16 text", "save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text", "save it as UTF-8"),
    (b"%PDF", "a PDF document", None),
    (b"SQLite format 3", "an SQLite database", None),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself", "fetch the file with: git lfs pull"),
)


def require_kind(path: Path, ending: str) -> None:
    """Check by its first bytes that the file `path` may be what `ending` (".jsonl", ".csv", ...) says.

    Raises:
        SourceError: it is empty, cannot be read, or is evidently something else.
    """
    if not path.is_file():
        raise SourceError(f"{path} is not a regular file")
    try:
        with path.open("rb") as file:
            start = file.read(SNIFFED_BYTES)
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from error
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text:
        raise SourceError(f"{path} is empty")
    if (found := _what(start, text, ending)) is not None:
        what, hint = found
        raise SourceError(f"{path} is not what its ending says: it is {what}", hint=hint)


def _what(start: bytes, text: bytes, ending: str) -> tuple[str, str | None] | None:
    """What the file is and the way out, or None where nothing speaks against its ending."""
    if ending == ".parquet":
        return None if start.startswith(b"PAR1") else ("not a parquet file", "give it the ending of what it holds")
    for magic, what, hint in _MAGIC:
        if start.startswith(magic):
            return what, hint
    if text[:15].lower().startswith((b"<!doctype html", b"<html", b"<?xml")):
        return "a web page", "a download that failed often leaves one"
    if ending == ".jsonl" and text.startswith(b"["):
        return "one JSON list", "rename it so that it ends in .json"
    if ending == ".csv" and text.startswith((b'{"', b"[{")):
        return "JSON", "rename it so that it ends in .jsonl (one object a line) or .json (a list)"
    if ending == ".json" and not text.startswith((b"[", b"{")):
        return "not JSON", "A .json file holds a list of objects, or an object with such a list as data."
    return None
