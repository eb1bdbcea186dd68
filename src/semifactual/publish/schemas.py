"""Whether a repository that exists holds the same sort of dataset, and if not, what differs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from semifactual.pipeline.journal import MANIFEST_NAME
from semifactual.pipeline.records import SCHEMA_VERSION, arrow_schema
from semifactual.publish.hub import Held, Hub
from semifactual.publish.repository import Repository
from semifactual.sources.readers import NOT_DATA, READERS

if TYPE_CHECKING:
    import pyarrow as pa

_DATA_ENDINGS = frozenset({*READERS, ".arrow", ".tar", ".zip", ".gz", ".zst", ".tsv", ".h5", ".lance"})
_SHOWN = 5


def schema_differences(hub: Hub, repository: Repository, held: Held) -> list[str]:
    """What differs between the schema of ours and of what the repository holds, a phrase each; none where it is empty.

    Its manifest and the footer of one of its parquet files are read; nothing of any size is brought over.
    """
    data = sorted(name for name in held.files if _is_data(name))
    found: list[str] = []
    if MANIFEST_NAME in held.files:
        manifest = read_manifest(hub, repository, held.commit)
        if manifest.get("schema") != SCHEMA_VERSION:
            found.append(f"schema: {manifest.get('schema', 'none')} there, {SCHEMA_VERSION} here")
    tables = [name for name in data if name.endswith(".parquet")]
    if tables:
        found += _column_differences(_remote_schema(hub, repository, held.commit, tables[0]), arrow_schema())
    if others := [name for name in data if not name.endswith(".parquet")]:
        shown = ", ".join(others[:_SHOWN]) + (", ..." if len(others) > _SHOWN else "")
        found.append(f"data files that are no parquet files: {shown}")
    return found


def read_manifest(hub: Hub, repository: Repository, commit: str) -> dict[str, Any]:
    """The manifest in a repository; an empty one where it is none of ours."""
    with TemporaryDirectory() as folder:
        path = hub.download(repository, commit, MANIFEST_NAME, Path(folder))
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
        except (UnicodeDecodeError, ValueError):
            return {}
    return manifest if isinstance(manifest, dict) else {}


def _is_data(name: str) -> bool:
    path = PurePosixPath(name)
    hidden = any(part.startswith(".") for part in path.parts)
    return path.suffix.lower() in _DATA_ENDINGS and path.name not in NOT_DATA and not hidden


def _remote_schema(hub: Hub, repository: Repository, commit: str, name: str) -> pa.Schema:
    import pyarrow.parquet as pq
    from huggingface_hub import HfFileSystem

    def read() -> pa.Schema:
        files = HfFileSystem(endpoint=hub.endpoint, token=hub.token, skip_instance_cache=True)
        with files.open(f"datasets/{repository.name}@{commit}/{name}", "rb") as file:
            return pq.read_schema(file)

    return hub.ask(f"{repository}: {name}", read)


def _column_differences(theirs: pa.Schema, ours: pa.Schema) -> Iterator[str]:
    for name in ours.names:
        if name not in theirs.names:
            yield f"column {name}: only here"
        elif not theirs.field(name).type.equals(ours.field(name).type):
            yield f"column {name}: {theirs.field(name).type} there, {ours.field(name).type} here"
    yield from (f"column {name}: only there" for name in theirs.names if name not in ours.names)
