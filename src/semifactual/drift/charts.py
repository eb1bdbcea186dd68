"""The charts of the drift report as positions in per cent, and the facts that its sentences state."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from semifactual.drift.exhibits import CELLS, Transition
from semifactual.html import Axis, tick

HEAT_CLASSES = 7
FEW_TOKENS = 50
"""Categories with fewer tokens are left out of the sentence that names the highest and the lowest."""


def kind_chart(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Mean drift by kind with its interval and noise floor, highest first."""
    kinds = {name: kind for name, kind in summary["kinds"].items() if kind["drift"]["mean"] is not None}
    axis = Axis(max(_ends(kind["drift"])[1] for kind in kinds.values()))
    rows = [
        {
            "name": name,
            "value": kind["drift"]["mean"],
            "at": axis.at(kind["drift"]["mean"]),
            "interval": kind["drift"]["interval"],
            "low": axis.at(_ends(kind["drift"])[0]),
            "high": axis.at(_ends(kind["drift"])[1]),
            "noise": kind["noise_floor"],
            "noise_at": axis.at(kind["noise_floor"]),
            "within_noise": kind["within_noise"],
        }
        for name, kind in sorted(kinds.items(), key=lambda item: -item[1]["drift"]["mean"])
    ]
    apart = len(rows) > 1 and _ends(kinds[rows[0]["name"]]["drift"])[0] > _ends(kinds[rows[-1]["name"]]["drift"])[1]
    return {"axis": axis, "rows": rows, "apart": apart, "most_noise": max(row["noise"] or 0.0 for row in rows)}


def _ends(measure: Mapping[str, Any]) -> tuple[float, float]:
    """The interval's ends; the mean twice where too few problems gave no interval."""
    low, high = measure["interval"] or (measure["mean"], measure["mean"])
    return low, high


def category_chart(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Drift by category as a multiple of the overall mean, highest first, and the same by kind."""
    found = {name: one for name, one in summary["categories"].items() if one["tokens"]}
    ordered = sorted(found, key=lambda name: -found[name]["drift"])
    overall = summary["drift"]["mean"] or 1.0
    ends = {name: [end / overall for end in one["interval"] or [one["drift"]] * 2] for name, one in found.items()}
    axis = Axis(max([1.0, *(high for _, high in ends.values())]))
    rows = [
        {
            **found[name],
            "name": name,
            "at": axis.at(found[name]["relative"] or 0.0),
            "low": axis.at(ends[name][0]),
            "high": axis.at(ends[name][1]),
        }
        for name in ordered
    ]
    kinds = {kind: summary["kinds_by_category"][kind] for kind in summary["kinds"]}
    highest = max((value or 0.0 for by_category in kinds.values() for value in by_category.values()), default=0.0)
    table = [
        (name, [(kinds[kind].get(name), _tint(kinds[kind].get(name), highest)) for kind in kinds]) for name in ordered
    ]
    named = [row for row in rows if row["tokens"] >= FEW_TOKENS] or rows
    return {"axis": axis, "one": axis.at(1.0), "rows": rows, "table": table, "most": named[0], "least": named[-1]}


def _tint(value: float | None, highest: float) -> int:
    """The heat class of a cell on a linear scale from 0 to the highest cell."""
    return min(int(HEAT_CLASSES * value / highest), HEAT_CLASSES - 1) + 1 if value and highest else 0


def histogram_chart(distribution: Mapping[str, Any], tokens: int, noise: float) -> dict[str, Any]:
    """The share of tokens in each bin, on a logarithmic axis that begins where tokens do.

    Tokens that did not move at all, and those below the first edge, stand apart on the same vertical axis. `noise` is
    the highest drift that arithmetic alone gave to a token; it is marked where the axis reaches it.
    """
    edges, counts = distribution["histogram"]["edges"], distribution["histogram"]["counts"]
    zero = round(distribution["share_zero"] * tokens)
    below = counts[0] - zero
    first = 1 if below else next((i for i, number in enumerate(counts) if i and number), 1)
    shares = [number / tokens for number in counts[first:]]
    axis = Axis(max([*shares, below / tokens, zero / tokens]), most_ticks=4)
    origin, end = math.log10(edges[first]), math.log10(edges[-1])

    def place(edge: float) -> float:
        return round(100 * (math.log10(edge) - origin) / (end - origin), 3)

    bars = [
        {
            "low": low,
            "high": high,
            "share": share,
            "left": place(low),
            "width": round(place(high) - place(low), 3),
            "height": axis.at(share),
        }
        for (low, high), share in zip(pairwise(edges[first:]), shares, strict=True)
    ]
    powers = range(math.ceil(origin - 1e-9), math.floor(end) + 1)
    apart = [("no change", zero / tokens)] + [(f"below {tick(edges[1])}", below / tokens)] * bool(below)
    return {
        "axis": axis,
        "bars": bars,
        "ticks": [(10.0**power, max(place(10.0**power), 0.0)) for power in powers],
        "noise": {"value": noise, "at": place(noise)} if noise > edges[first] else None,
        "apart": [{"name": name, "share": share, "height": axis.at(share)} for name, share in apart],
    }


def transition_charts(transitions: Mapping[str, Transition], order: Sequence[str]) -> dict[str, Any]:
    """For each kind the cells of its plane as one path for each heat class, on one logarithmic scale for all kinds."""
    largest = max((int(one.cells.max()) for one in transitions.values()), default=1)
    charts: list[dict[str, Any]] = []
    for kind in (kind for kind in order if kind in transitions):
        one = transitions[kind]
        classes = heat_classes(one, largest)
        paths = []
        for level in range(1, HEAT_CLASSES + 1):
            cells = "".join(f"M{i} {CELLS - 1 - j}h1v1h-1z" for i, j in np.argwhere(classes == level))
            if cells:
                paths.append((level, cells))
        moved = {"fell": one.fell / one.tokens, "rose": one.rose / one.tokens} if one.tokens else {"fell": 0, "rose": 0}
        charts.append({"kind": kind, "paths": paths, "tokens": one.tokens, **moved})
    return {
        "charts": charts,
        "largest": largest,
        "falling": bool(charts) and all(one["fell"] > one["rose"] for one in charts),
        "rising": bool(charts) and all(one["rose"] > one["fell"] for one in charts),
    }


def heat_classes(transition: Transition, largest: int) -> Any:
    """The class of every cell: 0 where no token is, else 1 .. `HEAT_CLASSES` by the logarithm of their number."""
    cells = transition.cells
    share = np.log(np.maximum(cells, 1)) / math.log(max(largest, 2))
    return np.where(cells > 0, np.minimum((share * HEAT_CLASSES).astype(int), HEAT_CLASSES - 1) + 1, 0)
