"""From a source to a dataset folder: scan, rewrite and judge in worker processes, journal, assemble."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from semifactual.interventions.registry import get_intervention
from semifactual.pipeline.assemble import assemble, require_whole
from semifactual.pipeline.config import BuildConfig
from semifactual.pipeline.journal import Journal, finished_manifest, refuse_changes
from semifactual.pipeline.problems import ProblemSource, open_problems
from semifactual.pipeline.records import to_json
from semifactual.pipeline.rewriting import Plan, row
from semifactual.pipeline.workers import batches, ordered_map, workers_for
from semifactual.resources import template_names, template_sha256
from semifactual.types import Problem

SHARED_TEMPLATES = ("checks", "lexicon")
"""Folders of templates that decide what any kind's drafts are judged to be."""

LIBRARIES = ("pyarrow", "pyspellchecker", "sympy")
"""Libraries whose version may decide what a rewrite is, what is known of its answer, or how it is stored."""

PROBLEMS_PER_BATCH = 24
"""One unit of work and of journalling: a killed build loses the batches in flight, and each costs one fsync."""

Progress = Callable[[int, int], None]
"""Told how many problems of how many are finished."""


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did."""

    out: Path
    manifest: dict[str, Any]
    notices: tuple[str, ...] = ()
    """What a user should hear of the source."""
    resumed_at: int = 0
    """How many problems an earlier, interrupted run had finished."""
    found_finished: bool = False
    """The folder held this very dataset already, so nothing was done."""


def build(config: BuildConfig, out: Path, *, on_progress: Progress = lambda done, total: None) -> BuildReport:
    """Build the dataset that `config` describes in the folder `out`, or resume building it.

    With more than one worker, a script must call this under ``if __name__ == "__main__":``, because a worker imports
    the script that started it.

    Raises:
        SourceError: the source cannot be read, or has rows that cannot be used; nothing was written.
        RegistryError: a kind is unknown.
        OutputError: `out` holds something else, was begun with other settings, or cannot be written.
    """
    plan = plan_of(config)
    source = open_problems(config)
    identity = identity_of(config, source)
    if (manifest := finished_manifest(out)) is not None:
        refuse_changes(out, _identity_in(manifest, identity), identity)
        require_whole(out)
        Journal.of(out).remove()  # still there if a run was killed between its last two steps
        return BuildReport(out, manifest, source.notices, found_finished=True)
    with closing(Journal.open(out, identity)) as journal:
        resumed_at = journal.finished
        on_progress(resumed_at, source.count)
        unfinished = islice(source.problems(), resumed_at, None)
        workers = workers_for(source.count - resumed_at, PROBLEMS_PER_BATCH, most=config.workers)
        for lines in rewritten(unfinished, plan, workers):
            journal.append(lines)
            on_progress(journal.finished, source.count)
        manifest = assemble(journal, out, config, identity, source.description)
    return BuildReport(out, manifest, source.notices, resumed_at)


def preview(config: BuildConfig, rows: int) -> list[dict[str, Any]]:
    """The first rows that `build` would make, in the journal's form; nothing is written."""
    plan = plan_of(config)
    source = open_problems(config)
    return [row(problem, plan) for problem in islice(source.problems(), rows)]


def plan_of(config: BuildConfig) -> Plan:
    """What `config` wants of every problem.

    Raises:
        RegistryError: a kind is unknown.
    """
    for kind in config.kinds:
        get_intervention(kind)
    return Plan(config.kinds, config.per_kind, config.seed, config.answer_check, config.counterfactuals)


def identity_of(config: BuildConfig, source: ProblemSource) -> dict[str, Any]:
    """All that decides the bytes of a dataset: two builds of the same identity are the same dataset."""
    templates = {name for kind in config.kinds for name in get_intervention(kind).templates}
    templates.update(*map(template_names, SHARED_TEMPLATES))
    settings = config.identity()
    if Path(config.source).expanduser().exists():
        del settings["source"]  # a file is known by its content and by its name, of which ids are made, not by its path
    return {
        "semifactual": version("semifactual"),
        "config": settings,
        "source_name": source.description["name"],
        "source_sha256": source.sha256,
        "templates": {name: template_sha256(name) for name in sorted(templates)},
        "versions": {"python": platform.python_version()} | {library: version(library) for library in LIBRARIES},
    }


def _identity_in(manifest: Mapping[str, Any], identity: Mapping[str, Any]) -> dict[str, Any]:
    """What the manifest of a finished dataset says of all that `identity` speaks of."""
    settings = {name: value for name, value in manifest.get("config", {}).items() if name in identity["config"]}
    return {key: manifest.get(key) for key in identity} | {"config": settings}


def rewritten(problems: Iterable[Problem], plan: Plan, workers: int) -> Iterator[list[str]]:
    """The journal lines of the problems, a batch at a time and in order, made by `workers` processes."""
    modules = {get_intervention(kind).rewrite.__module__ for kind in plan.kinds}
    work = partial(_rewrite_batch, plan)
    yield from ordered_map(work, batches(problems, PROBLEMS_PER_BATCH), workers=workers, modules=modules)


def _rewrite_batch(plan: Plan, problems: list[Problem]) -> list[str]:
    return [to_json(row(problem, plan)) for problem in problems]
