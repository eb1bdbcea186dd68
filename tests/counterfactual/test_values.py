from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.counterfactual.values import numeral


@given(st.integers(2, 10**9), st.integers(0, 3), st.booleans())
def test_other_values_are_written_in_the_same_form(scaled: int, places: int, grouped: bool) -> None:
    whole, rest = divmod(scaled, 10**places)
    text = f"{whole:{',' if grouped else ''}}" + (f".{rest:0{places}}" if places else "")
    number = numeral(text)
    assert number is not None
    assert number.written(number.value) == text
    for value in number.others():
        written = number.written(value)
        assert value != number.value and number.value / 2 <= value <= number.value * 2
        assert written is not None and numeral(written).value == value  # type: ignore[union-attr]
        assert len(written.partition(".")[2]) == places


@pytest.mark.parametrize(
    ("text", "near"), [("7", {"6", "8"}), ("35", {"30", "40"}), ("600", {"500", "700"}), ("2.50", {"2.00", "3.00"})]
)
def test_other_values_are_as_round(text: str, near: set[str]) -> None:
    number = numeral(text)
    assert number is not None
    others = [number.written(value) for value in number.others()]
    assert near <= set(others)
    assert set(others) <= {number.written(number.value + n * step_of(near, number.value)) for n in range(-20, 21)}


def step_of(near: set[str], value: Fraction) -> Fraction:
    return abs(Fraction(min(near, key=float)) - value)


@pytest.mark.parametrize("text", ["", "x", "1/2", "12,34", "-3", "1 000", "3%", "1" * 13])
def test_what_is_no_plain_number_has_no_form(text: str) -> None:
    assert numeral(text) is None


def test_a_value_that_the_form_cannot_hold_is_not_written() -> None:
    number = numeral("3.5")
    assert number is not None
    assert number.written(Fraction(1, 3)) is None
