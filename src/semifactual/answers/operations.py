"""Building trees: an operation on scalars, and the few that reach into a structure."""

from __future__ import annotations

from fractions import Fraction

from .lexer import NotInGrammar
from .tree import Apply, Constant, Group, Matrix, Node, Number, Symbol, expressions, is_expression


def operation(name: str, *args: Node) -> Node:
    """An operation on scalars, or one of the few that reach into a structure (signs and scalar factors of a matrix)."""
    scalars = expressions(args)
    if scalars is not None:
        return Apply(name, scalars)
    if name == "mul" and len(args) == 2:
        scalar, other = args if isinstance(args[1], Matrix) else args[::-1]
        if isinstance(other, Matrix) and is_expression(scalar):
            return Matrix(tuple(tuple(operation("mul", scalar, entry) for entry in row) for row in other.rows))
    if name == "mul" and isinstance(args[0], Symbol) and isinstance(args[1], Group) and args[0].name[0].isupper():
        return args[1]  # the label of a point: A(1, 2)
    if name == "neg" and isinstance(args[0], Matrix):
        return Matrix(tuple(tuple(operation("neg", entry) for entry in row) for row in args[0].rows))
    raise NotInGrammar(f"{name} of a set, list or matrix")


def with_sign(sign: str, node: Node) -> Node:
    match sign:
        case "+":
            return node
        case "-":
            return Number(-node.value) if isinstance(node, Number) else operation("neg", node)
        case _:
            return operation("plus_minus" if sign == "+-" else "minus_plus", node)


def mixed_number(whole: Node, fraction: Node) -> Node | None:
    """whole + fraction, where both are literal integers and the fraction is proper and positive."""
    match whole, fraction:
        case Number(value=left), Apply("div", (Number(value=top), Number(value=bottom))):
            if left.denominator == top.denominator == bottom.denominator == 1 and left >= 0 and 0 < top < bottom:
                return Number(left + top / bottom)
    return None


def call(name: str, args: tuple[Node, ...]) -> Node:
    if name in {"sqrt", "cbrt"}:
        return operation("root", *args, Number(Fraction(2 if name == "sqrt" else 3)))
    if name == "exp":
        return operation("pow", Constant("e"), *args)
    if name == "ln":
        return operation("ln", *args)
    return operation(name, *args)
