"""`semifactual decode` as a function: d-filtered decoding beside plain sampling and greedy, on the same problems."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from semifactual.answers import Verifier
from semifactual.drift.begun import SUMMARY
from semifactual.drift.chunked import Progress, RunReport, Stage, run_in_chunks, silent
from semifactual.drift.identity import identity_of
from semifactual.drift.inputs import Inputs, open_inputs
from semifactual.drift.prepare import open_policy_of
from semifactual.drift.scoring import encode_prompts
from semifactual.drift.survey import Survey, require_something, survey
from semifactual.evaluation.decoders import Decoders
from semifactual.evaluation.decoding_config import COMMAND, DecodeConfig
from semifactual.evaluation.decoding_summary import Outcome, summarise
from semifactual.pipeline.journal import Journal
from semifactual.pipeline.output import write_rows, write_text_durably
from semifactual.policy.local import LocalPolicy
from semifactual.policy.policy import Sampling

ROWS = "decode.jsonl"


def compare_decoding(
    config: DecodeConfig,
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
        SourceError: the source cannot be used, no problem has a rewrite, or a prompt does not fit; nothing was written.
        ConfigError, RegistryError: an option, the model or a kind cannot be used.
        OutputError: `out` holds something else, was begun with other settings, or cannot be written.
    """
    if inputs is None:
        inputs = open_inputs(config, out, COMMAND, model_is_loaded=policy is not None)
    return run_in_chunks(
        inputs,
        partial(_prepare, config, inputs, policy, on_stage),
        lambda prepared, verifier: prepared.decoders(verifier).chunk,
        lambda prepared, journal: _assemble(journal, out, prepared),
        payload=(ROWS,),
        on_progress=on_progress,
        on_stage=on_stage,
    )


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A run that was found possible, before any work."""

    config: DecodeConfig
    policy: LocalPolicy
    template: str
    found: Survey
    max_new_tokens: int
    """What was asked for, or what the model can read behind the longest prompt."""
    identity: dict[str, Any]
    """What decides the numbers."""
    on_stage: Stage

    def decoders(self, verifier: Verifier) -> Decoders:
        return Decoders(
            policy=self.policy,
            template=self.template,
            verifier=verifier,
            seed=self.config.seed,
            samples=self.config.samples,
            sampling=Sampling(self.config.temperature, self.config.top_p, self.max_new_tokens),
            cap=self.config.cap,
            on_stage=self.on_stage,
        )


def _prepare(config: DecodeConfig, inputs: Inputs, policy: LocalPolicy | None, on_stage: Stage) -> _Prepared:
    """Load the model, look at every prompt, and write nothing."""
    if policy is None:
        on_stage("loading the model")
        policy = open_policy_of(config)
    on_stage("looking at the prompts")
    found = survey(inputs.source.problems(), partial(encode_prompts, policy, inputs.template), policy.context)
    require_something(found, None)
    longest = found.allowed_tokens(config.max_new_tokens, policy.context)
    identity = identity_of(inputs, policy, max_new_tokens=longest)
    return _Prepared(config, policy, inputs.template, found, longest, identity, on_stage)


def _assemble(journal: Journal, out: Path, prepared: _Prepared) -> dict[str, Any]:
    """Write the rows, then the summary, whose presence says that the run is finished, and remove the journal."""
    rows = (row for chunk in journal.rows() for row in chunk["rows"])
    outcomes = [Outcome.of(row) for row in write_rows(rows, out / ROWS)]
    found = prepared.found
    notes = found.shortening(prepared.config.max_new_tokens, prepared.policy.context)
    summary = summarise(outcomes, prepared.identity, without_rewrites=found.without_rewrites, notes=notes)
    text = json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False)
    write_text_durably(out / SUMMARY, text + "\n")
    journal.remove()
    return summary
