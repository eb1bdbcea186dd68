"""summary.json: what a run found, in the shape that the report and other programs read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from semifactual.drift.distribution import Distribution
from semifactual.drift.measures import Figure, Figures, Measures
from semifactual.drift.taxonomy import CATEGORIES
from semifactual.policy.policy import StopReason

SCHEMA_VERSION = 1
NOISE_FACTOR = 3.0
"""A kind whose drift is within this factor of its noise floor may show arithmetic alone."""
FEW_PROBLEMS = 20
MANY_TRUNCATED = 0.1


def summarise(
    measures: Measures,
    identity: Mapping[str, Any],
    *,
    counts: Mapping[str, int],
    seconds: Mapping[str, float],
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """The summary of a run.

    `identity` is what decided the run (model, source, config, versions); `counts` holds problems and responses that
    were left out; `notes` are what a reader should hear beside the warnings that the measures give rise to.
    """
    config = identity["config"]
    figures = measures.figures(resamples=config["resamples"], seed=config["seed"])
    kinds = {
        kind: _kind(measures, figures, number)
        for number, kind in enumerate(measures.kinds)
        if measures.by_kind[kind].tokens
    }
    return {
        "schema": SCHEMA_VERSION,
        **identity,
        "counts": {
            "problems": measures.problems,
            "responses": measures.responses,
            "tokens": measures.drift.tokens,
            "truncated": measures.stops.get(StopReason.LENGTH, 0),
            **counts,
        },
        "accuracy": _known(figures.accuracy.value),
        "accuracy_interval": _interval(figures.accuracy),
        "drift": _drift(figures.drift, measures.drift),
        "kinds": kinds,
        "noise_floor": {
            "mean": measures.noise_sum / measures.noise.tokens,
            "max": measures.noise_max,
            "share_zero": measures.noise.zeros / measures.noise.tokens,
        },
        "categories": _categories(measures, figures),
        "posix": _mean(figures.posix),
        "kinds_by_category": _kinds_by_category(measures),
        "top_tokens": measures.top.to_json(),
        "warnings": [*notes, *_warnings(measures, kinds)],
        "seconds": {step: round(spent, 3) for step, spent in seconds.items()},
    }


def _kind(measures: Measures, figures: Figures, number: int) -> dict[str, Any]:
    kind = measures.kinds[number]
    noise, drift = measures.noise_floor(number), figures.kind_drift[number]
    return {
        "drift": _drift(drift, measures.by_kind[kind]),
        "contrast": _mean(figures.kind_contrast[number]),
        "posix": _mean(figures.kind_posix[number]),
        "noise_floor": noise,
        "within_noise": bool(drift.value <= NOISE_FACTOR * noise),
        "problems": int(measures.kind_problems[number]),
        "responses": int(measures.kind_responses[number]),
        "tokens": measures.by_kind[kind].tokens,
    }


def _categories(measures: Measures, figures: Figures) -> dict[str, Any]:
    overall = figures.drift.value
    return {
        category.value: {
            "tokens": (tokens := int(measures.of_category[number])),
            "share": tokens / measures.drift.tokens,
            "drift": _known(figure.value),
            "relative": _known(figure.value / overall) if overall else None,
            "interval": _interval(figure),
        }
        for number, (category, figure) in enumerate(zip(CATEGORIES, figures.category_drift, strict=True))
    }


def _kinds_by_category(measures: Measures) -> dict[str, dict[str, float | None]]:
    return {
        kind: {
            category.value: float(drift) / int(tokens) if tokens else None
            for category, drift, tokens in zip(CATEGORIES, of_kind, tokens_of_kind, strict=True)
        }
        for kind, of_kind, tokens_of_kind in zip(
            measures.kinds, measures.category_drift, measures.category_tokens, strict=True
        )
        if tokens_of_kind.any()
    }


def _drift(figure: Figure, distribution: Distribution) -> dict[str, Any]:
    return {**_mean(figure), **distribution.to_json()}


def _mean(figure: Figure) -> dict[str, Any]:
    return {"mean": _known(figure.value), "interval": _interval(figure)}


def _interval(figure: Figure) -> list[float] | None:
    return None if math.isnan(figure.low) else [figure.low, figure.high]


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _warnings(measures: Measures, kinds: Mapping[str, Any]) -> list[str]:
    found = [f"No problem has a rewrite of the kind {kind}." for kind in measures.kinds if kind not in kinds]
    for kind, of_kind in kinds.items():
        if of_kind["within_noise"]:
            found.append(
                f"The drift of {kind} ({of_kind['drift']['mean']:.2g}) is within three times of its noise floor "
                f"({of_kind['noise_floor']:.2g}): arithmetic alone may explain it."
            )
    if measures.problems == 1:
        found.append("There is one problem, and so there are no intervals.")
    elif measures.problems < FEW_PROBLEMS:
        found.append(f"The intervals rest on {measures.problems:,} problems, which is few: read them with care.")
    truncated = measures.stops.get(StopReason.LENGTH, 0)
    if truncated > MANY_TRUNCATED * measures.responses:
        found.append(
            f"{truncated:,} of {measures.responses:,} responses reached the longest allowed length and are cut off; "
            "their last tokens are missing, and most have no answer."
        )
    return found
