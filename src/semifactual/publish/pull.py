"""From a repository on the Hub to a dataset folder that everything here can go on from."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semifactual.errors import HubError, OutputError
from semifactual.pipeline.journal import MANIFEST_NAME, Journal, finished_manifest
from semifactual.pipeline.output import move_durably, writing
from semifactual.pipeline.records import SCHEMA_VERSION
from semifactual.publish.hub import Held, Hub, News
from semifactual.publish.push import FILES
from semifactual.publish.repository import Repository


@dataclass(frozen=True, slots=True)
class PullReport:
    """What a pull did."""

    out: Path
    repository: str
    revision: str
    commit: str
    manifest: dict[str, Any]
    found_there: bool
    """The folder held this very dataset already, so nothing was brought."""


def pull(name: str, out: Path, *, revision: str | None = None, on_news: News = lambda sentence: None) -> PullReport:
    """Bring the dataset in the repository `name` into the folder `out`, with its manifest.

    Every file is compared with the hash that the Hub states, and the manifest comes last, so a folder with a manifest
    is whole. An interrupted pull goes on where it stood.

    Raises:
        ConfigError: `name` is not OWNER/NAME.
        HubError: the Hub cannot be reached or refuses, or the repository holds no dataset that we built.
        OutputError: `out` holds something else, or cannot be written.
    """
    repository = Repository.named(name, revision)
    there = finished_manifest(out) is not None
    if not there and Journal.of(out).folder.exists():
        raise OutputError(f"the build of {out} is not finished", hint="choose another --out")
    hub = Hub.to_read(on_news)
    held = hub.held(repository)
    _require_ours(repository, held)
    if there:
        _require_same(out, repository, held)
    else:
        _bring(hub, repository, held, out)
    manifest: dict[str, Any] = json.loads((out / MANIFEST_NAME).read_text(encoding="utf-8"))
    return PullReport(out, name, repository.revision, held.commit, manifest, there)


def _require_ours(repository: Repository, held: Held) -> None:
    if missing := [name for name in FILES if name not in held.files]:
        raise HubError(
            f"{repository} is no dataset that semifactual pushed: it has no {missing[0]}",
            hint=f"as a source of problems it may serve all the same: semifactual build {repository.name} --out DIR",
        )


def _require_same(out: Path, repository: Repository, held: Held) -> None:
    """Refuse to touch a finished dataset that is another one, or that was changed here."""
    other = [name for name in FILES if not ((out / name).is_file() and held.files[name].is_of(out / name))]
    if other:
        raise OutputError(
            f"{out} holds another dataset than {repository}: {', '.join(other)} differ{'s' * (len(other) == 1)}",
            hint="choose an empty or a new folder as --out",
        )


def _bring(hub: Hub, repository: Repository, held: Held, out: Path) -> None:
    """Bring all files beside `out` first, and move them in when they are whole and known to be ours."""
    staging = out.with_name(f".{out.name}.pull")
    with writing(staging):
        staging.mkdir(parents=True, exist_ok=True)
    for name in (MANIFEST_NAME, *FILES[:-1]):
        if not ((staging / name).is_file() and held.files[name].is_of(staging / name)):
            hub.download(repository, held.commit, name, staging)
        if not held.files[name].is_of(staging / name):
            (staging / name).unlink()
            raise HubError(f"{repository}: {name} did not arrive as the Hub has it", hint="run the same command again")
        if name == MANIFEST_NAME:
            _require_known(repository, staging / name)
    with writing(out):
        (out / "data").mkdir(parents=True, exist_ok=True)
        for name in FILES:
            move_durably(staging / name, out / name)
        shutil.rmtree(staging)


def _require_known(repository: Repository, path: Path) -> None:
    """Refuse a manifest of another schema, and one that does not even count its rows."""
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        schema, counts = manifest.get("schema"), manifest.get("counts")
    except (UnicodeDecodeError, ValueError, AttributeError, RecursionError):
        schema, counts = None, None
    if schema == SCHEMA_VERSION and not (isinstance(counts, dict) and isinstance(counts.get("rows"), int)):
        raise HubError(f"{repository} holds a manifest that is not ours: it does not say how many rows there are")
    if schema != SCHEMA_VERSION:
        raise HubError(
            f"{repository} holds a dataset of schema {schema}, and this version knows {SCHEMA_VERSION}",
            hint="use the version of semifactual that built it",
        )
