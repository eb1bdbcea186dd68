"""Sympy's part, run in a worker: our own trees are built into sympy objects, evaluated, and compared to 60 digits.

No text is ever handed to sympy: every object is made by a constructor that `_BUILD` names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy

from .numeric import points
from .outcomes import Outcome
from .tree import Apply, Constant, Expression, Number, Symbol, mentions, symbols
from .words import words

_DIGITS = 60
_AGREE = sympy.Float("1e-45")
_POINTS_NEEDED = 2


class NoSymbolicValue(ValueError):
    """Sympy has no closed or numeric value for this."""


def decide(first: Expression, second: Expression) -> Outcome:
    """Whether two expressions agree to 60 digits: constants once, others at every sample point where both are real."""
    names = symbols(first) | symbols(second)
    is_complex = mentions(first, "i") or mentions(second, "i")
    agreed = 0
    for point in points(names):
        exact = {name: sympy.Rational(str(value)) for name, value in point.items()}
        try:
            a, b = _number(first, exact), _number(second, exact)
        except (NoSymbolicValue, ZeroDivisionError):
            continue
        if names and not is_complex and not (a.is_real and b.is_real):
            continue
        if abs(a - b) > _AGREE * max(1, abs(a), abs(b)):
            return Outcome.DIFFERENT
        agreed += 1
    if agreed >= (_POINTS_NEEDED if names else 1):
        return Outcome.EQUAL
    return Outcome.UNPARSABLE


def _number(node: Expression, point: Mapping[str, Any]) -> Any:
    value = sympy.N(build(node, point), _DIGITS, maxn=400)
    real, imaginary = value.as_real_imag()
    if not (real.is_Float or real.is_Rational) or not (imaginary.is_Float or imaginary.is_Rational):
        raise NoSymbolicValue(str(node))
    if not (real.is_finite and imaginary.is_finite):
        raise NoSymbolicValue(str(node))
    return real if abs(imaginary) < _AGREE * max(1, abs(real)) else value


def build(node: Expression, point: Mapping[str, Any]) -> Any:
    """The sympy object for a tree, with variables replaced by the values of `point`."""
    match node:
        case Number(value):
            return sympy.Rational(value.numerator, value.denominator)
        case Symbol(name):
            return point.get(name, sympy.Symbol(name))
        case Constant(name):
            return {"pi": sympy.pi, "e": sympy.E, "i": sympy.I, "infinity": sympy.oo}[name]
        case Apply("sum" | "product" | "integral" | "limit" as name, args):
            return _calculus(name, args, point)
        case Apply(name, args) if name in _BUILD:
            return _BUILD[name](*(build(arg, point) for arg in args))
        case Apply(name, _):
            raise NoSymbolicValue(name)


def _calculus(name: str, args: tuple[Expression, ...], point: Mapping[str, Any]) -> Any:
    """Sums, products, integrals and limits are worked out with their variables as symbols, then put at the point."""
    body, variable, low, high = (build(arg, {}) for arg in args)
    if name == "limit":
        side = {0: "+-", 1: "+", -1: "-"}[int(high)]
        if low in (sympy.oo, -sympy.oo):
            side = "-" if low == sympy.oo else "+"
        result = sympy.limit(body, variable, low, side)
    else:
        kind = {"sum": sympy.Sum, "product": sympy.Product, "integral": sympy.Integral}[name]
        result = kind(body, (variable, low, high)).doit()
    return result.subs({sympy.Symbol(key): value for key, value in point.items()})


def _power(base: Any, exponent: Any) -> Any:
    """A power with the real root of a negative base where the exponent's denominator is odd."""
    if base.is_negative and exponent.is_Rational and not exponent.is_Integer and exponent.q % 2:
        return (-1) ** exponent.p * (-base) ** exponent
    if base.is_zero and not exponent.is_positive:
        raise NoSymbolicValue("zero to a power that is not positive")
    return base**exponent


def _divide(first: Any, second: Any) -> Any:
    if second.is_zero:
        raise NoSymbolicValue("a division by zero")
    return first / second


def _determinant(*entries: Any) -> Any:
    size = sympy.sqrt(len(entries))
    return sympy.Matrix(int(size), int(size), entries).det()


_BUILD: dict[str, Callable[..., Any]] = {
    "add": lambda *terms: sympy.Add(*terms),
    "neg": lambda value: -value,
    "mul": lambda first, second: first * second,
    "div": _divide,
    "pow": _power,
    "root": lambda base, index: _power(base, 1 / index),
    "abs": sympy.Abs,
    "floor": sympy.floor,
    "ceil": sympy.ceiling,
    "max": sympy.Max,
    "min": sympy.Min,
    "gcd": sympy.gcd,
    "lcm": sympy.lcm,
    "mod": sympy.Mod,
    "factorial": sympy.factorial,
    "double_factorial": sympy.factorial2,
    "binomial": sympy.binomial,
    "degree": lambda value: value * sympy.pi / 180,
    "arcmin": lambda value: value * sympy.pi / 10800,
    "arcsec": lambda value: value * sympy.pi / 648000,
    "ln": sympy.log,
    "log": sympy.log,
    "det": _determinant,
    **{
        name: getattr(sympy, name)
        for name in words("sin cos tan cot sec csc asin acos atan acot asec acsc sinh cosh tanh")
    },
}
