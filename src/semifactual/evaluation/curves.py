"""Line charts over optimisation steps: where everything stands, decided here, so that a page needs no script for it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from semifactual.html import figure, percent, round_step, tick

MOST_POINTS = 240
"""A longer line is drawn as means over equal stretches of steps."""
FEW_POINTS = 24
"""A shorter line shows its points."""
STYLES = 6
"""Colours of lines, each with its dashes."""
EXTENT = 1000
"""Units of a chart on each side."""
MOST_NAME = 34
"""Characters of a label, its value included, that get room beside a chart."""
LABEL_GAP = 9.5
"""Least distance of two labels, in per cent of a chart's height."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart."""

    name: str
    steps: Sequence[int]
    values: Sequence[float | None]
    style: int = 1
    """1 .. `STYLES`."""
    faint: bool = False
    """Context for others: thin, without a label."""
    dashed: bool = False
    """A bound or a floor rather than a measurement."""


class Scale:
    """A linear axis with round ticks that holds two values, and 0 unless it is told otherwise.

    >>> Scale(-0.2, 0.7).ticks, Scale(0.2, 0.7).at(0.4), Scale(0.98, 1.03, zero=False).ticks
    ((-0.2, 0.0, 0.2, 0.4, 0.6, 0.8), 50.0, (0.98, 0.99, 1.0, 1.01, 1.02, 1.03))
    """

    def __init__(self, low: float, high: float, *, zero: bool = True, most_ticks: int = 5) -> None:
        if zero:
            low, high = min(low, 0.0), max(high, 0.0)
        if high - low < 1e-12 * max(abs(low), abs(high), 1e-300):
            high = low + (abs(low) or 1.0)
        step = round_step((high - low) / most_ticks)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        self.ticks = tuple(float(f"{step * i:.12g}") for i in range(first, last + 1))
        self.low, self.high = self.ticks[0], self.ticks[-1]

    def at(self, value: float) -> float:
        """Per cent from the low end; values beyond an end stand at it."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(max(share, 0.0), 1.0), 2)


def line_chart(
    title: str, lines: Sequence[Line], *, shares: bool = False, zero: bool = True, end: int | None = None
) -> dict[str, Any] | None:
    """A chart for the macro ``lines``, or None where no line has a number.

    Args:
        shares: the values are shares, and are shown as per cent.
        zero: the axis holds 0. A chart without says so.
        end: the last step on the axis; that of the lines where not given.
    """
    drawn = [(line, *thinned(line)) for line in lines if any(value is not None for value in line.values)]
    if not drawn:
        return None
    numbers = [edge for _, points, _ in drawn for point in points for edge in point[1:] if edge is not None]
    scale = Scale(min(numbers), max(numbers), zero=zero)
    last = max(end or 0, 1, *(points[-1][0] for _, points, _ in drawn))
    show = percent if shares else figure
    stretch = max(width for _, _, width in drawn)
    bands = [
        {"d": _band(points, last, scale), "style": line.style}
        for line, points, width in drawn
        if width > 1 and len(drawn) == 1
    ]
    band = ", the band their lowest and highest" if bands else ""
    notes = [f"Each point is the mean of up to {stretch} values{band}."] * (stretch > 1)
    notes += ["The axis does not start at 0."] * (not zero and not scale.low <= 0 <= scale.high)
    return {
        "title": title,
        "shares": shares,
        "levels": [(scale.at(value), _tick(value, shares)) for value in scale.ticks],
        "steps": [(round(100 * step / last, 2), f"{step:,}") for step in _step_ticks(last)],
        "paths": [_path(line, points, last, scale) for line, points, _ in drawn],
        "bands": bands,
        "labels": (labels := _labels(drawn, scale, show)),
        "names_width": min(max([len(f"{label['name']} {label['value']}") for label in labels] or [0]), MOST_NAME),
        "note": " ".join(notes),
        "said": ". ".join(_said(line, show) for line, _, _ in drawn if not line.faint),
        "read": _readings(drawn, last),
    }


Point = tuple[int, float | None, float | None, float | None]
"""A step, and the mean, lowest and highest value there."""


def thinned(line: Line) -> tuple[list[Point], int]:
    """The points to draw, and how many steps each stands for."""
    pairs = list(zip(line.steps, line.values, strict=True))
    width = -(-len(pairs) // MOST_POINTS)
    if width <= 1:
        return [(step, value, value, value) for step, value in pairs], 1
    points: list[Point] = []
    for start in range(0, len(pairs), width):
        part = pairs[start : start + width]
        values = [value for _, value in part if value is not None]
        middle = part[len(part) // 2][0]
        points.append(
            (middle, sum(values) / len(values), min(values), max(values)) if values else (middle, None, None, None)
        )
    return points, width


def _path(line: Line, points: Sequence[Point], last: int, scale: Scale) -> dict[str, Any]:
    """The line, broken where a value is missing, and its points where they are few or alone."""
    runs = [[(_x(step, last), _y(value, scale)) for step, value in run] for run in _runs(points)]
    lines = "".join("M" + "L".join(f"{x} {y}" for x, y in run) for run in runs if len(run) > 1)
    few = len(points) <= FEW_POINTS and not line.faint and not line.dashed
    dots = "".join(f"M{x} {y}h0" for run in runs if few or len(run) == 1 for x, y in run)
    return {"d": lines, "dots": dots, "style": line.style, "faint": line.faint, "dashed": line.dashed}


def _runs(points: Sequence[Point]) -> Iterator[list[tuple[int, float]]]:
    for there, run in groupby(points, key=lambda point: point[1] is not None):
        if there:
            yield [(step, value) for step, value, _, _ in run if value is not None]


def _band(points: Sequence[Point], last: int, scale: Scale) -> str:
    found = [(step, low, high) for step, _, low, high in points if low is not None and high is not None]
    there = [f"{_x(step, last)} {_y(high, scale)}" for step, _, high in found]
    back = [f"{_x(step, last)} {_y(low, scale)}" for step, low, _ in reversed(found)]
    return "M" + "L".join(there + back) + "Z"


def _labels(drawn: Sequence[tuple[Line, list[Point], int]], scale: Scale, show: Any) -> list[dict[str, Any]]:
    """Names beside the ends of their lines, moved apart where they would overlap."""
    found = []
    for line, points, _ in drawn:
        if not line.faint:
            value = next(point[1] for point in reversed(points) if point[1] is not None)
            found.append(
                {"name": line.name, "value": show(value), "at": scale.at(value), "style": line.style}
                | {"dashed": line.dashed}
            )
    found.sort(key=lambda label: -label["at"])
    top = 100.0
    for label in found:  # from the top down, each below the one before
        label["at"] = min(label["at"], top)
        top = label["at"] - LABEL_GAP
    bottom = 0.0
    for label in reversed(found):  # and up again where the last ones fell out below
        label["at"] = round(max(label["at"], bottom), 2)
        bottom = label["at"] + LABEL_GAP
    return found


def _readings(drawn: Sequence[tuple[Line, list[Point], int]], last: int) -> dict[str, Any]:
    """What a page reads out where a pointer stands: each line's value at every step that any line has."""
    named = [(line, {step: value for step, value, _, _ in points}) for line, points, _ in drawn if not line.faint]
    steps = sorted({step for _, values in named for step in values})
    return {
        "last": last,
        "steps": steps,
        "names": [line.name for line, _ in named],
        "values": [[_rounded(values.get(step)) for step in steps] for _, values in named],
    }


def _said(line: Line, show: Any) -> str:
    found = [(step, value) for step, value in zip(line.steps, line.values, strict=True) if value is not None]
    (first, begin), (last, end) = found[0], found[-1]
    low, high = min(value for _, value in found), max(value for _, value in found)
    return (
        f"{line.name}: {show(begin)} at step {first}, {show(end)} at step {last}, between {show(low)} and {show(high)}"
    )


def _x(step: int, last: int) -> int:
    return round(EXTENT * step / last)


def _y(value: float, scale: Scale) -> int:
    return round(EXTENT * (1 - scale.at(value) / 100))


def _step_ticks(last: int) -> list[int]:
    step = max(round(round_step(last / 6)), 1)
    return list(range(0, last + 1, step))


def _tick(value: float, shares: bool) -> str:
    if shares:
        return f"{100 * value:g}\u202f%".replace("-", "−")
    if value and abs(value) < 0.001:
        return figure(value, 1)
    return (f"{value:,.0f}" if abs(value) >= 1000 else tick(value)).replace("-", "−")


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")
