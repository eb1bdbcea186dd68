"""`semifactual decode` as a function: d-filtered decoding beside plain sampling and greedy, on the same problems."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from semifactual.answers import Verifier
from semifactual.drift.identity import identity_of
from semifactual.drift.prepare import PROBLEMS_PER_CHUNK, open_policy_of, open_problems_of
from semifactual.drift.scoring import encode_prompts
from semifactual.drift.survey import Survey, require_something, survey
from semifactual.errors import OutputError
from semifactual.evaluation.decoders import Decoders
from semifactual.evaluation.decoding_config import DecodeConfig
from semifactual.evaluation.decoding_summary import Outcome, summarise
from semifactual.pipeline.journal import Journal, finished_manifest, refuse_changes
from semifactual.pipeline.output import write_rows, write_text_durably
from semifactual.pipeline.records import to_json
from semifactual.pipeline.variants import VariantProblem, VariantSource
from semifactual.pipeline.workers import batches
from semifactual.policy.local import LocalPolicy
from semifactual.policy.policy import Sampling
from semifactual.policy.prompts import load_prompt_template

SUMMARY = "summary.json"
ROWS = "decode.jsonl"


@dataclass(frozen=True, slots=True)
class DecodeReport:
    """What a run did."""

    out: Path
    summary: dict[str, Any]
    notices: tuple[str, ...] = ()
    """What a user should hear before the results."""
    resumed_at: int = 0
    """How many problems an earlier, interrupted run had finished."""
    found_finished: bool = False
    """The folder held this very run already, so nothing was done."""


def compare_decoding(
    config: DecodeConfig,
    out: Path,
    *,
    policy: LocalPolicy | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> DecodeReport:
    """Run what `config` describes in the folder `out`, or go on with it.

    `policy` takes the place of the model that the config names, where it is loaded already. `on_progress` is told how
    many problems of how many are finished.

    Raises:
        SourceError: the source cannot be used, no problem has a rewrite, or a prompt does not fit; nothing was written.
        ConfigError, RegistryError: an option, the model or a kind cannot be used.
        OutputError: `out` holds something else, was begun with other settings, or cannot be written.
    """
    finished = finished_manifest(out, SUMMARY)
    prepared = _prepare(config, policy)
    notices = prepared.source.notices
    if finished is not None:
        refuse_changes(out, {key: finished.get(key) for key in prepared.identity}, prepared.identity)
        _require_whole(out)
        Journal.of(out).remove()  # still there if a run was killed between its last two steps
        return DecodeReport(out, finished, notices, found_finished=True)
    with closing(Journal.open(out, prepared.identity)) as journal:
        total = prepared.source.count
        resumed_at = min(journal.finished * PROBLEMS_PER_CHUNK, total)
        on_progress(resumed_at, total)
        with Verifier() as verifier:
            decoders = prepared.decoders(verifier)
            for chunk in prepared.chunks(journal.finished):
                journal.append([to_json(decoders.chunk(chunk))])
                on_progress(min(journal.finished * PROBLEMS_PER_CHUNK, total), total)
        summary = _assemble(journal, out, prepared)
    return DecodeReport(out, summary, notices, resumed_at)


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

    def chunks(self, finished: int) -> Iterator[list[VariantProblem]]:
        return batches(self.source.problems(start=finished * PROBLEMS_PER_CHUNK), PROBLEMS_PER_CHUNK)


def _prepare(config: DecodeConfig, policy: LocalPolicy | None) -> _Prepared:
    """Look at everything that a run needs, the cheap things first, and write nothing."""
    template = load_prompt_template(config.prompt)
    source = open_problems_of(config)
    policy = policy or open_policy_of(config)
    found = survey(source.problems(), partial(encode_prompts, policy, template), policy.context)
    require_something(found, None)
    room = config.max_new_tokens if policy.context is None else policy.context - found.longest_prompt
    longest = min(config.max_new_tokens, room)
    identity = identity_of(config, source, policy, template=template, max_new_tokens=longest, responses_sha256=None)
    del identity["config"]["responses"]
    return _Prepared(config, source, policy, template, found, longest, {"command": "decode", **identity})


def _assemble(journal: Journal, out: Path, prepared: _Prepared) -> dict[str, Any]:
    """Write the rows, then the summary, whose presence says that the run is finished, and remove the journal."""
    rows = (row for chunk in journal.rows() for row in chunk["rows"])
    outcomes = [Outcome.of(row) for row in write_rows(rows, out / ROWS)]
    summary = summarise(outcomes, prepared.identity, without_rewrites=prepared.found.without_rewrites)
    text = json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False)
    write_text_durably(out / SUMMARY, text + "\n")
    journal.remove()
    return summary


def _require_whole(out: Path) -> None:
    if not (out / ROWS).is_file():
        raise OutputError(
            f"{out} has a {SUMMARY}, but lacks {ROWS}",
            hint="bring the file back, or delete the folder and run the same command again",
        )
