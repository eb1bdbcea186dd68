"""Training runs beside each other: validation at the end and at its best, differences, steps to a target.

Runs of one recipe are a group. Two groups are compared over the seeds that both have. Where the runs have kept their
validation results prompt by prompt, a difference's interval comes from drawing problems anew, with the results of all
seeds; else from drawing seeds. The first covers other problems, not other seeds, so the difference of each seed is
always given beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from semifactual.errors import ConfigError
from semifactual.evaluation.differences import Point, Tables, best_value, difference, first_reached, value_at
from semifactual.evaluation.run_groups import Group, check_same_sets, differing, group_runs
from semifactual.evaluation.training_runs import TrainingRun

_DEFAULTS = ("accuracy", "variants", "sealed")
_NOT_BETTER_HIGHER = ("truncated", "length", "failed")
_NEVER_ASKED = ("step", "problems", "time/")


def compare_runs(
    runs: Sequence[TrainingRun], metrics: Sequence[str] = (), target: float | None = None
) -> dict[str, Any]:
    """What a comparison finds, as JSON values: see the keys below.

    ``step``: the last step that all runs were validated at, at which they are compared; what a run did after it does
    not count. ``groups``: label, seeds and runs of each. ``metrics``: for each, the target, the values by group, and
    the difference of every other group from the first one.

    Args:
        metrics: keys of eval.jsonl; accuracy, variants and sealed of every set where none is given.
        target: reached at the first validation that is not below it; where not given, what the first group comes to.

    Raises:
        ConfigError: fewer than two runs, runs without a validation in common, or validated on different sets; an
            unknown metric.
    """
    if len(runs) < 2:
        raise ConfigError("a comparison needs two runs or more", hint="name the folders of two training runs")
    check_same_sets(runs)
    groups = group_runs(runs)
    step = _common_step(runs)
    chosen = list(metrics) or _default_metrics(runs)
    _check_metrics(chosen, runs)
    _check_target(chosen, target)
    tables = Tables(runs)
    return {
        "schema": 1,
        "step": step,
        "groups": [_group_facts(group) for group in groups],
        "settings": [{"key": key, "values": values} for key, values in differing(groups)],
        "metrics": [_metric(metric, groups, step, target, tables) for metric in chosen],
        "warnings": list(_warnings(groups, step, tables)),
    }


def is_share(metric: str) -> bool:
    """Whether a metric of validation lies between 0 and 1: all do but the length."""
    return not metric.endswith("/length")


def _metric(metric: str, groups: Sequence[Group], step: int, target: float | None, tables: Tables) -> dict[str, Any]:
    rises = not metric.endswith(tuple(f"/{name}" for name in _NOT_BETTER_HIGHER))
    finals = [{seed: value_at(run, metric, step) for seed, run in group.runs.items()} for group in groups]
    bests = [{seed: best_value(run, metric, step) for seed, run in group.runs.items()} for group in groups]
    aim = target if target is not None else fmean(point.value for point in finals[0].values())
    found: dict[str, Any] = {"metric": metric, "target": aim if rises else None, "target_given": target is not None}
    found["groups"] = [
        {
            "label": group.label,
            "final": _spread(final),
            "best": _spread(best) if rises else None,
            "runs": [
                {
                    "seed": seed,
                    "final": final[seed].value,
                    "best": best[seed].value if rises else None,
                    "best_step": best[seed].step if rises else None,
                    "reached": first_reached(group.runs[seed], metric, aim, step) if rises else None,
                }
                for seed in group.seeds
            ],
        }
        for group, final, best in zip(groups, finals, bests, strict=True)
    ]
    found["differences"] = [
        {
            "label": group.label,
            "baseline": groups[0].label,
            "final": difference(metric, (groups[0], finals[0]), (group, final), tables),
            "best": difference(metric, (groups[0], bests[0]), (group, best), tables) if rises else None,
        }
        for group, final, best in zip(groups[1:], finals[1:], bests[1:], strict=True)
    ]
    return found


def _spread(points: Mapping[int, Point]) -> dict[str, float]:
    values = [point.value for point in points.values()]
    return {"mean": fmean(values), "low": min(values), "high": max(values)}


def _group_facts(group: Group) -> dict[str, Any]:
    return {
        "label": group.label,
        "seeds": group.seeds,
        "runs": [
            {
                "folder": str(run.folder),
                "seed": seed,
                "step": run.step,
                "steps": run.planned,
                "finished": run.finished,
                "seconds": run.seconds,
            }
            for seed, run in sorted(group.runs.items())
        ],
    }


def _common_step(runs: Sequence[TrainingRun]) -> int:
    for run in runs:
        if not run.evaluations:
            hint = "train with eval.every above 0 and a set in eval.sets"
            raise ConfigError(f"{run.folder} has no validation to compare", hint=hint)
    shared = set.intersection(*({int(line["step"]) for line in run.evaluations} for run in runs))
    if not shared:
        raise ConfigError("the runs were never validated at the same step", hint="compare runs with one eval.every")
    return max(shared)


def _available(runs: Sequence[TrainingRun]) -> list[str]:
    """What every run has measured, in the order of the first one's last validation."""
    keys = [set(run.evaluations[-1]) for run in runs]
    ordered = [key for key in runs[0].evaluations[-1] if all(key in own for own in keys)]
    return [key for key in ordered if not key.startswith(_NEVER_ASKED) and not key.endswith("/problems")]


def _default_metrics(runs: Sequence[TrainingRun]) -> list[str]:
    available = _available(runs)
    chosen = [f"{name}/{measure}" for name in runs[0].sets for measure in _DEFAULTS]
    return [key for key in chosen if key in available] or available[:1]


def _check_metrics(chosen: Sequence[str], runs: Sequence[TrainingRun]) -> None:
    available = _available(runs)
    for metric in chosen:
        if metric not in available:
            raise ConfigError(
                f"the runs have no validation metric {metric!r} in common", hint=f"they have {', '.join(available)}"
            )


def _check_target(chosen: Sequence[str], target: float | None) -> None:
    if target is not None and not 0 <= target <= 1 and any(map(is_share, chosen)):
        raise ConfigError(f"the target {target:g} is no share from 0 to 1", hint="write 0.6 for 60 %")


def _warnings(groups: Sequence[Group], step: int, tables: Tables) -> Iterator[str]:
    runs = [run for group in groups for run in group.runs.values()]
    for run in runs:
        if not run.finished:
            yield f"{run.folder} is unfinished: {run.step:,} of {run.planned:,} steps are done."
    if beyond := [run for run in runs if any(line["step"] > step for line in run.evaluations)]:
        names = ", ".join(str(run.folder) for run in beyond)
        yield f"The runs are compared at step {step:,}, the last at which all were validated; {names} went on."
    for group in groups[1:]:
        if not set(group.runs) & set(groups[0].runs):
            yield f"{group.label} and {groups[0].label} have no seed in common, so their runs are not paired."
    if fewest := [group.label for group in groups if len(group.runs) < 3]:
        yield f"Fewer than three seeds: {', '.join(fewest)}. What holds for these runs may not hold for the next seed."
    if not tables.complete:
        yield "Some runs have not kept their validation results prompt by prompt, so intervals come from drawing seeds."
    if len(groups) == 1:
        yield "All runs are of one recipe: there is no other to compare it with."
