"""compare.html: training runs beside each other, as one file that a reader opens from anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from semifactual import __version__
from semifactual.evaluation.compare import is_share
from semifactual.evaluation.curves import STYLES, Line, Scale, line_chart
from semifactual.evaluation.training_runs import Series, TrainingRun
from semifactual.html import count, figure, percent, render_page
from semifactual.pipeline.output import write_text_durably

REPORT = "compare.html"
TEMPLATE = "report/compare.html.jinja"
SCRIPTS = ("report/lines.js",)
_TRAINING = (
    ("reward/mean", "Mean reward"),
    ("length/mean", "Tokens a response"),
    ("policy/entropy", "Entropy (nats a token)"),
)


def write_compare_report(found: Mapping[str, Any], runs: Sequence[TrainingRun], folder: Path) -> Path:
    """Write DIR/compare.html from what `compare_runs` has found in these runs.

    Raises:
        OutputError: the disk refuses it.
    """
    by_folder = {str(run.folder): run for run in runs}
    groups = [
        (group["label"], [by_folder[one["folder"]] for one in group["runs"]], number % STYLES + 1)
        for number, group in enumerate(found["groups"])
    ]
    parts = [
        {**_metric_part(metric, groups, found["step"]), "headline": headline(found, metric)}
        for metric in found["metrics"]
    ]
    training = [chart for key, title in _TRAINING if (chart := _training_chart(key, title, groups))]
    charts = {f"metric-{i}": part["chart"] for i, part in enumerate(parts)}
    charts |= {f"training-{i}": chart for i, chart in enumerate(training)}
    context = {
        "found": found,
        "parts": parts,
        "training": training,
        "headline": headline(found, found["metrics"][0]),
        "version": __version__,
    }
    data = {"charts": {name: {**chart["read"], "shares": chart["shares"]} for name, chart in charts.items() if chart}}
    page = render_page(TEMPLATE, SCRIPTS, data, context)
    path = folder / REPORT
    write_text_durably(path, page.encode("utf-8", "replace").decode())  # half surrogates have no place in a file
    return path


def headline(found: Mapping[str, Any], metric: Mapping[str, Any]) -> str:
    """How far apart the groups end by a metric, or that no difference is shown."""
    if not metric["differences"]:
        return f"{metric['metric']} of {count(len(found['groups'][0]['runs']), 'run')} of {found['groups'][0]['label']}"
    clear = [one for one in metric["differences"] if _excludes_zero(one["final"])]
    base = metric["differences"][0]["baseline"]
    if not clear:
        others = " and ".join(one["label"] for one in metric["differences"])
        return f"No difference in {metric['metric']} is shown between {base} and {others}"
    most = max(clear, key=lambda one: abs(one["final"]["difference"]))
    where = "above" if most["final"]["difference"] > 0 else "below"
    amount = change(abs(most["final"]["difference"]), metric["metric"]).lstrip("+")
    return f"{most['label']} ends {amount} {where} {base} in {metric['metric']}"


def verdicts(metric: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each difference at the end: how large, how sure, and what the seeds say."""
    for one in metric["differences"]:
        final, name = one["final"], metric["metric"]
        text = f"{name}: {one['label']} less {one['baseline']} is {change(final['difference'], name)}"
        if final["interval"] is None:
            yield f"{text}; one pair of runs gives no interval."
            continue
        low, high = (change(end, name).removesuffix(" points") for end in final["interval"])
        text += f" (95 %: {low} to {high}, over {count(final['drawn'], final['over'][:-1])})"
        text += "" if _excludes_zero(final) else ", so it may be 0"
        signs = {value > 0 for value in final["by_seed"] if value}
        if len(final["by_seed"]) > 1:
            text += "; the seeds disagree about its sign" if len(signs) > 1 else "; all seeds agree about its sign"
        yield f"{text}."


def change(value: float, metric: str) -> str:
    """A signed difference: of shares in points, of others as it is.

    >>> change(-0.031, "v/accuracy"), change(2.5, "v/length")
    ('−3.1 points', '+2.50')
    """
    if is_share(metric):
        return f"{100 * value:+.1f} points".replace("-", "−")
    return f"{'+' if value > 0 else ''}{figure(value)}"


def shown(value: float | None, metric: str) -> str:
    """A value of a metric."""
    return percent(value) if is_share(metric) else figure(value)


def _excludes_zero(difference: Mapping[str, Any]) -> bool:
    interval = difference["interval"]
    return interval is not None and not interval[0] <= 0 <= interval[1]


def _metric_part(
    metric: Mapping[str, Any], groups: Sequence[tuple[str, Sequence[TrainingRun], int]], step: int
) -> dict[str, Any]:
    name = metric["metric"]
    lines = _group_lines(groups, lambda run: run.validated(name))
    if metric["target"] is not None:
        lines.append(Line("target", [0, step], [metric["target"]] * 2, style=STYLES, dashed=True))
    rows = [
        {"label": one["label"], "what": what, **one[what]}
        for one in metric["differences"]
        for what in ("final", "best")
        if one[what] is not None
    ]
    ends = [end for row in rows for end in (row["interval"] or [row["difference"]])]
    ends += [value for row in rows for value in row["by_seed"]]
    scale = Scale(min(ends), max(ends)) if ends else None
    for row in rows:
        assert scale is not None
        row["at"] = scale.at(row["difference"])
        row["low"], row["high"] = (scale.at(end) for end in row["interval"] or [row["difference"]] * 2)
        row["marks"] = [scale.at(value) for value in row["by_seed"]]
        row["shown"] = change(row["difference"], name)
        row["interval_shown"] = [change(end, name).removesuffix(" points") for end in row["interval"] or ()]
    unit = 100 if is_share(name) else 1
    return {
        "metric": name,
        "sentences": list(verdicts(metric)),
        "chart": line_chart(name, lines, shares=is_share(name)),
        "rows": rows,
        "ticks": [(scale.at(value), _signed(unit * value)) for value in scale.ticks] if scale else [],
        "zero": scale.at(0.0) if scale else None,
        "baseline": metric["differences"][0]["baseline"] if metric["differences"] else None,
        "target": shown(metric["target"], name),
        "table": [_table_row(group, name) for group in metric["groups"]],
    }


def _signed(value: float) -> str:
    return f"{value:+g}".replace("-", "−") if value else "0"


def _table_row(group: Mapping[str, Any], metric: str) -> dict[str, Any]:
    reached = [run["reached"] for run in group["runs"]]
    return {
        "label": group["label"],
        "final": _spread(group["final"], metric),
        "best": _spread(group["best"], metric),
        "runs": [
            (run["seed"], shown(run["final"], metric), shown(run["best"], metric), run["best_step"], run["reached"])
            for run in group["runs"]
        ],
        "reached": steps_to(reached),
    }


def steps_to(reached: Sequence[int | None]) -> str:
    """When runs reached a target: the mean of those that did, and how many they are.

    >>> steps_to([16, 32, None]), steps_to([None])
    ('24 (2 of 3)', 'never')
    """
    found = [step for step in reached if step is not None]
    if not found:
        return "never"
    return f"{fmean(found):,.0f} ({len(found)} of {len(reached)})"


def _spread(values: Mapping[str, float] | None, metric: str) -> tuple[str, str]:
    """The mean, and the range where there is one."""
    if values is None:
        return "–", ""
    low, high = shown(values["low"], metric), shown(values["high"], metric)
    return shown(values["mean"], metric), "" if low == high else f"{low} to {high}"


def _training_chart(
    key: str, title: str, groups: Sequence[tuple[str, Sequence[TrainingRun], int]]
) -> dict[str, Any] | None:
    return line_chart(title, _group_lines(groups, lambda run: run.series(key)))


def _group_lines(groups: Sequence[tuple[str, Sequence[TrainingRun], int]], read: Any) -> list[Line]:
    """A faint line a run, and over them the mean of each group at the steps that all its runs have."""
    faint, means = [], []
    for label, runs, style in groups:
        found: list[Series] = [read(run) for run in runs]
        if len(runs) > 1:
            faint += [
                Line(f"{label}, seed {run.seed}", *one, style=style, faint=True)
                for run, one in zip(runs, found, strict=True)
            ]
        by_step = [dict(zip(*one, strict=True)) for one in found]
        steps = [step for step in found[0][0] if all(step in one for one in by_step)]
        means.append(Line(label, steps, [_mean([one[step] for one in by_step]) for step in steps], style=style))
    return faint + means


def _mean(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return fmean(there) if len(there) == len(values) else None
