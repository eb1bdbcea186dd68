"""Trees as JSON, for the pipe between the parent and its workers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .tree import Apply, Constant, Expression, Number, Symbol


def encode(node: Expression) -> list[Any]:
    """An expression as nested lists of strings."""
    match node:
        case Number(value):
            return ["number", f"{value.numerator:x}", f"{value.denominator:x}"]
        case Symbol(name):
            return ["symbol", name]
        case Constant(name):
            return ["constant", name]
        case Apply(name, args):
            return ["apply", name, *map(encode, args)]


def decode(data: list[Any]) -> Expression:
    """The expression that `encode` wrote."""
    match data:
        case ["number", str(top), str(bottom)]:
            return Number(Fraction(int(top, 16), int(bottom, 16)))
        case ["symbol", str(name)]:
            return Symbol(name)
        case ["constant", str(name)]:
            return Constant(name)
        case ["apply", str(name), *args]:
            return Apply(name, tuple(map(decode, args)))
        case _:
            raise ValueError("not an encoded expression")
