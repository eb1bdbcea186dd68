"""Arithmetic over named quantities: the small language in which templates state programs and constraints."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

Value = int | Fraction
Names = Mapping[str, Value]
_Node = Callable[[Names, list[Value]], Value]

_MAX_EXPONENT = 64
"""A typing error in a template must not make numbers that fill the memory."""
_NAME = re.compile(r"[A-Za-z_]\w*")


class FormulaError(ValueError):
    """A formula is not in the language, or has no value for the given quantities."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A parsed formula. Build it with `parse`."""

    source: str
    names: frozenset[str]
    _root: _Node

    def value(self, quantities: Names) -> Value:
        """The exact value; FormulaError where there is none, as for a division by zero."""
        return self.trace(quantities)[-1]

    def trace(self, quantities: Names) -> list[Value]:
        """The result of each step in the order of evaluation, and the value of the whole at the end.

        >>> parse("(a - b) * c").trace({"a": 12, "b": 5, "c": 3})
        [7, 21, 21]
        """
        results: list[Value] = []
        try:
            results.append(self._root(quantities, results))
        except (ZeroDivisionError, TypeError, ValueError) as error:
            raise FormulaError(f"{self.source!r} has no value: {error}") from error
        return results

    def steps(self, quantities: Names) -> int:
        """How many operations the formula takes.

        Reading a percentage (``/ 100``) and rounding a quotient up or down are no steps of their own.

        >>> parse("price * ((100 - cut) / 100)").steps({"price": 80, "cut": 25})
        2
        """
        return len(self.trace(quantities)) - 1

    def written(self, texts: Mapping[str, str]) -> str:
        """The formula with its quantities written in.

        >>> parse("n * k + 2").written({"n": "3", "k": "4"})
        '3 * 4 + 2'
        """
        return _NAME.sub(lambda match: texts.get(match[0], match[0]), self.source).replace(" ** ", "^")


@cache
def parse(source: str) -> Formula:
    """Parse numbers, names, ``+ - * / // % **``, comparisons, ``and or not``, and a few functions.

    Raises:
        FormulaError: anything else.
    """
    try:
        tree = ast.parse(source.strip(), mode="eval").body
    except SyntaxError as error:
        raise FormulaError(f"{source!r} is not a formula") from error
    called = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node not in called}
    return Formula(source.strip(), frozenset(names), _compile(tree))


def _divide(left: Value, right: Value) -> Value:
    return Fraction(left) / right


def _power(base: Value, exponent: Value) -> Value:
    if not -_MAX_EXPONENT <= exponent <= _MAX_EXPONENT:
        raise ValueError(f"an exponent of {exponent}")
    return Fraction(base) ** _integer(exponent)


def _gcd(*values: Value) -> Value:
    return math.gcd(*map(_integer, values))


def _lcm(*values: Value) -> Value:
    return math.lcm(*map(_integer, values))


def _integer(value: Value) -> int:
    if value.denominator != 1:
        raise ValueError(f"{value} is not a whole number")
    return int(value)


def _square_root(square: Value) -> Value:
    root = math.isqrt(_integer(square))
    if root * root != square:
        raise ValueError(f"{square} is not a square")
    return root


_OPERATIONS: dict[type[ast.operator], Callable[[Value, Value], Value]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _divide,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Value, Value], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "gcd": _gcd,
    "lcm": _lcm,
    "min": min,
    "max": max,
    "abs": abs,
    "sqrt": _square_root,
    "floor": math.floor,
    "ceil": math.ceil,
}
_ROUNDING = frozenset({"floor", "ceil"})


def _compile(tree: ast.expr) -> _Node:
    match tree:
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return lambda names, results: number
        case ast.Constant(value=float() as decimal):
            exact = Fraction(str(decimal))
            return lambda names, results: exact
        case ast.Name(id=name):
            return lambda names, results: names[name]
        case ast.BinOp(op=ast.Div(), left=left, right=ast.Constant(value=100)):
            percentage = _compile(left)
            return lambda names, results: _divide(percentage(names, results), 100)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            return _step(_OPERATIONS[type(op)], left, right)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _ROUNDING:
            return _rounded(_FUNCTIONS[name], argument)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS and args:
            return _step(_FUNCTIONS[name], *args)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = _compile(operand)
            return lambda names, results: -value(names, results)
        case _:
            return _condition(tree)


def _condition(tree: ast.expr) -> _Node:
    match tree:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            compare, a, b = _COMPARISONS[type(op)], _compile(left), _compile(right)
            return lambda names, results: compare(a(names, results), b(names, results))
        case ast.BoolOp(op=op, values=values):
            parts = [_compile(value) for value in values]
            decide = all if isinstance(op, ast.And) else any
            return lambda names, results: decide(part(names, results) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            value = _compile(operand)
            return lambda names, results: not value(names, results)
        case _:
            raise FormulaError(f"{ast.unparse(tree)!r} is not in the language of formulas")


def _step(operation: Callable[..., Value], *operands: ast.expr) -> _Node:
    parts = [_compile(operand) for operand in operands]

    def run(names: Names, results: list[Value]) -> Value:
        result = operation(*[part(names, results) for part in parts])
        results.append(result)
        return result

    return run


def _rounded(rounding: Callable[..., Value], argument: ast.expr) -> _Node:
    """One step: the result before rounding is not recorded, since nobody would count it as a result."""
    inner = _compile(argument)

    def run(names: Names, results: list[Value]) -> Value:
        before = len(results)
        value = inner(names, results)
        if len(results) > before:
            results.pop()
        results.append(rounding(value))
        return results[-1]

    return run
