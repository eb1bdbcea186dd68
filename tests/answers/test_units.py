from __future__ import annotations

from fractions import Fraction

import pytest

from semifactual.answers.units import NotAUnit, combine, is_unit_word, named


def test_names_plurals_and_cases() -> None:
    assert named("km") == named("kilometers") == named("Kilometer")
    assert named("apples") == named("apple") != named("pears")
    assert named("boxes") == named("box")
    assert named("m") != named("M")


def test_products_quotients_and_powers() -> None:
    mph = combine([("mile", 1), ("hour", -1)])
    assert (mph.powers, mph.factor) == (named("mph").powers, named("mph").factor)
    assert combine([("square", 1), ("cm", 1)]).powers == (("m", 2),)
    assert combine([("cm", 1), ("squared", 1)]).factor == Fraction(1, 10_000)
    assert combine([("square", 1), ("units", 1)]).powers == ()
    assert combine([("kg", 1), ("m", 1), ("s", -2)]).powers == named("newton").powers


@pytest.mark.parametrize("words", [["or"], ["less", "than"], ["red", "big", "old", "cars"], ["dozen"]])
def test_words_that_are_no_unit(words: list[str]) -> None:
    with pytest.raises(NotAUnit):
        combine([(word, 1) for word in words])


def test_unit_words_have_two_letters_or_more() -> None:
    assert is_unit_word("cm") and is_unit_word("sq")
    assert not is_unit_word("m") and not is_unit_word("ab")
