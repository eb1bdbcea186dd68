"""Powers, roots, exponentials and logarithms of forms: what can be taken apart exactly, is."""

from __future__ import annotations

from fractions import Fraction

from . import polynomial as poly
from .arithmetic import Undefined, bits, factors, power
from .forms import ONE, Form, atom_form, divide, multiply, number_form
from .limits import MAX_BITS, TooLarge
from .polynomial import Polynomial


def raised(base: Form, exponent: Form) -> Form:
    """base ** exponent: whole powers are multiplied out, powers of numbers are collected by prime."""
    number = exponent.number
    if number is not None:
        if number.denominator == 1:
            return _whole_power(base, int(number))
        return _fractional_power(base, number)
    value = base.number
    if value is not None and value > 0:
        return _exponential(value, exponent)
    if value is not None and value < 0:
        return multiply(_alternating(exponent), _exponential(-value, exponent))
    if base.top == poly.atom("@e") and base.bottom == ONE:
        return _natural_exponential(exponent)
    return atom_form(f"({base})**({exponent})")


def _whole_power(base: Form, exponent: int) -> Form:
    if exponent < 0:
        return _whole_power(divide(number_form(Fraction(1)), base), -exponent)
    value = base.number
    if value is not None:
        return number_form(power(value, exponent))
    if len(base.top) == 1 and base.bottom == ONE:
        ((monomial, coefficient),) = base.top.items()
        scaled = {tuple((name, size * exponent) for name, size in monomial): power(coefficient, exponent)}
        return Form(poly.multiply(scaled, ONE), ONE)
    if exponent > 60:
        raise TooLarge("a sum to a power above 60")
    result = number_form(Fraction(1))
    for _ in range(exponent):
        result = multiply(result, base)
    return result


def _fractional_power(base: Form, exponent: Fraction) -> Form:
    value = base.number
    if value is not None:
        return _power_of_number(value, exponent)
    if base.bottom == ONE and len(base.top) == 1:
        ((monomial, coefficient),) = base.top.items()
        if coefficient > 0 and monomial and all(_is_positive_base(name, size) for name, size in monomial):
            roots = poly.atom_product([(name, size * exponent) for name, size in monomial])
            return multiply(_power_of_number(coefficient, exponent), Form(roots, ONE))
    return atom_form(f"({base})^({exponent})")


def _is_positive_base(name: str, size: Fraction) -> bool:
    """Whether roots of this factor can be taken apart: a positive constant, or a variable to the first power."""
    return name in {"@pi", "@e"} or name[0] == "#" or (size == 1 and name[0] not in "@(" and "(" not in name)


def _power_of_number(value: Fraction, exponent: Fraction) -> Form:
    if value == 0:
        if exponent < 0:
            raise Undefined("a division by zero")
        return number_form(Fraction(0))
    if value < 0:
        if exponent.denominator == 2:
            turned = atom_form("@i", Fraction(exponent.numerator % 4))
            return multiply(turned, _power_of_number(-value, exponent))
        if exponent.denominator % 2:
            turned = number_form(Fraction(-1 if exponent.numerator % 2 else 1))
            return multiply(turned, _power_of_number(-value, exponent))
        return atom_form(f"({value})^({exponent})")
    if exponent.denominator > 10**6 or abs(exponent) * bits(value) > MAX_BITS:
        raise TooLarge("a root or power of that size")
    result = ONE
    for number, sign in ((value.numerator, 1), (value.denominator, -1)):
        for prime, count in factors(number).items():
            result = poly.multiply(result, poly.atom(f"#{prime}", exponent * count * sign))
    return Form(result, ONE)


def rooted(base: Form, index: Form) -> Form:
    degree = index.number
    if degree is None or degree == 0:
        return raised(base, divide(number_form(Fraction(1)), index))
    return _fractional_power(base, 1 / degree) if degree != 1 else base


def _exponential(value: Fraction, exponent: Form) -> Form:
    """value ** exponent for a positive rational: by primes, each exponent's terms apart (2^(n+1) = 2 * 2^n)."""
    if exponent.bottom != ONE:
        return atom_form(f"({value})**({exponent})")
    result = ONE
    for number, sign in ((value.numerator, 1), (value.denominator, -1)):
        for prime, count in factors(number).items():
            for monomial, coefficient in exponent.top.items():
                size = coefficient * count * sign
                name = f"{prime}**{poly.show({monomial: Fraction(1)})}" if monomial else f"#{prime}"
                result = poly.multiply(result, poly.atom(name, size))
    return Form(result, ONE)


def _alternating(exponent: Form) -> Form:
    """(-1) ** exponent, with a whole constant in the exponent taken out as a sign."""
    constant = exponent.top.get(poly.UNIT, Fraction(0))
    if exponent.bottom != ONE or constant.denominator != 1:
        return atom_form(f"(-1)**({exponent})")
    rest = {monomial: value for monomial, value in exponent.top.items() if monomial != poly.UNIT}
    sign = number_form(Fraction(-1 if constant % 2 else 1))
    return multiply(sign, atom_form(f"(-1)**({Form(rest, ONE)})"))


def _natural_exponential(exponent: Form) -> Form:
    """e ** exponent, where e ** ln p = p."""
    if exponent.bottom != ONE:
        return atom_form(f"e**({exponent})")
    result = ONE
    for monomial, coefficient in exponent.top.items():
        name = "@e" if not monomial else f"e**{poly.show({monomial: Fraction(1)})}"
        if len(monomial) == 1 and monomial[0][0].startswith("@ln") and monomial[0][1] == 1:
            name = "#" + monomial[0][0][3:]
        result = poly.multiply(result, poly.atom(name, coefficient))
    return Form(result, ONE)


def logarithm(form: Form) -> Form:
    """ln of a form: of a positive rational, a sum over its primes; of a power of e, the exponent."""
    value = form.number
    if value is not None:
        if value == 0:
            raise Undefined("the logarithm of zero")
        if value > 0:
            total: Polynomial = {}
            for number, sign in ((value.numerator, 1), (value.denominator, -1)):
                for prime, count in factors(number).items():
                    total = poly.add(total, poly.scale(poly.atom(f"@ln{prime}"), Fraction(sign * count)))
            return Form(total, ONE)
    if form.bottom == ONE and len(form.top) == 1:
        ((monomial, coefficient),) = form.top.items()
        if coefficient > 0 and monomial and all(name == "@e" or name[0] == "#" for name, _ in monomial):
            total = logarithm(number_form(coefficient)).top
            for name, size in monomial:
                part = ONE if name == "@e" else poly.atom(f"@ln{name[1:]}")
                total = poly.add(total, poly.scale(part, size))
            return Form(total, ONE)
    return atom_form(f"ln({form})")
