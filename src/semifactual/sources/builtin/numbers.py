"""How numbers are written in problems, solutions and answers."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction

from semifactual.sources.builtin.formulas import Value

_MAX_DECIMALS = 3


class Form(StrEnum):
    """What numbers a template deals in, which decides both what is admissible and how it is written."""

    WHOLE = "whole"
    """Whole numbers at every step."""
    MONEY = "money"
    """Amounts to the cent, with two decimals where they are not whole."""
    DECIMAL = "decimal"
    """Decimals of at most three places."""
    FRACTION = "fraction"
    """Any fraction, in lowest terms."""

    def admits(self, value: Value) -> bool:
        """Whether a result of this value can stand in a problem of this form."""
        if self is Form.FRACTION:
            return True
        smallest_units = {Form.WHOLE: 1, Form.MONEY: 100, Form.DECIMAL: 1000}[self]
        return (value * smallest_units).denominator == 1


def number_text(value: Value, form: Form) -> str:
    """`value` in digits.

    >>> number_text(Fraction(5, 2), Form.MONEY), number_text(Fraction(5, 2), Form.DECIMAL)
    ('2.50', '2.5')
    >>> number_text(Fraction(5, 2), Form.FRACTION), number_text(Fraction(6, 2), Form.MONEY)
    ('5/2', '3')
    """
    exact = Fraction(value)
    if exact.denominator == 1:
        return str(exact.numerator)
    first = 2 if form is Form.MONEY else 1
    for places in range(first, _MAX_DECIMALS + 1) if form is not Form.FRACTION else ():
        shifted = abs(exact) * 10**places
        if shifted.denominator == 1:
            digits = f"{shifted.numerator:0{places + 1}d}"
            return f"{'-' if exact < 0 else ''}{digits[:-places]}.{digits[-places:]}"
    return f"{exact.numerator}/{exact.denominator}"
