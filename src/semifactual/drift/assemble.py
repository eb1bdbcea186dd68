"""From a complete journal to the files of a run: tables, summary, report, plots.

Everything is written inside the journal's folder first and moved to its place when it is whole, the summary last: a
folder with a summary is a finished run.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from semifactual.drift.begun import SUMMARY
from semifactual.drift.measures import Measures, problem_drift
from semifactual.drift.plots import FOLDER as PLOTS
from semifactual.drift.plots import write_plots
from semifactual.drift.report import REPORT, write_report
from semifactual.drift.scored import from_row
from semifactual.drift.summary import summarise
from semifactual.drift.tables import TABLES, RunTables
from semifactual.pipeline.journal import Journal
from semifactual.pipeline.output import move_durably, sync_folder, writing

PAYLOAD = (*TABLES, REPORT)
"""The files of a finished run but for its summary and its plots."""
NO_PLOTS = "Plots were left out, because matplotlib is not installed; the report has its own."
"""A run must not fail at its very end for want of them."""


def assemble(
    journal: Journal, out: Path, identity: Mapping[str, Any], *, counts: Mapping[str, int], notes: Sequence[str]
) -> dict[str, Any]:
    """Write the files of a complete journal into `out`, remove the journal, and return the summary.

    One chunk of the journal is in memory at a time. For `counts` and `notes` see `summarise`.

    Raises:
        OutputError: something could not be written; the journal stays, and the next run assembles again.
    """
    started = time.perf_counter()
    staging = journal.folder / "assembly"
    measures = Measures(identity["config"]["kinds"])
    seconds: dict[str, float] = {}
    with writing(out):
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True)
        with RunTables(staging) as tables:
            for chunk in journal.rows():
                problems = [(one, problem_drift(one)) for one in map(from_row, chunk["problems"])]
                for problem, drift in problems:
                    measures.add(problem, drift)
                tables.write(problems)
                for step, spent in chunk["seconds"].items():
                    seconds[step] = seconds.get(step, 0.0) + spent
        seconds["assemble"] = time.perf_counter() - started
        draw = find_spec("matplotlib") is not None
        notes = [*notes, *([] if draw else [NO_PLOTS])]
        summary = summarise(measures, identity, counts=counts, seconds=seconds, notes=notes)
        text = json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        (staging / SUMMARY).write_text(text, encoding="utf-8", newline="\n")
        write_report(staging)
        if draw:
            write_plots(staging)
        for name in PAYLOAD:
            move_durably(staging / name, out / name)
        if draw:
            _move_folder(staging / PLOTS, out / PLOTS)
        move_durably(staging / SUMMARY, out / SUMMARY)
    journal.remove()
    return summary


def _move_folder(staged: Path, final: Path) -> None:
    shutil.rmtree(final, ignore_errors=True)  # of a run that was killed while it moved its files
    os.replace(staged, final)
    sync_folder(final.parent)
