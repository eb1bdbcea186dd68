"""Polynomials over the rationals in any number of atoms, with fractional and negative exponents.

An atom is a string: a variable, ``pi``, ``@i``, ``#3`` (a prime under a root), or a function of something
(``sin(...)``). A monomial is a sorted tuple of (atom, exponent); a polynomial maps monomials to coefficients.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeAlias

from .arithmetic import bits, power
from .limits import MAX_BITS, MAX_TERMS, TooLarge

Monomial: TypeAlias = tuple[tuple[str, Fraction], ...]
Polynomial: TypeAlias = dict[Monomial, Fraction]

UNIT: Monomial = ()


def constant(value: Fraction) -> Polynomial:
    """The polynomial of a number."""
    return {UNIT: value} if value else {}


def atom(name: str, exponent: Fraction = Fraction(1)) -> Polynomial:
    """An atom to a power, reduced."""
    return dict([_reduce({name: exponent}, Fraction(1))])


def atom_product(powers: Iterable[tuple[str, Fraction]]) -> Polynomial:
    """The product of atoms to powers, reduced."""
    return dict([_reduce(dict(powers), Fraction(1))])


def add(first: Polynomial, second: Polynomial) -> Polynomial:
    """The sum."""
    total = dict(first)
    for monomial, coefficient in second.items():
        value = total.get(monomial, Fraction(0)) + coefficient
        if value:
            total[monomial] = value
        else:
            total.pop(monomial, None)
    return _bounded(total)


def scale(polynomial: Polynomial, factor: Fraction) -> Polynomial:
    """The polynomial times a number."""
    return {monomial: value * factor for monomial, value in polynomial.items()} if factor else {}


def multiply(first: Polynomial, second: Polynomial) -> Polynomial:
    """The product, with i^2 = -1 and roots of primes collected."""
    if len(first) * len(second) > MAX_TERMS * 20:
        raise TooLarge("a product with too many terms")
    total: Polynomial = {}
    for left, left_value in first.items():
        for right, right_value in second.items():
            exponents = dict(left)
            for name, exponent in right:
                exponents[name] = exponents.get(name, Fraction(0)) + exponent
            monomial, value = _reduce(exponents, left_value * right_value)
            value += total.get(monomial, Fraction(0))
            if value:
                total[monomial] = value
            else:
                total.pop(monomial, None)
    return _bounded(total)


def _reduce(exponents: Mapping[str, Fraction], value: Fraction) -> tuple[Monomial, Fraction]:
    kept: list[tuple[str, Fraction]] = []
    for name in sorted(exponents):
        exponent = exponents[name]
        if name == "@i":
            quarter = int(exponent) % 4
            value = -value if quarter >= 2 else value
            exponent = Fraction(quarter % 2)
        elif name[0] == "#" and not 0 <= exponent < 1:
            whole = exponent.numerator // exponent.denominator
            value *= power(Fraction(int(name[1:])), whole)
            exponent -= whole
        if exponent:
            kept.append((name, exponent))
    return tuple(kept), value


def _bounded(polynomial: Polynomial) -> Polynomial:
    if len(polynomial) > MAX_TERMS:
        raise TooLarge(f"a polynomial of more than {MAX_TERMS} terms")
    if any(bits(value) > 4 * MAX_BITS for value in polynomial.values()):
        raise TooLarge("a coefficient with too many digits")
    return polynomial


def show(polynomial: Polynomial) -> str:
    """A canonical text: equal polynomials have equal texts."""
    if not polynomial:
        return "0"
    terms = []
    for monomial in sorted(polynomial):
        value = polynomial[monomial]
        number = str(value) if bits(value) < 4000 else f"<{bits(value)} bits: {hash_of(value)}>"
        names = "*".join(f"{name}^{exponent}" if exponent != 1 else name for name, exponent in monomial)
        terms.append(f"{number}*{names}" if names and value != 1 else names or number)
    return " + ".join(terms)


def hash_of(value: Fraction) -> str:
    """A short fingerprint of a number too long to print."""
    return f"{value.numerator % (10**18 - 11)}/{value.denominator % (10**18 - 11)}"
