"""Training runs put together by recipe, so that what differs within a group is the seed alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from semifactual.errors import ConfigError
from semifactual.evaluation.training_runs import TrainingRun

_FREE = ("seed", "label", "steps", "eval", "checkpoint", "log")
"""Sections that say how long a run goes on, what is measured, kept and written down, and which draw it is."""
_FREE_INSIDE = (
    ("model", "device"),
    ("model", "tokens_per_batch"),
    ("optim", "microbatch_tokens"),
    ("optim", "shared_prompts"),
)
"""Settings that change speed and memory alone."""
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class Group:
    """Runs of one recipe, by seed."""

    label: str
    runs: Mapping[int, TrainingRun]
    settings: Mapping[str, Any]
    """What decides the numbers but for the seed, by dotted key."""

    @property
    def seeds(self) -> list[int]:
        return sorted(self.runs)


def group_runs(runs: Sequence[TrainingRun]) -> list[Group]:
    """The groups in the order in which their first runs come.

    Groups are told apart by their settings. Where two have the same label, it is followed by what differs.

    Raises:
        ConfigError: two runs have the same recipe and the same seed.
    """
    found: dict[str, dict[int, TrainingRun]] = {}
    settings: dict[str, dict[str, Any]] = {}
    for run in runs:
        own = dict(_flat(_deciding(run.recipe)))
        key = json.dumps(own, sort_keys=True)
        settings[key] = own
        beside = found.setdefault(key, {})
        if run.seed in beside:
            raise ConfigError(
                f"{beside[run.seed].folder} and {run.folder} have the same recipe and the same seed {run.seed}",
                hint="give each run once; runs of one recipe are told apart by --set seed=N",
            )
        beside[run.seed] = run
    labels = _labels([next(iter(members.values())).label for members in found.values()], list(settings.values()))
    return [Group(label, members, settings[key]) for label, (key, members) in zip(labels, found.items(), strict=True)]


def differing(groups: Sequence[Group]) -> list[tuple[str, list[str]]]:
    """The settings in which the groups differ, with the value of each group."""
    return [
        (key, [_shown(group.settings.get(key)) for group in groups])
        for key in _differing_keys([group.settings for group in groups])
    ]


def check_same_sets(runs: Sequence[TrainingRun]) -> None:
    """Check that all runs were validated on the same sets, in the same way.

    Raises:
        ConfigError: they were not; the first difference is named.
    """
    first, *others = runs
    wanted = _sets(first)
    for run in others:
        own = _sets(run)
        for key in sorted({*wanted, *own}):
            if wanted.get(key) != own.get(key):
                raise ConfigError(
                    f"{first.folder} and {run.folder} were validated differently: {key} is"
                    f" {_shown(wanted.get(key))} and {_shown(own.get(key))}",
                    hint="compare runs with the same validation sets and the same reward",
                )


def _sets(run: TrainingRun) -> dict[str, Any]:
    longest = run.recipe.get("rollout", {}).get("max_new_tokens")
    found: dict[str, Any] = {"reward.function": run.recipe.get("reward", {}).get("function")}
    for name, settings in run.sets.items():
        counted = {**settings, "max_new_tokens": settings.get("max_new_tokens") or longest}
        found |= _flat({"eval": {"sets": {name: counted}}})
    return found


def _deciding(recipe: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in recipe.items() if key not in _FREE}
    for section, key in _FREE_INSIDE:
        if isinstance(kept.get(section), Mapping):
            kept[section] = {name: value for name, value in kept[section].items() if name != key}
    return kept


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _labels(names: Sequence[str], settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """A label for each group: its name, and in brackets what sets it apart from others of that name."""
    labels = []
    for place, name in enumerate(names):
        alike = [own for other, own in zip(names, settings, strict=True) if other == name]
        keys = _differing_keys(alike)
        parts = [f"{key}={_shown(settings[place].get(key))}" for key in keys[:_MOST_NAMED]]
        parts += ["..."] * (len(keys) > _MOST_NAMED)
        labels.append(f"{name} ({', '.join(parts)})" if parts else name)
    return labels


def _differing_keys(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    keys = dict.fromkeys(key for own in settings for key in own)
    return [key for key in keys if len({json.dumps(own.get(key)) for own in settings}) > 1]


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
