"""From what a user names (a file, a folder, a Hub id) to a table of rows. Nothing is downloaded unless it is named."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from semifactual.errors import SourceError
from semifactual.sources.json_files import read_json, read_jsonl
from semifactual.sources.rows import BadRow, Row, Table
from semifactual.sources.sniff import require_kind
from semifactual.sources.table_files import read_csv, read_parquet

Reader = Callable[[Path, str], Iterator[Row | BadRow]]

READERS: dict[str, Reader] = {".jsonl": read_jsonl, ".json": read_json, ".csv": read_csv, ".parquet": read_parquet}
ENDINGS = ", ".join(READERS)

NOT_DATA = frozenset({"manifest.json", "dataset_info.json", "dataset_infos.json", "state.json", "rejected.jsonl"})
"""Files that stand beside the data in a dataset folder."""

_SPLIT = re.compile(r"(train|test|validation|valid|val|dev)(?![a-z])", re.IGNORECASE)
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def open_table(spec: str, *, split: str | None = None, config_name: str | None = None) -> Table:
    """The table that `spec` names: a data file, a folder with data files, or a Hub id.

    Raises:
        SourceError: there is no such thing, or it is evidently not what it says it is.
    """
    path = Path(spec).expanduser()
    if path.is_dir():
        if config_name is not None:
            raise SourceError(f"{spec} is a folder, and --config-name means something for a Hub id only")
        return _folder(path, split)
    if path.exists():
        if split is not None or config_name is not None:
            raise SourceError(f"{spec} is a single file, so --split and --config-name mean nothing for it")
        require_kind(path, _ending(path))
        return _table(_file_name(path), [path], path.parent)
    if _HUB_ID.fullmatch(spec) and path.suffix.lower() not in READERS and not path.parent.exists():
        from semifactual.sources.hub import open_hub

        return open_hub(spec, split=split, config_name=config_name)
    raise SourceError(
        f"there is no file or folder {spec}",
        hint=f"a source is a {ENDINGS} file, a folder of such files, a Hub id OWNER/NAME, or builtin:NAME",
    )


def _ending(path: Path) -> str:
    ending = path.suffix.lower()
    if ending not in READERS:
        raise SourceError(
            f"{path} has an ending that this program cannot read", hint=f"it reads files that end in {ENDINGS}"
        )
    return ending


def _file_name(path: Path) -> str:
    """The file's stem; with the folder before it where the stem only names a split, as in gsm8k/test.jsonl."""
    return f"{path.resolve().parent.name}-{path.stem}" if _SPLIT.fullmatch(path.stem) else path.stem


def _folder(folder: Path, split: str | None) -> Table:
    data = folder / "data"
    paths = _data_files(data) if data.is_dir() else []
    paths = paths or _data_files(folder)
    if not paths:
        raise SourceError(f"the folder {folder} holds no data files", hint=f"it reads files that end in {ENDINGS}")
    paths = _of_split(folder, paths, split)
    endings = sorted({_ending(path) for path in paths})
    if len(endings) > 1:
        raise SourceError(f"the folder {folder} holds {' and '.join(endings)} files", hint="name one file of them")
    for path in paths:
        require_kind(path, endings[0])
    name = folder.resolve().name
    return _table(name if split is None else f"{name}-{split}", paths, folder)


def _data_files(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix.lower() in READERS and path.name not in NOT_DATA and not path.name.startswith(".")
    )


def _of_split(folder: Path, paths: list[Path], split: str | None) -> list[Path]:
    """Files of different splits are never mixed: a problem of the test split has no place in training data."""
    by_split: dict[str, list[Path]] = {}
    for path in paths:
        match = _SPLIT.match(path.name)
        by_split.setdefault(match[1].lower() if match else "", []).append(path)
    names = ", ".join(sorted(filter(None, by_split)))
    if split is not None:
        if split not in by_split:
            raise SourceError(f"the folder {folder} has no split {split}", hint=names and f"it has: {names}")
        return by_split[split]
    if len(by_split) > 1:
        raise SourceError(f"the folder {folder} has several splits", hint=f"name one with --split: {names}")
    return paths


def _table(name: str, paths: list[Path], root: Path) -> Table:
    return Table(name, partial(_rows, paths, root), partial(_sha256, paths, root), tuple(paths))


def _rows(paths: list[Path], root: Path) -> Iterator[Row | BadRow]:
    for path in paths:
        yield from READERS[_ending(path)](path, path.relative_to(root).as_posix())


def _sha256(paths: list[Path], root: Path) -> str:
    """The SHA-256 of the bytes of one file, or of the names and hashes of several."""
    digests = []
    for path in paths:
        with path.open("rb") as file:
            digests.append(hashlib.file_digest(file, "sha256").hexdigest())
    if len(paths) == 1:
        return digests[0]
    listing = "".join(
        f"{digest}  {path.relative_to(root).as_posix()}\n" for digest, path in zip(digests, paths, strict=True)
    )
    return hashlib.sha256(listing.encode()).hexdigest()
