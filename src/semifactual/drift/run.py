"""`semifactual drift` as a function: survey, score chunk by chunk into a journal, assemble the files of the run."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from semifactual.drift.assemble import PAYLOAD, assemble
from semifactual.drift.chunked import Progress, RunReport, run_in_chunks
from semifactual.drift.config import DriftConfig
from semifactual.drift.prepare import Prepared, prepare
from semifactual.pipeline.journal import Journal
from semifactual.policy.local import LocalPolicy


def measure_drift(
    config: DriftConfig,
    out: Path,
    *,
    policy: LocalPolicy | None = None,
    on_progress: Progress = lambda done, total: None,
) -> RunReport:
    """Run what `config` describes in the folder `out`, or go on with it.

    `policy` takes the place of the model that the config names, where it is loaded already.

    Raises:
        SourceError: the source or the responses cannot be used, or a prompt does not fit; nothing was written.
        ConfigError, RegistryError: an option, the model or a kind cannot be used.
        OutputError: `out` holds something else, was begun with other settings, or cannot be written.
    """

    def finish(prepared: Prepared, journal: Journal) -> dict[str, Any]:
        return assemble(journal, out, prepared.identity, counts=prepared.counts(), notes=prepared.notes())

    return run_in_chunks(
        out,
        partial(prepare, config, policy),
        lambda prepared, verifier: prepared.scorer(verifier).chunk,
        finish,
        payload=PAYLOAD,
        on_progress=on_progress,
    )
