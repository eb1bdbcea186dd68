"""Pages, figures as text, and the palette that every report shares."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.html import PALETTE, Axis, figure, script_json, visible
from semifactual.resources import template_names, template_text, template_yaml

texts = st.text(st.characters(codec=None), max_size=40)  # half surrogates too


@given(st.dictionaries(texts, st.lists(texts | st.integers() | st.none())))
def test_data_comes_back_from_a_script_and_cannot_end_it(value: Any) -> None:
    text = str(script_json(value))
    assert json.loads(text) == value
    assert text.isascii()
    assert not set("<>&") & set(text)


def test_data_refuses_what_json_does_not_know() -> None:
    with pytest.raises(ValueError, match="JSON"):
        script_json(float("nan"))


@given(texts)
def test_shown_text_acts_on_nothing(text: str) -> None:
    assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]", visible(text))


def test_joiners_of_words_and_emoji_stay() -> None:
    assert visible("👩\u200d🚀 می\u200cخواهم") == "👩\u200d🚀 می\u200cخواهم"


@given(st.floats(min_value=1e-12, max_value=1e6), st.integers(2, 7))
def test_an_axis_holds_its_values_and_is_not_much_longer(largest: float, most: int) -> None:
    axis = Axis(largest, most)
    assert axis.top >= largest * (1 - 1e-6)
    assert len(axis.ticks) <= most + 1
    assert 0 <= axis.at(largest / 2) <= 50.01
    assert axis.at(largest) > 35


def test_an_axis_of_nothing_is_still_an_axis() -> None:
    assert Axis(0.0).ticks == (0.0, 1.0)


@given(st.floats(min_value=1e-9, max_value=1e6))
def test_a_figure_keeps_three_digits(value: float) -> None:
    text = figure(value).replace(",", "")
    powers = text.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")).replace(" × 10", "e")
    assert float(powers) == pytest.approx(value, rel=0.0051)


def luminance(colour: str) -> float:
    """Relative luminance by WCAG 2.2."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_text_stands_out_from_its_paper(mode: str) -> None:
    colours = template_yaml(PALETTE)[mode]
    pairs = [(ink, paper) for ink in ("ink", "muted", "accent", "noise") for paper in ("paper", "panel")]
    pairs += [(f"{name}_ink", f"{name}_paper") for name in ("warning", "removed", "added")]
    pairs += [("paper", "accent")]
    faint = {f"{ink} on {paper}": contrast(colours[ink], colours[paper]) for ink, paper in pairs}
    faint |= {f"{ink} on {paper}": contrast(ink, paper) for paper, ink in colours["heat"]}
    assert {pair: ratio for pair, ratio in faint.items() if ratio < 4.5} == {}


@pytest.mark.parametrize(("mode", "direction"), [("light", -1), ("dark", 1)])
def test_heat_goes_one_way_in_lightness(mode: str, direction: int) -> None:
    colours = template_yaml(PALETTE)[mode]
    steps = [luminance(paper) for paper in (colours["paper"], *(paper for paper, _ in colours["heat"]))]
    assert all((later - earlier) * direction > 0 for earlier, later in pairwise(steps))


@pytest.mark.parametrize("name", template_names("report"))
def test_templates_load_nothing(name: str) -> None:
    loads = r"https?:|@import|url\(|\bfetch\(|innerHTML|XMLHttpRequest|<link(?![^>]*data:,)"
    assert not re.search(loads, template_text(name))
