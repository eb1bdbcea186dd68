from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.answers.limits import TooLarge
from semifactual.answers.numerals import base_numeral, decimal, decimal_comma, read_numeral, repeating, spaced_thousands
from semifactual.answers.tree import BaseNumeral


@pytest.mark.parametrize(
    ("text", "value", "length"),
    [
        ("12", "12", 2),
        ("12.50", "25/2", 5),
        (".5", "1/2", 2),
        ("1,234", "1234", 5),
        ("1,234.5", "2469/2", 7),
        ("1{,}234", "1234", 7),
        (r"10,\!080", "10080", 8),
        (r"1\,234", "1234", 6),
        ("3,5", "3", 1),
        ("27,54,108", "27", 2),
        ("1,23", "1", 1),
        ("0,123", "0", 1),
        ("1234,567", "1234", 4),
        ("1{,}5", "3/2", 5),
        (r"0.\overline{12}", "4/33", 15),
        (r"0.1\overline{6}", "1/6", 15),
        (r"0.\dot{3}", "1/3", 9),
        (r"0.\dot{1}2\dot{3}", "41/333", 17),
        ("0.(3)", "1/3", 5),
        ("0.333...", "1/3", 8),
        (r"0.1666\ldots", "1/6", 12),
        ("1.5e3", "1500", 5),
        ("2E-2", "1/50", 4),
        ("2e", "2", 1),
        ("2ex", "2", 1),
    ],
)
def test_numerals(text: str, value: str, length: int) -> None:
    assert read_numeral(text, 0, commas=True) == (Fraction(value), length)


def test_commas_separate_inside_brackets() -> None:
    assert read_numeral("12,345", 0, commas=False) == (Fraction(12), 2)


def test_decimals_that_go_on_without_a_pattern_are_refused() -> None:
    with pytest.raises(ValueError, match="repeating"):
        read_numeral("3.14159...", 0, commas=True)


@pytest.mark.parametrize("text", ["1e99999", "9" * 1001])
def test_numerals_are_bounded(text: str) -> None:
    with pytest.raises(TooLarge):
        read_numeral(text, 0, commas=True)


@given(st.integers(0, 99), st.text("0123456789", max_size=4), st.text("0123456789", min_size=1, max_size=4))
def test_a_repeating_decimal_is_its_own_continuation(whole: int, fixed: str, block: str) -> None:
    value = repeating(str(whole), fixed, block)
    assert value == repeating(str(whole), fixed + block, block) == repeating(str(whole), fixed, block * 2)
    assert 0 <= value - decimal(f"{whole}.{fixed}{block * 3}") <= Fraction(1, 10 ** (len(fixed) + 3 * len(block)))


@pytest.mark.parametrize(
    ("text", "numeral"),
    [
        ("1010_2", BaseNumeral("1010", 2)),
        ("(1010)_2", BaseNumeral("1010", 2)),
        ("0011_2", BaseNumeral("11", 2)),
        ("312_{4}", BaseNumeral("312", 4)),
        ("312_{four}", BaseNumeral("312", 4)),
        ("312_{base 4}", BaseNumeral("312", 4)),
        ("312 base 4", BaseNumeral("312", 4)),
        ("312 (base 4)", BaseNumeral("312", 4)),
        ("A5_{16}", BaseNumeral("A5", 16)),
        ("312_3", None),
        ("A_2", None),
        ("F_{16}", None),
        ("x_2", None),
        ("12", None),
        ("12_1", None),
        ("12_99", None),
    ],
)
def test_base_numerals(text: str, numeral: BaseNumeral | None) -> None:
    assert base_numeral(text) == numeral


@pytest.mark.parametrize(
    ("text", "value"),
    [("12,75", "12.75"), ("-0,25", "-0.25"), ("0,5", "0.5"), ("1.234,56", "1234.56"), ("2,5", None), ("1,234", None)],
)
def test_decimal_commas(text: str, value: str | None) -> None:
    assert decimal_comma(text) == (None if value is None else Fraction(value))


def test_spaced_thousands() -> None:
    assert spaced_thousands("1 234 567") == "1234567"
    assert spaced_thousands("12 34") is None
