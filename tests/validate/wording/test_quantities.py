"""Quantities by value, unit and sort, however they are written."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.text.document import Document
from semifactual.validate.wording.quantities import quantities

DAY, HOUR = 86400, 3600


def stated(text):
    """The values of the quantities that a text must keep, with what tells equal ones apart."""
    return [(quantity.value, quantity.sort) for quantity in quantities(Document(text)) if not quantity.loose]


@pytest.mark.parametrize(
    ("text", "value", "sort"),
    [
        ("Ada has 1,200 nuts.", 1200, ""),
        ("Ada has twelve nuts.", 12, ""),
        ("Ada has three dozen nuts.", 36, ""),
        ("Ada has half a dozen nuts.", 6, ""),
        ("Ada has 2 million nuts.", 2_000_000, ""),
        ("Ada walks two and a half miles.", Fraction(5, 2), ""),
        ("Ada rests for a minute and a half.", Fraction(3, 2), ""),
        ("Ada eats one-fourth of it.", Fraction(1, 4), ""),
        ("Ada eats a fifth of it.", Fraction(1, 5), ""),
        ("Ada eats $\\frac34$ and keeps $7$ nuts.", 7, ""),
        ("Ada has twice as many.", 2, ""),
        ("It grew fourfold.", 4, ""),
        ("It costs 20 percent less.", 20, "%"),
        ("It costs 20% less.", 20, "%"),
        ("The meeting is at 2:30 PM.", 14 * 60 + 30, ":"),
        ("On the seventh day it rained.", 7, "th"),
    ],
)
def test_a_quantity_is_read_by_its_value(text, value, sort):
    assert stated(text) == [(value, sort)]


@pytest.mark.parametrize(
    "text", ["Ada has a nut.", "One of them left.", "The third child waits.", "A pair of socks lies there."]
)
def test_what_may_be_left_out_is_loose(text):
    assert stated(text) == []


@pytest.mark.parametrize(
    ("text", "size", "dimension"),
    [
        ("It takes 2 hours.", 2 * HOUR, "s:1"),
        ("It takes half an hour.", HOUR / 2, "s:1"),
        ("A 15-minute walk.", 900, "s:1"),
        ("It costs $5.", 5, "USD:1"),
        ("It costs 5 dollars.", 5, "USD:1"),
        ("It costs 50 cents.", Fraction(1, 2), "USD:1"),
        ("It takes 2 more days.", 2 * DAY, "s:1"),
        ("It takes 3 years.", 36, "month:1"),
    ],
)
def test_a_measured_quantity_has_a_size(text, size, dimension):
    found = [quantity for quantity in quantities(Document(text)) if not quantity.loose]
    assert [(quantity.size, quantity.dimension) for quantity in found][:1] == [(size, dimension)]


def test_a_unit_without_a_number_is_one_of_it():
    (unit,) = quantities(Document("She swims every day."))
    assert unit.implied and unit.loose and unit.size == DAY


def test_a_ratio_is_read_part_by_part():
    assert stated("They are in the ratio 7:13.") == [(7, ""), (13, "")]


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_error_and_in_order(text):
    places = [(quantity.start, quantity.end) for quantity in quantities(Document(text))]
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert places == sorted(places)
