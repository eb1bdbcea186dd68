"""Values of expressions in floating point at sample points: they can tell expressions apart, never prove them equal."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .tree import Apply, Constant, Expression, Number, Symbol, mentions, symbols

_SAMPLES = (0.7390851, 1.9318517, 3.0, 2.8793852, -0.5772157, 4.2360680, 7.0, -2.6457513, 0.1415927, 11.3137085)
"""Where variables are tried: both signs, and integers for what jumps or alternates there; no zeros.

Each variable takes them in another order: `_STEP` and the number of samples have no common factor.
"""
_STEP = 3
_AGREE = 1e-9
_LOST = 1e-12


class NoValue(ValueError):
    """The expression has no finite value here, or one that floating point cannot give."""


@dataclass(slots=True)
class Evaluator:
    """Evaluates at one point and remembers the largest value on the way, which bounds the digits lost."""

    point: Mapping[str, float]
    peak: float = 1.0

    def value(self, node: Expression) -> complex:
        """The value of a node. Raises NoValue."""
        try:
            result = self._value(node)
        except (ArithmeticError, ValueError) as error:
            raise NoValue(str(error)) from error
        size = abs(result)
        if not math.isfinite(size):
            raise NoValue("no finite value")
        self.peak = max(self.peak, size)
        return result

    def _value(self, node: Expression) -> complex:
        match node:
            case Number(value):
                return complex(value.numerator / value.denominator)
            case Symbol(name):
                return complex(self.point[name])
            case Constant(name):
                return _CONSTANTS[name]
            case Apply(name, args):
                function = _FUNCTIONS.get(name)
                if function is None:
                    raise NoValue(f"{name} has no numeric rule")
                return function(*(self.value(arg) for arg in args))


def _real(value: complex) -> float:
    if abs(value.imag) > 1e-9 * max(1.0, abs(value)):
        raise NoValue("a real number is needed here")
    return value.real


def _power(base: complex, exponent: complex) -> complex:
    if base == 0 and exponent.real <= 0:
        raise NoValue("zero to a power that is not positive")
    if base.imag == 0 and base.real < 0 and exponent.imag == 0:
        size = exponent.real
        for odd in (3, 5, 7, 9):
            if abs(size * odd - round(size * odd)) < 1e-12 and size != round(size):
                return complex((-1) ** round(size * odd) * (-base.real) ** size)
    return base**exponent


def _root(base: complex, index: complex) -> complex:
    return _power(base, 1 / index)


def _gamma_ratio(top: complex, bottom: complex) -> complex:
    n, k = _real(top), _real(bottom)
    return complex(math.gamma(n + 1) / (math.gamma(k + 1) * math.gamma(n - k + 1)))


def _rounded(function: Callable[[float], int]) -> Callable[[complex], complex]:
    def wrapped(value: complex) -> complex:
        real = _real(value)
        if abs(real - round(real)) < 1e-9:
            raise NoValue("too close to a jump")
        return complex(function(real))

    return wrapped


def _extreme(choose: Callable[..., float]) -> Callable[..., complex]:
    return lambda *values: complex(choose(*map(_real, values))) if len(values) > 1 else values[0]


def _add(*values: complex) -> complex:
    return sum(values, 0j)


_CONSTANTS: dict[str, complex] = {"pi": complex(math.pi), "e": complex(math.e), "i": 1j, "infinity": complex(math.inf)}

_FUNCTIONS: dict[str, Callable[..., complex]] = {
    "add": _add,
    "neg": lambda value: -value,
    "mul": lambda first, second: first * second,
    "div": lambda first, second: first / second,
    "pow": _power,
    "root": _root,
    "abs": lambda value: complex(abs(value)),
    "floor": _rounded(math.floor),
    "ceil": _rounded(math.ceil),
    "max": _extreme(max),
    "min": _extreme(min),
    "degree": lambda value: value * math.pi / 180,
    "arcmin": lambda value: value * math.pi / 10800,
    "arcsec": lambda value: value * math.pi / 648000,
    "ln": cmath.log,
    "log": lambda value, base: cmath.log(value) / cmath.log(base),
    "sin": cmath.sin,
    "cos": cmath.cos,
    "tan": cmath.tan,
    "cot": lambda value: 1 / cmath.tan(value),
    "sec": lambda value: 1 / cmath.cos(value),
    "csc": lambda value: 1 / cmath.sin(value),
    "asin": cmath.asin,
    "acos": cmath.acos,
    "atan": cmath.atan,
    "acot": lambda value: cmath.pi / 2 - cmath.atan(value),
    "asec": lambda value: cmath.acos(1 / value),
    "acsc": lambda value: cmath.asin(1 / value),
    "sinh": cmath.sinh,
    "cosh": cmath.cosh,
    "tanh": cmath.tanh,
    "factorial": lambda value: complex(math.gamma(_real(value) + 1)),
    "binomial": _gamma_ratio,
}


def points(names: frozenset[str]) -> list[dict[str, float]]:
    """Sample points for variables of these names."""
    ordered = sorted(names)
    if not ordered:
        return [{}]
    count = len(_SAMPLES)
    return [
        {
            name: _SAMPLES[(start + _STEP * place) % count] + 0.01 * (place // count)
            for place, name in enumerate(ordered)
        }
        for start in range(count)
    ]


def clearly_different(first: Expression, second: Expression) -> bool:
    """Whether the values differ at some point by far more than rounding can explain.

    Points where a side has no value are passed over, and those where a side is not real unless an imaginary unit is
    written out. False therefore means "not shown", never "equal".
    """
    is_complex = mentions(first, "i") or mentions(second, "i")
    for point in points(symbols(first) | symbols(second)):
        left, right = Evaluator(point), Evaluator(point)
        try:
            a, b = left.value(first), right.value(second)
        except NoValue:
            continue
        if point and not is_complex and max(abs(a.imag), abs(b.imag)) > 1e-12:
            continue
        allowed = _AGREE * max(1.0, abs(a), abs(b)) + _LOST * max(left.peak, right.peak)
        if abs(a - b) > allowed:
            return True
    return False


def real_value(node: Expression) -> float | None:
    """The value of a constant expression as a float, or None. Infinity is a value here."""
    if node == Constant("infinity"):
        return math.inf
    if node == Apply("neg", (Constant("infinity"),)):
        return -math.inf
    if symbols(node):
        return None
    try:
        value = Evaluator({}).value(node)
    except NoValue:
        return None
    return value.real if abs(value.imag) <= 1e-12 * max(1.0, abs(value)) else None
