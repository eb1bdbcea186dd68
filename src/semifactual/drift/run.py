"""`semifactual drift` as a function: survey, score chunk by chunk into a journal, assemble the files of the run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semifactual.answers import Verifier
from semifactual.drift.assemble import SUMMARY, assemble, require_whole
from semifactual.drift.config import DriftConfig
from semifactual.drift.prepare import PROBLEMS_PER_CHUNK, prepare
from semifactual.pipeline.journal import Journal, finished_manifest, refuse_changes
from semifactual.pipeline.records import to_json
from semifactual.policy.local import LocalPolicy

Progress = Callable[[int, int], None]
"""Told how many problems of how many are finished."""


@dataclass(frozen=True, slots=True)
class DriftReport:
    """What a run did."""

    out: Path
    summary: dict[str, Any]
    notices: tuple[str, ...] = ()
    """What a user should hear before the results."""
    resumed_at: int = 0
    """How many problems an earlier, interrupted run had finished."""
    found_finished: bool = False
    """The folder held this very run already, so nothing was done."""


def measure_drift(
    config: DriftConfig,
    out: Path,
    *,
    policy: LocalPolicy | None = None,
    on_progress: Progress = lambda done, total: None,
) -> DriftReport:
    """Run what `config` describes in the folder `out`, or go on with it.

    `policy` takes the place of the model that the config names, where it is loaded already.

    Raises:
        SourceError: the source or the responses cannot be used, or a prompt does not fit; nothing was written.
        ConfigError, RegistryError: an option, the model or a kind cannot be used.
        OutputError: `out` holds something else, was begun with other settings, or cannot be written.
    """
    finished = finished_manifest(out, SUMMARY)
    prepared = prepare(config, policy)
    notices = prepared.source.notices
    if finished is not None:
        refuse_changes(out, {key: finished.get(key) for key in prepared.identity}, prepared.identity)
        require_whole(out)
        Journal.of(out).remove()  # still there if a run was killed between its last two steps
        return DriftReport(out, finished, notices, found_finished=True)
    with closing(Journal.open(out, prepared.identity)) as journal:
        total = prepared.source.count
        resumed_at = min(journal.finished * PROBLEMS_PER_CHUNK, total)
        on_progress(resumed_at, total)
        with Verifier() as verifier:
            scorer = prepared.scorer(verifier)
            for chunk in prepared.chunks(journal.finished):
                journal.append([to_json(scorer.chunk(chunk))])
                on_progress(min(journal.finished * PROBLEMS_PER_CHUNK, total), total)
        summary = assemble(journal, out, prepared.identity, counts=prepared.counts(), notes=prepared.notes())
    return DriftReport(out, summary, notices, resumed_at)
