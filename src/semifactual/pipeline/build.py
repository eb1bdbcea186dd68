"""From a source to a dataset folder: scan, rewrite and judge in worker processes, journal, assemble."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from semifactual.counterfactual.mentions import TEMPLATES as COUNTERFACTUAL_TEMPLATES
from semifactual.interventions.registry import get_intervention
from semifactual.pipeline.asking import asked, asking_of
from semifactual.pipeline.assemble import assemble, require_whole
from semifactual.pipeline.batching import answer_by_batches
from semifactual.pipeline.config import BuildConfig
from semifactual.pipeline.endings import PROMPT_TEMPLATES
from semifactual.pipeline.journal import Journal, finished_manifest, refuse_changes
from semifactual.pipeline.models import Models, models_for, notices_of
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

News = Callable[[str], None]
"""Told, in a sentence, what long work waits for, and what a user should hear before it begins."""


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did."""

    out: Path
    manifest: dict[str, Any]
    notices: tuple[str, ...] = ()
    """What a user should hear of the source, and of what is made of it."""
    resumed_at: int = 0
    """How many problems an earlier, interrupted run had finished."""
    found_finished: bool = False
    """The folder held this very dataset already, so nothing was done."""
    traffic: dict[str, Any] | None = None
    """What this run sent to models and paid for; None where none was asked."""


def build(
    config: BuildConfig,
    out: Path,
    *,
    on_progress: Progress = lambda done, total: None,
    on_news: News = lambda sentence: None,
) -> BuildReport:
    """Build the dataset that `config` describes in the folder `out`, or resume building it.

    With more than one worker, a script must call this under ``if __name__ == "__main__":``, because a worker imports
    the script that started it.

    Raises:
        SourceError: the source cannot be read, or has rows that cannot be used; nothing was written.
        RegistryError: a kind is unknown, or a family has none.
        ConfigError: no kind of a sealed family is to be made.
        OutputError: `out` holds something else, was begun with other settings, or cannot be written.
        ServerError: a model's server cannot be used; finished rows and all replies are kept.
        BudgetSpent: a further request could exceed the budget; likewise.
    """
    plan = plan_of(config)
    source = open_problems(config)
    identity = identity_of(config, source)
    told = (*source.notices, *config.selection.notices)
    if (manifest := finished_manifest(out)) is not None:
        refuse_changes(out, _identity_in(manifest, identity), identity)
        require_whole(out)
        Journal.of(out).remove()  # still there if a run was killed between its last two steps
        return BuildReport(out, manifest, told, found_finished=True)
    for notice in notices_of(config):
        on_news(notice)
    with models_for(config, identity) as models, closing(Journal.open(out, identity)) as journal:
        resumed_at = journal.finished
        on_progress(resumed_at, source.count)
        workers = workers_for(source.count - resumed_at, PROBLEMS_PER_BATCH, most=config.workers)
        unfinished = partial(_problems_from, source, resumed_at)
        # Closed here, so that a full disk stops the work at once, and not when its traceback is forgotten.
        with closing(_lines(config, unfinished, plan, workers, models, on_news)) as chunks:
            for lines in chunks:
                journal.append(lines)
                on_progress(journal.finished, source.count)
        about = None if models is None else models.description()
        manifest = assemble(journal, out, config, identity, source.description, about)
        traffic = None if models is None else models.summary()
    return BuildReport(out, manifest, told, resumed_at, traffic=traffic)


def preview(config: BuildConfig, rows: int) -> list[dict[str, Any]]:
    """The first rows that `build` would make, in the journal's form; nothing is written but the models' replies."""
    plan = plan_of(config)
    source = open_problems(config)
    with models_for(config, identity_of(config, source)) as models:
        if models is None:
            return [row(problem, plan) for problem in islice(source.problems(), rows)]
        chunks = asked(lambda: islice(source.problems(), rows), asking_of(config, plan, models), models, workers=1)
        return [json.loads(line) for lines in chunks for line in lines]


def plan_of(config: BuildConfig) -> Plan:
    """What `config` wants of every problem.

    Raises:
        RegistryError: a kind is unknown, or a family has none.
        ConfigError: no kind of a sealed family is to be made.
    """
    chosen = config.selection
    return Plan(
        chosen.kinds, config.per_kind, config.seed, config.answer_check, config.counterfactuals, sealed=chosen.sealed
    )


def identity_of(config: BuildConfig, source: ProblemSource) -> dict[str, Any]:
    """All that decides the bytes of a dataset: two builds of the same identity are the same dataset."""
    templates = {name for kind in config.selection.kinds for name in get_intervention(kind).templates}
    templates.update(*map(template_names, SHARED_TEMPLATES))
    if config.uses_models:
        templates.update(PROMPT_TEMPLATES)
    if config.counterfactuals:
        templates.update(COUNTERFACTUAL_TEMPLATES)
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


def _problems_from(source: ProblemSource, start: int) -> Iterator[Problem]:
    return islice(source.problems(), start, None)


def _lines(
    config: BuildConfig,
    problems: Callable[[], Iterator[Problem]],
    plan: Plan,
    workers: int,
    models: Models | None,
    on_news: News,
) -> Generator[list[str], None, None]:
    """The journal's lines of the problems, in order, made by rules alone or with models."""
    if models is None:
        yield from rewritten(problems(), plan, workers)
        return
    asking = asking_of(config, plan, models)
    if models.batch:
        answer_by_batches(problems, asking, models, workers, on_news)
    yield from asked(problems, asking, models, workers)


def rewritten(problems: Iterable[Problem], plan: Plan, workers: int) -> Iterator[list[str]]:
    """The journal lines of the problems, a batch at a time and in order, made by `workers` processes."""
    modules = {get_intervention(kind).rewrite.__module__ for kind in plan.kinds}
    work = partial(_rewrite_batch, plan)
    yield from ordered_map(work, batches(problems, PROBLEMS_PER_BATCH), workers=workers, modules=modules)


def _rewrite_batch(plan: Plan, problems: list[Problem]) -> list[str]:
    return [to_json(row(problem, plan)) for problem in problems]
