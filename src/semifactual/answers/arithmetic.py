"""Exact arithmetic that refuses to grow: powers, factorials and binomials within the limits, roots of integers."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

from .limits import MAX_BITS, MAX_FACTORIAL, TooLarge


class Undefined(ValueError):
    """A value that does not exist: a division by zero, 0^0, the logarithm of zero."""


def bits(value: Fraction) -> int:
    """The size of a fraction in bits."""
    return value.numerator.bit_length() + value.denominator.bit_length()


def power(base: Fraction, exponent: int) -> Fraction:
    """base**exponent. Raises TooLarge before it computes anything beyond MAX_BITS, Undefined for 0**-n and 0**0."""
    if base == 0 and exponent <= 0:
        raise Undefined("zero to a power that is not positive")
    if base in (0, 1) or exponent == 0:
        return base if exponent else Fraction(1)
    if base == -1:
        return Fraction(-1 if exponent % 2 else 1)
    if bits(base) * abs(exponent) > MAX_BITS * 2:
        raise TooLarge("a power with too many digits")
    return base**exponent


def factorial(number: int, step: int = 1) -> int:
    """number! for step 1, number!! for step 2."""
    if number < 0:
        raise Undefined("the factorial of a negative number")
    if number > MAX_FACTORIAL:
        raise TooLarge(f"the factorial of a number above {MAX_FACTORIAL}")
    return math.factorial(number) if step == 1 else math.prod(range(number, 0, -step))


def binomial(top: int, bottom: int) -> int:
    """The binomial coefficient for top >= 0; zero where bottom lies outside 0..top."""
    if top < 0:
        raise Undefined("a binomial coefficient of a negative number")
    if not 0 <= bottom <= top:
        return 0
    if top > MAX_FACTORIAL:
        raise TooLarge(f"a binomial coefficient above {MAX_FACTORIAL}")
    return math.comb(top, bottom)


def integer_root(number: int, degree: int) -> int | None:
    """The exact root of a positive integer, or None."""
    if degree == 2:
        root = math.isqrt(number)
    else:
        low, high = 0, 1 << (number.bit_length() // degree + 1)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if middle**degree <= number else (low, middle - 1)
        root = low
    return root if root**degree == number else None


@cache
def _small_primes() -> tuple[int, ...]:
    return tuple(n for n in range(2, 1000) if all(n % d for d in range(2, math.isqrt(n) + 1)))


def factors(number: int) -> dict[int, int]:
    """Prime factors below 1000 with their exponents; what is left over counts as one factor.

    A left-over perfect power is taken apart, so that ``sqrt(1009**2)`` is rational.

    >>> factors(360)
    {2: 3, 3: 2, 5: 1}
    """
    if number.bit_length() > 4000:
        raise TooLarge("an integer too large to take apart")
    found: dict[int, int] = {}
    for prime in _small_primes():
        if prime * prime > number:
            break
        while number % prime == 0:
            found[prime] = found.get(prime, 0) + 1
            number //= prime
    if number > 1:
        for degree in (6, 5, 4, 3, 2):
            root = integer_root(number, degree)
            if root is not None:
                found[root] = found.get(root, 0) + degree
                return found
        found[number] = found.get(number, 0) + 1
    return found
