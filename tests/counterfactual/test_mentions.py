from __future__ import annotations

from fractions import Fraction

import pytest

from semifactual.counterfactual.mentions import implied_constants, mentions
from semifactual.text.document import Document


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Al has 3 figs, four dates and half a lime.", {3, 4, Fraction(1, 2)}),
        ("Every fifth day, a third of them.", {5, Fraction(1, 5), Fraction(1, 3)}),
        ("On the twentieth and 21st at 7:30.", {20, Fraction(1, 20), 21, Fraction(1, 21), 7, 30}),
        ("It is $1,500, of which 20% is in $x^2 + 9$.", {1500, 20, 2, 9}),
    ],
)
def test_every_number_is_noticed_however_it_is_written(text: str, values: set[Fraction]) -> None:
    assert {mention.value for mention in mentions(Document(text))} == values


@pytest.mark.parametrize(
    ("text", "exchangeable"),
    [
        ("He has 12 figs, $5.50 and 20% of 1,200 nuts.", ["12", "5.50", "20", "1,200"]),
        ("A 5-day trip, a 7 day trip, an 8 day trip, 3/4 of it, the 9th, at 6:15, 4x as many.", []),
        ("It weighs $15$ kg and twelve g.", []),
        ("A pound has 16 ounces, a mile 5,280 feet, a kilogram 2.2 pounds, an hour 60 minutes.", []),
        ("She walks 30 minutes a day and 3 miles an hour.", ["30", "3"]),
    ],
)
def test_a_plain_number_in_digits_may_be_exchanged(text: str, exchangeable: list[str]) -> None:
    assert [text[m.start : m.end] for m in mentions(Document(text)) if m.digits is not None] == exchangeable


def test_words_bring_constants_in() -> None:
    assert 7 in implied_constants(Document("How many a week?"))
    assert 100 in implied_constants(Document("It costs $5."))
    assert implied_constants(Document("How many figs has Al?")) == {1}
