"""Quotients of polynomials, and arithmetic with them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from . import polynomial as poly
from .arithmetic import Undefined
from .polynomial import Polynomial

ONE: Polynomial = {poly.UNIT: Fraction(1)}


@dataclass(frozen=True, slots=True)
class Form:
    """top / bottom. A bottom of one term is multiplied into the top, so that bottom is 1 or a true sum."""

    top: Polynomial
    bottom: Polynomial

    @property
    def number(self) -> Fraction | None:
        """The value, if the form is a plain rational number."""
        if not self.top:
            return Fraction(0)
        return self.top.get(poly.UNIT) if self.bottom == ONE and set(self.top) == {poly.UNIT} else None

    def __str__(self) -> str:
        return poly.show(self.top) if self.bottom == ONE else f"({poly.show(self.top)})/({poly.show(self.bottom)})"


def number_form(value: Fraction) -> Form:
    """The form of a rational number."""
    return Form(poly.constant(value), ONE)


def same(first: Form, second: Form) -> bool:
    """Whether two forms are equal: cross products agree."""
    if first.bottom == second.bottom:
        return first.top == second.top
    return poly.multiply(first.top, second.bottom) == poly.multiply(second.top, first.bottom)


def add(first: Form, second: Form) -> Form:
    """The sum of two forms."""
    if first.bottom == second.bottom:
        return quotient(poly.add(first.top, second.top), first.bottom)
    top = poly.add(poly.multiply(first.top, second.bottom), poly.multiply(second.top, first.bottom))
    return quotient(top, poly.multiply(first.bottom, second.bottom))


def multiply(first: Form, second: Form) -> Form:
    """The product of two forms."""
    return quotient(poly.multiply(first.top, second.top), poly.multiply(first.bottom, second.bottom))


def divide(first: Form, second: Form) -> Form:
    """The quotient of two forms. Raises Undefined for a zero divisor."""
    if not second.top:
        raise Undefined("a division by zero")
    return quotient(poly.multiply(first.top, second.bottom), poly.multiply(first.bottom, second.top))


def quotient(top: Polynomial, bottom: Polynomial) -> Form:
    """top / bottom with a one-term bottom multiplied away."""
    if not bottom:
        raise Undefined("a division by zero")
    if len(bottom) == 1:
        ((monomial, value),) = bottom.items()
        inverse = {tuple((name, -exponent) for name, exponent in monomial): 1 / value}
        return Form(poly.multiply(top, inverse), ONE)
    leading = bottom[max(bottom)]
    return Form(poly.scale(top, 1 / leading), poly.scale(bottom, 1 / leading))


def atom_form(name: str, exponent: Fraction = Fraction(1)) -> Form:
    """The form of one atom."""
    return Form(poly.atom(name, exponent), ONE)
