"""RUN/plots: the charts of the report as PNG and SVG files for papers and slides, the same bytes every time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semifactual.drift.charts import category_chart, heat_classes, histogram_chart, kind_chart
from semifactual.drift.exhibits import CELLS, Transition, read_transitions
from semifactual.drift.report import read_summary
from semifactual.errors import ConfigError
from semifactual.html import PALETTE, spoken
from semifactual.resources import template_yaml

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FOLDER = "plots"
WIDTH = 6.4
"""Inches; a plot's text is set for this width."""


def write_plots(run: Path) -> list[Path]:
    """Write kinds, categories, histogram and transitions, each as .png and .svg, from summary.json and logps.parquet.

    Raises:
        SourceError: the folder lacks one of the files.
        ConfigError: matplotlib is not installed.
    """
    summary = read_summary(run)
    found = read_transitions(run)
    transitions = {kind: found[kind] for kind in summary["kinds"]}
    plots: dict[str, Callable[[Figure], None]] = {
        "kinds": lambda figure: draw_kinds(figure, summary),
        "categories": lambda figure: draw_categories(figure, summary),
        "histogram": lambda figure: draw_histogram(figure, summary),
        "transitions": lambda figure: draw_transitions(figure, transitions),
    }
    folder = run / FOLDER
    folder.mkdir(exist_ok=True)
    written = []
    with _style() as new_figure:
        for name, draw in plots.items():
            figure = new_figure()
            draw(figure)
            for ending, unstable in (("png", "Software"), ("svg", "Date")):
                path = folder / f"{name}.{ending}"
                figure.savefig(path, metadata={unstable: None})
                written.append(path)
    return written


@contextmanager
def _style() -> Iterator[Callable[[], Figure]]:
    """Colours of the report's light theme, nothing random, no window system."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise ConfigError("plots need matplotlib, which is not installed", hint="pip install matplotlib") from missing
    ink = _colours()
    settings: dict[Any, Any] = {
        "svg.hashsalt": "semifactual",
        "figure.dpi": 100,
        "savefig.dpi": 200,
        "savefig.bbox": "tight",
        "font.family": "DejaVu Sans",  # comes with matplotlib, so that every machine draws the same
        "font.size": 9,
        "axes.titlesize": 10,
        "axes.titlelocation": "left",
        "axes.titleweight": "bold",
        "axes.edgecolor": ink["muted"],
        "axes.labelcolor": ink["ink"],
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "xtick.color": ink["muted"],
        "ytick.color": ink["ink"],
        "grid.color": ink["line"],
        "text.color": ink["ink"],
        "figure.facecolor": "white",
        "legend.frameon": False,
    }
    with matplotlib.rc_context(settings):
        yield lambda: Figure(layout="constrained")


def _colours() -> Mapping[str, Any]:
    colours: Mapping[str, Any] = template_yaml(PALETTE)["light"]
    return colours


def draw_kinds(figure: Figure, summary: Mapping[str, Any]) -> None:
    """Mean drift by kind with its interval, and the noise floor."""
    rows, ink = kind_chart(summary)["rows"], _colours()
    axes = _rows_of(figure, [row["name"] for row in rows])
    for place, row in enumerate(rows):
        _whisker(axes, place, row["interval"])
        axes.plot(row["value"], place, "o", color=ink["accent"], label="mean, 95 % interval" if not place else None)
        if row["noise"] is not None:
            label = "noise floor" if not place else None
            axes.plot(row["noise"], place, "|", color=ink["noise"], markersize=12, markeredgewidth=2.5, label=label)
    axes.set(title="Mean drift by kind of rewrite", xlabel="mean drift d (0 to 2)", xlim=(0, None))
    axes.legend(loc="lower right")


def draw_categories(figure: Figure, summary: Mapping[str, Any]) -> None:
    """Drift by category as a multiple of the overall mean, with the share of tokens."""
    rows, ink = category_chart(summary)["rows"], _colours()
    overall = summary["drift"]["mean"] or 1.0
    axes = _rows_of(figure, [f"{spoken(row['name'])}\n{row['share']:.1%} of tokens" for row in rows])
    axes.barh(range(len(rows)), [row["relative"] or 0.0 for row in rows], 0.6, color=ink["accent_soft"])
    for place, row in enumerate(rows):
        _whisker(axes, place, row["interval"] and [end / overall for end in row["interval"]])
    axes.axvline(1, color=ink["ink"], linestyle="--", linewidth=1)
    axes.set(title="Mean drift by category of token", xlabel="multiple of the overall mean, 95 % interval")
    axes.set_xlim(left=0)


def draw_histogram(figure: Figure, summary: Mapping[str, Any]) -> None:
    """The share of tokens by drift; those that did not move stand apart."""
    chart = histogram_chart(summary["drift"], summary["counts"]["tokens"], summary["noise_floor"]["max"])
    ink = _colours()
    figure.set_size_inches(WIDTH, 3.2)
    apart, spread = figure.subplots(1, 2, sharey=True, width_ratios=[1, 6])
    shades = [ink["muted"], ink["accent_soft"]]
    for part, shade in zip(chart["apart"], shades, strict=False):
        apart.bar(part["name"].replace(" ", "\n"), 100 * part["share"], 0.7, color=shade)
    lows, widths = ([bar["low"] for bar in chart["bars"]], [bar["high"] - bar["low"] for bar in chart["bars"]])
    heights = [100 * bar["share"] for bar in chart["bars"]]
    spread.bar(lows, heights, widths, align="edge", color=ink["accent"], edgecolor="white", linewidth=0.5)
    spread.set(title="Share of tokens by drift", xlabel="drift d, averaged over kinds (logarithmic)", xscale="log")
    if chart["noise"]:
        spread.axvline(chart["noise"]["value"], color=ink["noise"], linewidth=2, label="highest noise of a token")
        spread.legend()
    spread.set_xlim(lows[0], chart["bars"][-1]["high"])
    apart.set_ylabel("% of tokens")
    for axes in (apart, spread):
        axes.grid(axis="y")
        axes.tick_params(axis="x", labelsize=8)


def draw_transitions(figure: Figure, transitions: Mapping[str, Transition]) -> None:
    """For each kind the plane of p0 and pk, shaded by the logarithm of the number of tokens."""
    from matplotlib.colors import ListedColormap

    ink = _colours()
    largest = max((int(one.cells.max()) for one in transitions.values()), default=1)
    shades = ListedColormap([paper for paper, _ in ink["heat"]])
    across = min(len(transitions), 4)
    down = -(-len(transitions) // across)
    figure.set_size_inches(max(WIDTH, 2.2 * across), 2.5 * down)
    planes = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    for axes in planes.flat[len(transitions) :]:
        axes.set_axis_off()
    for axes, (kind, one) in zip(planes.flat, transitions.items(), strict=False):
        for end in ((1, 1), (1, 1 / 3), (1 / 3, 1)):
            style, height = ("-", 0) if end == (1, 1) else ("--", 2)
            axes.plot([0, end[0]], [0, end[1]], color=ink["muted"], linewidth=0.7, linestyle=style, zorder=height)
        classes = np.ma.masked_equal(heat_classes(one, largest).T, 0)
        axes.imshow(classes, cmap=shades, vmin=1, vmax=len(ink["heat"]), origin="lower", extent=(0, 1, 0, 1), zorder=1)
        axes.set(title=kind, xlim=(0, 1), ylim=(0, 1), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
        axes.title.set_fontsize(8)
    figure.supxlabel(f"p0, original ({CELLS} × {CELLS} cells of 1 to {largest:,} tokens, logarithmic)", fontsize=9)
    figure.supylabel("pk, rewrite", fontsize=9)


def _rows_of(figure: Figure, names: list[str]) -> Axes:
    """Axes with a row for each name, the first on top."""
    figure.set_size_inches(WIDTH, 1.1 + 0.45 * len(names))
    axes: Axes = figure.subplots()
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
    return axes


def _whisker(axes: Axes, place: int, interval: Any) -> None:
    if interval:
        axes.plot(interval, [place, place], color=_colours()["accent"], linewidth=1.6, solid_capstyle="butt")
