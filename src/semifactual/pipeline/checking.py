"""Verdicts on rewrites that anyone made: a file of pairs, or a built dataset, in; one verdict a row, in order, out."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

from semifactual.interventions.registry import get_intervention
from semifactual.pipeline.agreement import Agreement
from semifactual.pipeline.cases import Cases
from semifactual.pipeline.check_page import require_place, write_check_page
from semifactual.pipeline.check_report import CheckReport, CheckTally
from semifactual.pipeline.judging import rule_verdict, verdict_row
from semifactual.pipeline.labels import LabelOptions, read_labels
from semifactual.pipeline.llm_options import LlmOptions
from semifactual.pipeline.models import Models, models_for, notices_of
from semifactual.pipeline.output import refuse_overwriting, write_rows
from semifactual.pipeline.pair_fields import PairFields
from semifactual.pipeline.pairs import PairRow, PairSource, scan_pairs
from semifactual.pipeline.reviewing import reviewed
from semifactual.pipeline.workers import batches, default_workers, ordered_map, workers_for
from semifactual.validate.verdict import Mode

PAIRS_PER_BATCH = 32


def check_pair(pair: PairRow, mode: Mode = Mode.FROZEN) -> dict[str, Any]:
    """The verdict row of one rewrite, as `check --out` writes it.

    Raises:
        RegistryError: the pair's kind is unknown.
    """
    return verdict_row(pair, rule_verdict(pair, mode))


def check_source(
    source: str,
    out: Path | None = None,
    *,
    fields: PairFields | None = None,
    mode: Mode = Mode.FROZEN,
    labels: LabelOptions | None = None,
    page: Path | None = None,
    skip_bad_rows: bool = False,
    workers: int | None = None,
    options: LlmOptions | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    on_news: Callable[[str], None] = lambda sentence: None,
) -> CheckReport:
    """Judge every rewrite of a pairs file or a dataset folder, and write the verdicts to `out` where it is given.

    The whole source is looked through before the first verdict, so that a bad row is reported at once. `options` may
    name a judge and a solver, whose replies then settle what rules leave open. `labels` says what the values of the
    labels' column mean; `page` takes an HTML page with what verdicts and labels disagree on.

    Raises:
        SourceError: the source cannot be read, or has rows, labels or columns that cannot be used.
        ConfigError: labels that contradict each other.
        OutputError: `out` or `page` is the source, or cannot be written; an older file there is then untouched.
        ServerError: a model's server cannot be used.
        BudgetSpent: a further request could exceed the budget.
    """
    fields = fields or PairFields()
    pairs = scan_pairs(source, fields, skip_bad_rows)
    meant = None if fields.label is None else read_labels(fields.label, pairs.labels, labels or LabelOptions())
    refuse_overwriting(out, pairs.files)
    refuse_overwriting(page, pairs.files, "--html")
    if page is not None:
        require_place(page, out)
    workers = workers_for(pairs.count, PAIRS_PER_BATCH, most=workers or default_workers())
    tally, options = CheckTally(Agreement(fields.by, meant)), options or LlmOptions()
    cases = None if page is None else Cases(meant is not None, fields.by is not None)
    for notice in notices_of(options):
        on_news(notice)
    with (
        models_for(options, {"check": source, "time": time.time()}) as models,
        closing(_verdicts(pairs, mode, models, workers)) as work,
    ):
        for pair, verdict in _beside(pairs, tally.agreement, cases, write_rows(work, out)):
            tally.add(verdict)
            if pair is not None:
                cell = tally.agreement.add(pair, verdict)
                if cases is not None:
                    cases.add(pair, verdict, cell)
            on_progress(tally.rows, pairs.count)
        report = tally.report(pairs.skipped)
        report = report if models is None else replace(report, traffic=models.summary())
    if page is not None and cases is not None:
        write_check_page(page, source, mode, report, cases)
    return report


def _beside(
    pairs: PairSource, agreement: Agreement, cases: Cases | None, verdicts: Iterator[dict[str, Any]]
) -> Iterator[tuple[PairRow | None, dict[str, Any]]]:
    """Each verdict with its pair, read once more, where anything but the verdict is wanted."""
    if agreement.column is None and agreement.labels is None and cases is None:
        return zip(repeat(None), verdicts, strict=False)
    return zip(pairs.rows(), verdicts, strict=True)


def _verdicts(
    pairs: PairSource, mode: Mode, models: Models | None, workers: int
) -> Generator[dict[str, Any], None, None]:
    """The verdict rows of the pairs, in order, by rules alone or with models."""
    modules = {get_intervention(kind).rewrite.__module__ for kind in pairs.kinds}
    if models is not None:
        yield from reviewed(pairs.rows, mode, models, workers, modules)
        return
    chunks = batches(pairs.rows(), PAIRS_PER_BATCH)
    for verdicts in ordered_map(partial(_check_batch, mode), chunks, workers=workers, modules=modules):
        yield from verdicts


def _check_batch(mode: Mode, pairs: list[PairRow]) -> list[dict[str, Any]]:
    return [check_pair(pair, mode) for pair in pairs]
