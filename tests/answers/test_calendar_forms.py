from __future__ import annotations

from fractions import Fraction

import pytest

from semifactual.answers.calendar_forms import clock, date, ratio
from semifactual.answers.tree import CalendarDate, Clock, Ratio


@pytest.mark.parametrize(
    ("text", "minutes", "half"),
    [("3:30", 210, ""), ("3:30 p.m.", 210, "pm"), ("3:30PM", 210, "pm"), ("7 am", 420, "am"), ("0:00", 0, "")],
)
def test_times(text: str, minutes: int, half: str) -> None:
    assert clock(text) == Clock(Fraction(minutes), half)


@pytest.mark.parametrize("text", ["3:60", "3", "3:5", "130:00", "noon"])
def test_no_times(text: str) -> None:
    assert clock(text) is None


def test_ratios() -> None:
    assert ratio("2:4:6") == Ratio((Fraction(2), Fraction(4), Fraction(6)))
    assert ratio("1 to 2") == Ratio((Fraction(1), Fraction(2)))
    assert ratio("3:30") == Ratio((Fraction(3), Fraction(30)), could_be_time=True)
    assert ratio("3") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("March 3, 2021", CalendarDate(2021, 3, 3)),
        ("3 Mar 2021", CalendarDate(2021, 3, 3)),
        ("2021-03-03", CalendarDate(2021, 3, 3)),
        ("July 4th", CalendarDate(None, 7, 4)),
        ("4th of July", CalendarDate(None, 7, 4)),
        ("03/04/2021", None),
        ("March 32", None),
        ("2021-13-01", None),
    ],
)
def test_dates(text: str, expected: CalendarDate | None) -> None:
    assert date(text) == expected
