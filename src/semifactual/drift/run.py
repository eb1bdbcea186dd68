"""`semifactual drift` as a function: survey, score chunk by chunk into a journal, assemble the files of the run."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from semifactual.drift.assemble import PAYLOAD, assemble
from semifactual.drift.chunked import Progress, RunReport, Stage, run_in_chunks, silent
from semifactual.drift.config import COMMAND, DriftConfig
from semifactual.drift.inputs import Inputs, open_inputs
from semifactual.drift.prepare import Prepared, prepare
from semifactual.pipeline.journal import Journal
from semifactual.policy.local import LocalPolicy


def measure_drift(
    config: DriftConfig,
    out: Path,
    *,
    policy: LocalPolicy | None = None,
    inputs: Inputs | None = None,
    on_progress: Progress = lambda done, total: None,
    on_stage: Stage = silent,
) -> RunReport:
    """Run what `config` describes in the folder `out`, or go on with it.

    `policy` takes the place of the model that the config names, where it is loaded already; `inputs` are what
    `open_inputs` gives for `config` and `out`, where they are open already.

    Raises:
        SourceError: the source or the responses cannot be used, or a prompt does not fit; nothing was written.
        ConfigError, RegistryError: an option, the model or a kind cannot be used.
        OutputError: `out` holds something else, was begun with other settings, or cannot be written.
    """

    def finish(prepared: Prepared, journal: Journal) -> dict[str, Any]:
        return assemble(journal, out, prepared.identity, counts=prepared.counts(), notes=prepared.notes())

    if inputs is None:
        inputs = open_inputs(config, out, COMMAND, model_is_loaded=policy is not None)
    return run_in_chunks(
        inputs,
        partial(prepare, config, inputs, policy, on_stage),
        lambda prepared, verifier: prepared.scorer(verifier).chunk,
        finish,
        payload=PAYLOAD,
        on_progress=on_progress,
        on_stage=on_stage,
    )
