"""Where a chart puts things, on cases worked by hand."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.evaluation.curves import EXTENT, LABEL_GAP, MOST_POINTS, STYLES, Line, Scale, line_chart, thinned
from semifactual.html import PALETTE
from semifactual.resources import template_yaml
from tests.test_html import contrast

values = st.floats(-1e6, 1e6, allow_nan=False).filter(lambda value: value == 0 or abs(value) > 1e-9)


@given(st.lists(values, min_size=1, max_size=9), st.booleans())
def test_a_scale_holds_its_values_in_order(found: list[float], zero: bool) -> None:
    scale = Scale(min(found), max(found), zero=zero)
    tolerance = 1e-6 * max(abs(scale.low), abs(scale.high))
    assert scale.low <= min(found) + tolerance and scale.high >= max(found) - tolerance
    assert not zero or scale.low <= 0 <= scale.high
    assert [scale.at(value) for value in sorted(found)] == sorted(scale.at(value) for value in found)
    assert 2 <= len(scale.ticks) <= 8


def test_points_of_a_line_worked_by_hand() -> None:
    """The axis goes from 0 to 1 and to step 4, so 0.5 at step 1 stands a quarter to the right, half way up."""
    chart = line_chart("t", [Line("a", [0, 1, 4], [0.0, 0.5, 1.0])])
    assert chart is not None
    assert chart["paths"][0]["d"] == "M0 1000L250 500L1000 0"
    assert chart["paths"][0]["dots"] == "M0 1000h0M250 500h0M1000 0h0"
    assert chart["said"] == "a: 0 at step 0, 1.00 at step 4, between 0 and 1.00"
    assert chart["labels"] == [{"name": "a", "value": "1.00", "at": 100.0, "style": 1, "dashed": False}]


def test_a_missing_value_breaks_the_line() -> None:
    chart = line_chart("t", [Line("a", [0, 1, 2, 3], [1.0, 1.0, None, 1.0])])
    assert chart is not None
    assert chart["paths"][0]["d"] == "M0 0L333 0"
    assert "M1000 0h0" in chart["paths"][0]["dots"]
    assert chart["read"]["values"] == [[1.0, 1.0, None, 1.0]]


def test_a_chart_of_nothing_is_none() -> None:
    assert line_chart("t", [Line("a", [], []), Line("b", [1], [None])]) is None


def test_an_axis_without_zero_says_so() -> None:
    lines = [Line("a", [1, 2], [1.0, 1.01])]
    without, plain = line_chart("t", lines, zero=False), line_chart("t", lines)
    assert without is not None and plain is not None
    assert without["note"] == "The axis does not start at 0."
    assert plain["note"] == "" and plain["levels"][0] == (0.0, "0")


def test_a_long_line_is_drawn_as_means_with_a_band() -> None:
    line = Line("a", list(range(1, 1001)), [float(step % 2) for step in range(1000)])
    points, width = thinned(line)
    assert width == 5 and len(points) == 200 <= MOST_POINTS
    assert points[0] == (3, 0.4, 0.0, 1.0)  # 0 1 0 1 0
    chart = line_chart("t", [line])
    assert chart is not None
    assert chart["note"] == "Each point is the mean of up to 5 values, the band their lowest and highest."
    assert chart["bands"][0]["d"].endswith("Z")
    assert chart["paths"][0]["dots"] == ""


def test_two_long_lines_have_no_band() -> None:
    steps = list(range(1, 1001))
    chart = line_chart("t", [Line("a", steps, [0.5] * 1000), Line("b", steps, [1.0] * 1000, style=2)])
    assert chart is not None
    assert chart["bands"] == [] and chart["note"] == "Each point is the mean of up to 5 values."


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_line_and_its_name_stand_out_from_the_paper(mode: str) -> None:
    colours = template_yaml(PALETTE)[mode]
    lines = [colours[f"line_{style}"] for style in range(1, STYLES + 1)]
    assert len(set(lines)) == STYLES
    assert min(contrast(line, colours["paper"]) for line in lines) >= 4.5


def test_a_lasting_gap_survives_thinning() -> None:
    points, _ = thinned(Line("a", list(range(1000)), [None] * 500 + [1.0] * 500))
    assert points[0][1] is None and points[-1][1] == 1.0


@given(st.lists(st.floats(0, 1), min_size=2, max_size=9))
def test_labels_keep_apart_and_inside(found: list[float]) -> None:
    chart = line_chart("t", [Line(f"line {i}", [1, 2], [0.5, value]) for i, value in enumerate(found)], shares=True)
    assert chart is not None
    places = [label["at"] for label in chart["labels"]]
    assert all(above - below >= LABEL_GAP - 0.02 for above, below in pairwise(places))
    assert all(-0.01 <= place <= 100.01 for place in places)


@given(st.lists(st.none() | values, min_size=1, max_size=50))
def test_everything_stands_inside_the_chart(found: list[float | None]) -> None:
    chart = line_chart("t", [Line("a", list(range(len(found))), found)])
    if chart is not None:
        numbers = [int(number) for path in chart["paths"] for number in re.findall(r"-?\d+", path["d"])]
        assert all(0 <= number <= EXTENT for number in numbers)


@pytest.mark.parametrize(("value", "text"), [(0.25, "25\u202f%"), (0.0, "0\u202f%")])
def test_shares_are_per_cent(value: float, text: str) -> None:
    chart = line_chart("t", [Line("a", [1, 2], [0.5, value])], shares=True)
    assert chart is not None
    assert text in [label for _, label in chart["levels"]] or value == 0.25
    assert chart["labels"][0]["value"].replace("25.0", "25") == text
