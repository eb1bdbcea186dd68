"""`semifactual decode` as a function: d-filtered decoding beside plain sampling and greedy, on the same problems."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from semifactual.answers import Verifier
from semifactual.drift.chunked import SUMMARY, Progress, RunReport, run_in_chunks
from semifactual.drift.identity import identity_of
from semifactual.drift.prepare import open_policy_of, open_problems_of
from semifactual.drift.scoring import encode_prompts
from semifactual.drift.survey import Survey, require_something, survey
from semifactual.evaluation.decoders import Decoders
from semifactual.evaluation.decoding_config import DecodeConfig
from semifactual.evaluation.decoding_summary import Outcome, summarise
from semifactual.pipeline.journal import Journal
from semifactual.pipeline.output import write_rows, write_text_durably
from semifactual.pipeline.variants import VariantSource
from semifactual.policy.local import LocalPolicy
from semifactual.policy.policy import Sampling
from semifactual.text.prompt_templates import load_prompt_template

ROWS = "decode.jsonl"


def compare_decoding(
    config: DecodeConfig,
    out: Path,
    *,
    policy: LocalPolicy | None = None,
    on_progress: Progress = lambda done, total: None,
) -> RunReport:
    """Run what `config` describes in the folder `out`, or go on with it.

    `policy` takes the place of the model that the config names, where it is loaded already.

    Raises:
        SourceError: the source cannot be used, no problem has a rewrite, or a prompt does not fit; nothing was written.
        ConfigError, RegistryError: an option, the model or a kind cannot be used.
        OutputError: `out` holds something else, was begun with other settings, or cannot be written.
    """
    return run_in_chunks(
        out,
        partial(_prepare, config, policy),
        lambda prepared, verifier: prepared.decoders(verifier).chunk,
        lambda prepared, journal: _assemble(journal, out, prepared),
        payload=(ROWS,),
        on_progress=on_progress,
    )


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A run that was found possible, before any work."""

    config: DecodeConfig
    source: VariantSource
    policy: LocalPolicy
    template: str
    found: Survey
    max_new_tokens: int
    """What was asked for, or what the model can read behind the longest prompt."""
    identity: dict[str, Any]
    """What decides the numbers."""

    def decoders(self, verifier: Verifier) -> Decoders:
        return Decoders(
            policy=self.policy,
            template=self.template,
            verifier=verifier,
            seed=self.config.seed,
            samples=self.config.samples,
            sampling=Sampling(self.config.temperature, self.config.top_p, self.max_new_tokens),
            cap=self.config.cap,
        )


def _prepare(config: DecodeConfig, policy: LocalPolicy | None) -> _Prepared:
    """Look at everything that a run needs, the cheap things first, and write nothing."""
    template = load_prompt_template(config.prompt)
    source = open_problems_of(config)
    policy = policy or open_policy_of(config)
    found = survey(source.problems(), partial(encode_prompts, policy, template), policy.context)
    require_something(found, None)
    longest = found.allowed_tokens(config.max_new_tokens, policy.context)
    identity = identity_of(config, source, policy, template=template, max_new_tokens=longest, responses_sha256=None)
    del identity["config"]["responses"]
    return _Prepared(config, source, policy, template, found, longest, {"command": "decode", **identity})


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
