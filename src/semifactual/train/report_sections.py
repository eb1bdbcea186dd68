"""The sections of a training report: their charts, and the sentences that say in words what the charts show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from statistics import fmean
from typing import Any

from semifactual.evaluation.curves import STYLES, Line, line_chart
from semifactual.evaluation.training_runs import Series, TrainingRun
from semifactual.html import count, duration, figure, percent, times

SLIGHT = 0.02
"""A smaller relative change is not called one in a headline."""
_KIND = "drift/kind/"
_TIMES = {
    "rollout": "generating",
    "reward": "rewards",
    "probe": "probe",
    "old": "old log-probs",
    "update": "update",
}


@dataclass(frozen=True, slots=True)
class Section:
    """One section: a headline that is a finding, a sentence or two, and charts."""

    id: str
    nav: str
    headline: str
    lead: str
    charts: list[dict[str, Any]]
    shares: list[dict[str, Any]] = field(default_factory=list)


def sections(run: TrainingRun) -> list[Section]:
    """What there is to show of a run; a section without a number is left out."""
    made = [_validation(run), _reward(run), _length(run), _policy(run), _drift(run), _credit(run), _time(run)]
    return [section for section in made if section is not None]


def ends(series: Series) -> tuple[float, float, int] | None:
    """The mean of the first and of the last tenth of a series, and how many values each is of.

    >>> ends(([1, 2, 3], [0.5, None, 1.0]))
    (0.5, 1.0, 1)
    """
    values = [value for value in series[1] if value is not None]
    if not values:
        return None
    part = max(len(values) // 10, 1)
    return fmean(values[:part]), fmean(values[-part:]), part


def _validation(run: TrainingRun) -> Section | None:
    names = [name for name in run.sets if ends(run.validated(f"{name}/accuracy"))]
    if not names:
        return None
    charts = []
    for name in names:
        prefix = f"{name}/accuracy/"
        kinds = sorted({key for line in run.evaluations for key in line if key.startswith(prefix)})
        lines = [_line(run, f"{name}/accuracy", "original", 1)]
        lines += [_line(run, key, key.removeprefix(prefix), 2 + i) for i, key in enumerate(kinds)]
        charts.append(_chart(run, f"Accuracy on {name}, by kind of prompt", lines, shares=True))
        means = [(f"{name}/accuracy", "original"), (f"{name}/variants", "mean of kinds"), (f"{name}/sealed", "sealed")]
        passes = sorted({key for line in run.evaluations for key in line if key.startswith(f"{name}/pass@")})
        means += [(key, key.removeprefix(f"{name}/")) for key in passes if not key.endswith("pass@1")]
        charts.append(_chart(run, f"Accuracy on {name}, summed up", _lines(run, means), shares=True))
        charts.append(_chart(run, f"Tokens a response on {name}", [_line(run, f"{name}/length", "length", 1)]))
    first = names[0]
    steps, values = run.validated(f"{first}/accuracy")
    best = max((value, -step) for step, value in zip(steps, values, strict=True) if value is not None)
    lead = f"Accuracy on the original prompts of {first}: {percent(values[0])} at step {steps[0]:,}"
    lead += f", {percent(values[-1])} at step {steps[-1]:,}, at best {percent(best[0])} at step {-best[1]:,}."
    variants = ends(run.validated(f"{first}/variants"))
    if variants:
        lead += f" Under rewritten prompts, mean of kinds: {percent(variants[0])}, then {percent(variants[1])}."
    headline = f"Validation accuracy {_moved(values[0], values[-1], shares=True, rose='goes', fell='goes')}"
    return Section("validation", "Validation", headline, lead, _there(charts))


def _reward(run: TrainingRun) -> Section | None:
    found = ends(run.series("reward/mean"))
    if found is None:
        return None
    charts = [
        _chart(run, "Mean reward", _lines(run, [("reward/mean", "reward")])),
        _chart(run, "Share of right answers", _lines(run, [("reward/accuracy", "accuracy")]), shares=True),
        _chart(run, "Groups whose rewards are all equal", _lines(run, [("group/uniform", "uniform")]), shares=True),
        _chart(run, "Standard deviation of rewards", _lines(run, [("reward/std", "std")])),
        _chart(run, "Share of generated groups that are kept", _lines(run, [("group/kept", "kept")]), shares=True),
    ]
    failures = [("reward/timeouts", "timed out"), ("reward/failed", "failed")]
    if any(value for key, _ in failures for value in run.series(key)[1]):
        charts.append(_chart(run, "Rewards that timed out or failed", _lines(run, failures)))
    begin, end, part = found
    lead = f"The mean over the {_span('first', part)} is {figure(begin)}, over the {_span('last', part)} {figure(end)}."
    uniform = ends(run.series("group/uniform"))
    if uniform:
        lead += f" {percent(uniform[1])} of groups teach nothing at the end, because their rewards are all equal."
    return Section("reward", "Reward", f"Reward {_moved(begin, end)}", lead, _there(charts))


def _length(run: TrainingRun) -> Section | None:
    found = ends(run.series("length/mean"))
    if found is None:
        return None
    charts = [
        _chart(run, "Tokens a response", _lines(run, [("length/mean", "mean"), ("length/max", "longest")])),
        _chart(run, "Responses cut at the limit", _lines(run, [("length/truncated", "cut")]), shares=True),
    ]
    if any(run.series("length/empty")[1]):
        charts.append(_chart(run, "Empty responses", _lines(run, [("length/empty", "empty")]), shares=True))
    begin, end, part = found
    lead = (
        f"From {figure(begin)} tokens over the {_span('first', part)} to {figure(end)} over the {_span('last', part)}."
    )
    cut = ends(run.series("length/truncated"))
    if cut:
        lead += f" At the end {percent(cut[1]) if cut[1] else 'none'} of them are cut at the limit."
    return Section(
        "length", "Length", f"Responses {_moved(begin, end, rose='grow', fell='shrink')} tokens", lead, _there(charts)
    )


def _policy(run: TrainingRun) -> Section | None:
    found = ends(run.series("policy/entropy"))
    if found is None:
        return None
    ratios = [("ratio/max", "highest"), ("ratio/mean", "mean"), ("ratio/min", "lowest")]
    clips = [("clip/low", "below"), ("clip/high", "above"), ("clip/dual", "dual")]
    spread = [("advantage/effective_tokens", "effective tokens"), ("advantage/gini", "Gini")]
    charts = [
        _chart(run, "Entropy (nats a token)", _lines(run, [("policy/entropy", "entropy")])),
        _chart(run, "KL from old to new policy (nats)", _lines(run, [("policy/kl", "KL")])),
        _chart(run, "Ratio of new to old probability", _lines(run, ratios), zero=False),
        _chart(run, "Tokens whose gradient is clipped away", _lines(run, clips), shares=True),
        _chart(run, "Norm of the gradient before clipping", _lines(run, [("optim/grad_norm", "norm")])),
        _chart(run, "How evenly advantages lie on tokens", _lines(run, spread)),
    ]
    begin, end, part = found
    clipped = ends(run.series("clip/high"))
    lead = f"From {figure(begin)} nats over the {_span('first', part, 'step')} to {figure(end)} over the last."
    if clipped:
        lead += f" The upper clip stops {percent(clipped[1])} of tokens at the end."
    return Section("policy", "Policy", f"Entropy {_moved(begin, end)}", lead, _there(charts))


def _drift(run: TrainingRun) -> Section | None:
    kinds = sorted({key for line in run.metrics for key in line if key.startswith(_KIND)})
    found = {key: ends(run.series(key)) for key in kinds}
    means = {key.removeprefix(_KIND): ended[1] for key, ended in found.items() if ended}
    if not means:
        return None
    lines = [_line(run, key, key.removeprefix(_KIND), 1 + i) for i, key in enumerate(kinds)]
    lines.append(Line("noise floor", *run.series("drift/noise"), style=6, dashed=True))
    charts = [
        _chart(run, "Mean drift by kind of rewrite", lines),
        _chart(run, "Tokens that no rewrite moves", _lines(run, [("drift/zero", "no drift")]), shares=True),
    ]
    high, low = max(means, key=lambda kind: means[kind]), min(means, key=lambda kind: means[kind])
    noise = (ends(run.series("drift/noise")) or (0.0, 0.0, 0))[1]
    last = run.series(kinds[0])[0][-1]
    lead = f"Measured until step {last:,}, while credit acts. At the end {high} drifts by {figure(means[high])}"
    lead += f", {low} by {figure(means[low])}" if len(means) > 1 else ""
    lead += f"; the noise floor, what arithmetic alone does, is {figure(noise)}."
    idle = sorted({key.rpartition("/")[2] for line in run.metrics for key in line if _is_idle(key, line[key])})
    if idle:
        lead += f" Within three times of it at some step: {', '.join(idle)}."
    factor = f", {times(means[high] / means[low])} times as much as {low}" if len(means) > 1 and means[low] else ""
    return Section("drift", "Drift", f"{high} moves tokens most{factor}", lead, _there(charts))


def _credit(run: TrainingRun) -> Section | None:
    share = ends(run.series("credit/share"))
    strength = [value or 0.0 for value in run.series("credit/lambda")[1]]
    if share is None or not any(strength):
        return None
    charts = [
        _chart(run, "Tokens with credit", _lines(run, [("credit/share", "share")]), shares=True),
        _chart(run, "Mean size of the credit before λ", _lines(run, [("credit/mass", "mass")])),
        _chart(run, "Strength λ", _lines(run, [("credit/lambda", "λ")])),
    ]
    active = sum(value > 0 for value in strength)
    mass = ends(run.series("credit/mass"))
    lead = f"λ is at most {figure(max(strength), 2)}, and above 0 in {count(active, 'step')} of {len(strength):,}."
    if mass:
        lead += f" Before λ, a token is charged {figure(mass[1])} on average at the end of the schedule."
    headline = f"Credit reaches {percent(share[1])} of tokens"
    return Section("credit", "Credit", headline, lead, _there(charts))


def _time(run: TrainingRun) -> Section | None:
    if not run.metrics:
        return None
    parts = {name: sum(line.get(f"time/{key}") or 0.0 for line in run.metrics) for key, name in _TIMES.items()}
    parts["validation"] = sum(line.get("time/seconds") or 0.0 for line in run.evaluations)
    stepped = sum(line.get("time/step") or 0.0 for line in run.metrics)
    parts["the rest"] = max(stepped + parts["validation"] - sum(parts.values()), 0.0)
    total = sum(parts.values()) or 1.0
    largest = max(parts.values()) or 1.0
    shares = [
        {"name": name, "seconds": seconds, "share": seconds / total, "at": round(100 * seconds / largest, 2)}
        for name, seconds in sorted(parts.items(), key=lambda part: -part[1])
        if seconds > 0
    ]
    speeds = [
        _line(run, "time/generated_tokens_per_second", "generating", 1),
        _by_rollout(run, "training", 2, speed=True),
    ]
    charts = [
        _chart(run, "Seconds a rollout, with its updates", [_by_rollout(run, "seconds", 1)]),
        _chart(run, "Tokens a second", speeds),
        _chart(run, "Most memory so far (MB)", _lines(run, [("time/peak_memory_mb", "memory")])),
    ]
    probed = [line for line in run.metrics if line.get("time/probe")]
    lead = f"{count(run.step, 'step')} took {duration(total)}, validation included."
    if probed:
        inside = sum(line["time/probe"] for line in probed) / (sum(line["time/step"] for line in probed) or 1.0)
        lead += f" The probe is {percent(parts['probe'] / total)} of that, and {percent(inside)} of the"
        lead += f" {count(len(probed), 'step')} that it ran in."
    headline = f"{count(run.step, 'step')} in {duration(total)}"
    if shares:
        headline = f"{percent(largest / total)} of the time went into {shares[0]['name']}"
    return Section("time", "Time", headline, lead, _there(charts), shares)


def _chart(
    run: TrainingRun, title: str, lines: Sequence[Line], *, shares: bool = False, zero: bool = True
) -> dict[str, Any] | None:
    return line_chart(title, lines, shares=shares, zero=zero, end=run.step)


def _lines(run: TrainingRun, keys: Iterable[tuple[str, str]]) -> list[Line]:
    """Lines of eval.jsonl where it has the key, else of metrics.jsonl; none for a key that neither has."""
    found = [(key, name) for key, name in keys if run.validated(key)[0] or run.series(key)[0]]
    return [_line(run, key, name, number) for number, (key, name) in enumerate(found, 1)]


def _line(run: TrainingRun, key: str, name: str, number: int) -> Line:
    steps, values = run.validated(key) if run.validated(key)[0] else run.series(key)
    return Line(name, steps, values, style=(number - 1) % STYLES + 1)


def _by_rollout(run: TrainingRun, name: str, style: int, *, speed: bool = False) -> Line:
    """Seconds of every rollout with its updates, or tokens that were trained on a second, at its last step."""
    steps, seconds, tokens = [], [], []
    for _, group in groupby(run.metrics, key=lambda line: line["rollout"]):
        lines = list(group)
        steps.append(int(lines[-1]["step"]))
        seconds.append(sum(line.get("time/step") or 0.0 for line in lines))
        tokens.append(sum(line.get("tokens") or 0 for line in lines))
    if not speed:
        return Line(name, steps, seconds, style)
    return Line(name, steps, [done / took if took else None for done, took in zip(tokens, seconds, strict=True)], style)


def _there(charts: Iterable[dict[str, Any] | None]) -> list[dict[str, Any]]:
    return [chart for chart in charts if chart is not None]


def _moved(
    begin: float | None, end: float | None, *, shares: bool = False, rose: str = "rises", fell: str = "falls"
) -> str:
    show = percent if shares else figure
    stays = "stay" if rose == "grow" else "stays"
    if begin is None or end is None or show(begin) == show(end):
        return f"{stays} at {show(end)}"
    if not shares and abs(end - begin) < SLIGHT * max(abs(begin), abs(end)):
        return f"{stays} near {show(end)}"
    return f"{rose if end > begin else fell} from {show(begin)} to {show(end)}"


def _span(which: str, part: int, noun: str = "rollout") -> str:
    return f"{which} {noun}" if part == 1 else f"{which} {part:,} {noun}s"


def _is_idle(key: str, value: Any) -> bool:
    return key.startswith("drift/idle/") and bool(value)
