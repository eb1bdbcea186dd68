"""report.html of a training run: one file that a reader opens from anywhere, made from the run's files alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from semifactual import __version__
from semifactual.drift.bootstrap import paired_intervals
from semifactual.drift.report import facts
from semifactual.evaluation.per_problem import metric_parts
from semifactual.evaluation.training_runs import TrainingRun, read_run
from semifactual.html import count, figure, percent, render_page
from semifactual.pipeline.output import write_text_durably
from semifactual.train.report_completions import shown_completions
from semifactual.train.report_sections import ends, sections

REPORT = "report.html"
TEMPLATE = "report/train.html.jinja"
SCRIPTS = ("report/lines.js", "report/heatmap.js", "report/train.js")

HEAT_EDGES = {
    "credit": (0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0),
    "advantage": (0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0),
    "drift": (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0),
    "surprise": (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0),
}
"""Where the classes of each heat scale begin."""
MANY_CUT = 0.2
MANY_UNIFORM = 0.8
"""Shares at the end of a run above which its report warns."""
_MOST_WARNINGS = 8


def write_report(folder: Path) -> Path:
    """Write RUN/report.html from what the run has written so far; a run that goes on may have it written again.

    Its size does not grow with the run: long curves are drawn as means, and of the completions a part is shown.

    Raises:
        SourceError: the folder holds no training run, or one that has not done a step.
        OutputError: the disk refuses it.
    """
    run = read_run(folder)
    made = sections(run)
    completions = shown_completions(folder)
    charts = {f"{section.id}-{i}": chart for section in made for i, chart in enumerate(section.charts)}
    data = {
        "charts": {name: {**chart["read"], "shares": chart["shares"]} for name, chart in charts.items()},
        "edges": HEAT_EDGES,
        **completions,
    }
    context = {
        "label": run.label,
        "headline": headline(run),
        "deck": list(deck(run)),
        "warnings": warnings(run),
        "key": list(_key_figures(run)),
        "source": str(run.recipe.get("data", {}).get("source", "")),
        "sections": made,
        "shown": len(completions["responses"]),
        "total": completions["total"],
        "tables": completions["steps"],
        "probed": any(one["credit"] is not None for one in completions["responses"]),
        "facts": dict(_recipe_facts(run)),
        "versions": _versions(folder),
        "version": __version__,
    }
    path = folder / REPORT
    page = render_page(TEMPLATE, SCRIPTS, data, context)
    write_text_durably(path, page.encode("utf-8", "replace").decode())  # half surrogates have no place in a file
    return path


def headline(run: TrainingRun) -> str:
    """What the run did, in one clause that follows its name."""
    for name in run.sets:
        _, values = run.validated(f"{name}/accuracy")
        if len(values) > 1 and values[0] is not None and values[-1] is not None:
            if (interval := _change(run, name)) and interval[0] <= 0 <= interval[1]:
                shares = f"{percent(values[0])} before, {percent(values[-1])} after {count(run.step, 'step')}"
                return f"shows no clear change in validation accuracy: {shares}"
            return _verb(values[0], values[-1], "validation accuracy", percent, run.step)
    found = ends(run.series("reward/mean"))
    if found is None:
        return f"has done {count(run.step, 'step')}"
    return _verb(found[0], found[1], "the mean reward", figure, run.step)


def deck(run: TrainingRun) -> Iterator[str]:
    """What the headline's number is worth, and what was trained."""
    for name in run.sets:
        if interval := _change(run, name):
            low, high, problems = interval
            verdict = "may be the luck" if low <= 0 <= high else "is more than the luck"
            yield (
                f"The change in accuracy lies between {_points(low)} and {_points(high)} points (95 %, by drawing the"
                f" {count(problems, 'problem')} of {name} anew), so it {verdict} of these problems."
            )
            break
    model, credit = run.recipe.get("model", {}), run.recipe.get("credit", {})
    how = "without credit" if not credit.get("enabled", True) else f"with {credit.get('form', 'scapo')} credit"
    yield f"The model {model.get('name', '')} was trained {how}, with seed {run.seed}."


def warnings(run: TrainingRun) -> list[str]:
    """What a reader should know before anything else."""
    found = []
    if not run.finished:
        found.append(f"The run is unfinished: {run.step:,} of {run.planned:,} steps are done.")
    cut, uniform = ends(run.series("length/truncated")), ends(run.series("group/uniform"))
    if cut and cut[1] > MANY_CUT:
        found.append(f"{percent(cut[1])} of responses are cut at the limit at the end: their answers are lost.")
    if uniform and uniform[1] > MANY_UNIFORM:
        right = run.series("reward/accuracy")[1]
        why = "there is little left to learn."
        if right and not any(right):
            why = "no response was right, so the data may be too hard."
        found.append(f"{percent(uniform[1])} of groups have equal rewards at the end: {why}")
    timeouts = sum(line.get("reward/timeouts") or 0 for line in run.metrics)
    if timeouts:
        found.append(f"The verifier ran out of time on {count(timeouts, 'response')}, which earned nothing.")
    return found + list(_said(run))


def _said(run: TrainingRun) -> Iterator[str]:
    """The warnings of the steps; those that differ in numbers alone are said once."""
    seen: dict[str, list[Any]] = {}
    for line in run.metrics:
        for warning in line.get("warnings", ()):
            seen.setdefault(re.sub(r"\d+", "#", warning), [warning, []])[1].append(line["step"])
    for warning, steps in list(seen.values())[:_MOST_WARNINGS]:
        more = f" (and at {count(len(steps) - 1, 'later step')})" if len(steps) > 1 else ""
        yield f"Step {steps[0]:,}{more}: {warning}"
    if len(seen) > _MOST_WARNINGS:
        yield f"{len(seen) - _MOST_WARNINGS:,} more sorts of warnings stand in metrics.jsonl."


def _change(run: TrainingRun, name: str) -> tuple[float, float, int] | None:
    """The interval of the change in accuracy from the first to the last validation, and the problems behind it."""
    steps = [int(line["step"]) for line in run.evaluations]
    if len(steps) < 2:
        return None
    sides = []
    for step in (steps[0], steps[-1]):
        rows = run.validation_rows(step)
        parts = metric_parts("accuracy", [row for row in rows or () if row["set"] == name])
        if not parts:
            return None
        sums = np.array([parts[problem] for problem in sorted(parts)], dtype=np.float64)
        sides.append((sums[:, :1], sums[:, 1:]))
    if sides[0][0].shape != sides[1][0].shape or len(sides[0][0]) < 2:
        return None
    low, high = paired_intervals(sides[0], sides[1])[0]
    return float(low), float(high), len(sides[0][0])


def _key_figures(run: TrainingRun) -> Iterator[tuple[str, str, str]]:
    """Name, value and a remark."""
    yield "Steps", f"{run.step:,}", "" if run.finished else f"of {run.planned:,}"
    for name in run.sets:
        _, values = run.validated(f"{name}/accuracy")
        if values:
            yield f"Accuracy on {name}", percent(values[-1]), f"at first {percent(values[0])}"
    for key, name, show in (
        ("reward/mean", "Mean reward", figure),
        ("length/mean", "Tokens a response", figure),
        ("policy/entropy", "Entropy, nats", figure),
    ):
        if found := ends(run.series(key)):
            yield name, show(found[1]), f"at first {show(found[0])}"


def _recipe_facts(run: TrainingRun) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The recipe section by section."""
    top = {key: value for key, value in run.recipe.items() if not isinstance(value, Mapping)}
    yield "run", list(facts(top))
    for key, value in run.recipe.items():
        if isinstance(value, Mapping):
            yield key, list(facts(value))


def _versions(folder: Path) -> list[tuple[str, str]]:
    """The versions that the newest checkpoint names; none where there is no checkpoint."""
    for path in sorted((folder / "checkpoints").glob("step-*/state.json"), key=lambda path: path.stat().st_mtime)[-1:]:
        return list(facts(json.loads(path.read_text(encoding="utf-8")).get("versions", {})))
    return []


def _verb(begin: float, end: float, what: str, show: Any, steps: int) -> str:
    if show(begin) == show(end):
        return f"left {what} at {show(end)} in {count(steps, 'step')}"
    return (
        f"{'raised' if end > begin else 'lowered'} {what} from {show(begin)} to {show(end)} in {count(steps, 'step')}"
    )


def _points(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")
