"""Exact values of quantity spans."""

from fractions import Fraction

import pytest

from semifactual.text.document import Document
from semifactual.text.values import QUANTITIES, quantity_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$1,250.50", Fraction(2501, 2)),
        ("$3 million", 3_000_000),
        ("7.5%", Fraction(15, 2)),
        ("3rd", 3),
        ("1 1/2", Fraction(3, 2)),
        ("-4", -4),
        ("half a dozen", Fraction(1, 2)),  # two spans: the first is "half"
        ("two hundred and five", 205),
        ("forty-two thousand", 42_000),
        ("two-thirds", Fraction(2, 3)),
        ("three dozen", 36),
        ("one hundred twelve", 112),
        ("three halves", Fraction(3, 2)),
        ("2½", Fraction(5, 2)),
        ("⅔", Fraction(2, 3)),
        ("10,000th", 10_000),
        ("fourth", 4),
        ("twenty-first", 21),
        ("one hundred and fifth", 105),
        ("5:30 PM", None),
        ("1/0", None),
    ],
)
def test_value_of_the_first_quantity(text, value):
    document = Document(text)
    assert quantity_value(text, next(document.of_type(*QUANTITIES))) == value
