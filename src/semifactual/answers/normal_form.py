"""One normal form for expressions: a quotient of polynomials over radicals, constants and functions.

Equal forms prove equality. Different forms prove nothing by themselves, except where both are plain numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from . import polynomial as poly
from .arithmetic import Undefined, binomial, factorial
from .forms import ONE, Form, add, atom_form, divide, multiply, number_form
from .limits import MAX_ITERATIONS, TooLarge
from .powers import logarithm, raised, rooted
from .tree import Apply, Constant, Expression, Number, Symbol


def normal_form(node: Expression) -> Form:
    """The form of an expression. Raises TooLarge past the limits and Undefined where there is no value."""
    match node:
        case Number(value):
            return number_form(value)
        case Symbol(name):
            return atom_form(name)
        case Constant(name):
            return Form(poly.atom({"i": "@i", "pi": "@pi", "e": "@e"}.get(name, "@" + name)), ONE)
        case Apply(name, args):
            return _applied(name, args)


def _applied(name: str, args: tuple[Expression, ...]) -> Form:
    if name in {"sum", "product"}:
        return _series(name, args)
    if name in {"limit", "integral"}:
        return _opaque(name, args)
    forms = [normal_form(arg) for arg in args]
    match name:
        case "add":
            total = forms[0]
            for form in forms[1:]:
                total = add(total, form)
            return total
        case "neg":
            return multiply(number_form(Fraction(-1)), forms[0])
        case "mul":
            return multiply(*forms)
        case "div":
            return divide(*forms)
        case "pow":
            return raised(*forms)
        case "root":
            return rooted(*forms)
        case "degree" | "arcmin" | "arcsec":
            part = {"degree": 180, "arcmin": 180 * 60, "arcsec": 180 * 3600}[name]
            return multiply(forms[0], Form(poly.scale(poly.atom("@pi"), Fraction(1, part)), ONE))
        case "ln":
            return logarithm(forms[0])
        case "log":
            return divide(logarithm(forms[0]), logarithm(forms[1]))
        case "det":
            return _determinant(forms)
        case _:
            return _function(name, forms)


def _function(name: str, forms: Sequence[Form]) -> Form:
    numbers = [form.number for form in forms]
    if name in _RATIONAL and all(number is not None for number in numbers):
        value = _RATIONAL[name]([number for number in numbers if number is not None])
        if value is not None:
            return number_form(value)
    if name == "binomial" and (small := numbers[1]) is not None and small.denominator == 1 and 0 <= small <= 8:
        return _falling(forms[0], int(small))
    return atom_form(f"{name}({','.join(map(str, forms))})")


def _opaque(name: str, args: Sequence[Expression]) -> Form:
    return atom_form(f"{name}({','.join(str(normal_form(arg)) for arg in args)})")


def _falling(top: Form, count: int) -> Form:
    """The binomial coefficient as the polynomial top (top - 1) ... / count!."""
    total = number_form(Fraction(1, math.factorial(count)))
    for step in range(count):
        total = multiply(total, add(top, number_form(Fraction(-step))))
    return total


def _integers(numbers: Sequence[Fraction]) -> list[int] | None:
    return [int(number) for number in numbers] if all(number.denominator == 1 for number in numbers) else None


def _of_integers(function: Callable[..., int]) -> Callable[[Sequence[Fraction]], Fraction | None]:
    def wrapped(numbers: Sequence[Fraction]) -> Fraction | None:
        integers = _integers(numbers)
        return None if integers is None else Fraction(function(*integers))

    return wrapped


def _modulo(numbers: Sequence[Fraction]) -> Fraction:
    if numbers[1] == 0:
        raise Undefined("a remainder by zero")
    return numbers[0] % numbers[1]


_RATIONAL: dict[str, Callable[[Sequence[Fraction]], Fraction | None]] = {
    "abs": lambda numbers: abs(numbers[0]),
    "floor": lambda numbers: Fraction(math.floor(numbers[0])),
    "ceil": lambda numbers: Fraction(math.ceil(numbers[0])),
    "max": max,
    "min": min,
    "mod": _modulo,
    "factorial": _of_integers(factorial),
    "double_factorial": _of_integers(lambda number: factorial(number, 2)),
    "binomial": _of_integers(binomial),
    "gcd": _of_integers(math.gcd),
    "lcm": _of_integers(math.lcm),
}
"""Functions that map rational numbers to a rational number, exactly."""


def _series(name: str, args: tuple[Expression, ...]) -> Form:
    """A finite sum or product with whole bounds, term by term; any other one is left as it is."""
    body, variable, low_node, high_node = args
    low, high = normal_form(low_node).number, normal_form(high_node).number
    if not isinstance(variable, Symbol) or low is None or high is None or low.denominator * high.denominator != 1:
        return _opaque(name, args)
    if high - low >= MAX_ITERATIONS:
        raise TooLarge(f"a {name} of more than {MAX_ITERATIONS} terms")
    total = number_form(Fraction(0 if name == "sum" else 1))
    join = add if name == "sum" else multiply
    for step in range(int(low), int(high) + 1):
        total = join(total, normal_form(substitute(body, variable.name, Number(Fraction(step)))))
    return total


def substitute(node: Expression, name: str, value: Expression) -> Expression:
    """The expression with a variable replaced."""
    match node:
        case Symbol(other) if other == name:
            return value
        case Apply(operation, args):
            return Apply(operation, tuple(substitute(arg, name, value) for arg in args))
        case _:
            return node


def _determinant(entries: Sequence[Form]) -> Form:
    size = math.isqrt(len(entries))
    if size == 1:
        return entries[0]
    total = number_form(Fraction(0))
    for column in range(size):
        minor = [entries[row * size + other] for row in range(1, size) for other in range(size) if other != column]
        sign = number_form(Fraction(-1 if column % 2 else 1))
        total = add(total, multiply(sign, multiply(entries[column], _determinant(minor))))
    return total
