"""Sets of real numbers in one form: disjoint intervals in order. Intervals, inequalities and unions all become one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from . import polynomial as poly
from .arithmetic import Undefined
from .forms import Form, add, multiply, number_form
from .limits import TooLarge
from .normal_form import normal_form
from .numeric import real_value
from .tree import (
    INFINITY,
    Apply,
    Expression,
    Group,
    Listing,
    NamedSet,
    Node,
    Relation,
    SetBuilder,
    SetOperation,
    Symbol,
    expressions,
    is_expression,
    negate,
    symbols,
)

MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}
MINUS_INFINITY = negate(INFINITY)
_SAME_POINT = 1e-12


class NotASet(ValueError):
    """The node is no set of real numbers with known ends."""


@dataclass(frozen=True, slots=True)
class End:
    """An end of an interval: its place as a float, the exact expression, and whether it belongs to the interval."""

    place: float
    value: Expression
    closed: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """An interval, or a point where both ends are the same."""

    low: End
    high: End


@dataclass(frozen=True, slots=True)
class RealSet:
    """Disjoint pieces from left to right, and the variable that they were stated for, if any."""

    pieces: tuple[Piece, ...]
    variable: str = ""


def end(value: Expression, closed: bool) -> End:
    """An end at a constant. Raises NotASet where it has no place on the line."""
    place = real_value(value)
    if place is None:
        raise NotASet("an end that is no real constant")
    return End(place, value, closed and math.isfinite(place))


_EVERYTHING = RealSet((Piece(End(-math.inf, MINUS_INFINITY, False), End(math.inf, INFINITY, False)),))


def real_set(node: Node) -> RealSet:
    """The set of real numbers that a node stands for. Raises NotASet."""
    match node:
        case NamedSet("R"):
            return _EVERYTHING
        case NamedSet("empty"):
            return RealSet(())
        case Group("{}", items):
            return union([_point(item) for item in items])
        case Group(brackets, (low, high)) if brackets in {"()", "[]", "(]", "[)"}:
            if not (is_expression(low) and is_expression(high)):
                raise NotASet("an interval between things that are no numbers")
            return interval(end(low, brackets[0] == "["), end(high, brackets[1] == "]"))
        case SetOperation("union", (left, right)):
            return union([real_set(left), real_set(right)])
        case SetOperation("intersection", (left, right)):
            return intersection(real_set(left), real_set(right))
        case SetOperation("difference", (left, right)):
            return intersection(real_set(left), complement(real_set(right)))
        case SetBuilder(condition):
            return RealSet(real_set(condition).pieces)
        case Relation():
            return _from_relation(node)
        case Listing(items, connective) if all(isinstance(item, Relation) for item in items):
            parts = [real_set(item) for item in items]
            if len({part.variable for part in parts}) != 1:
                raise NotASet("conditions on several variables")
            if connective == "or":
                return RealSet(union(parts).pieces, parts[0].variable)
            result = parts[0]
            for part in parts[1:]:
                result = intersection(result, part)
            return RealSet(result.pieces, parts[0].variable)
        case _:
            raise NotASet("no set of real numbers")


def _point(node: Node) -> RealSet:
    if not is_expression(node):
        raise NotASet("a set of things that are no numbers")
    at = end(node, True)
    return RealSet((Piece(at, at),)) if at.closed else RealSet(())


def interval(low: End, high: End) -> RealSet:
    """The interval between two ends; empty if they are in the wrong order."""
    gap = high.place - low.place if math.isfinite(high.place - low.place) else math.inf
    if low.place > high.place or (gap <= _SAME_POINT and not (low.closed and high.closed)):
        return RealSet(())
    return RealSet((Piece(low, high),))


def union(parts: Sequence[RealSet]) -> RealSet:
    """The union, with touching pieces joined."""
    pieces = sorted(
        (piece for part in parts for piece in part.pieces), key=lambda piece: (piece.low.place, not piece.low.closed)
    )
    joined: list[Piece] = []
    for piece in pieces:
        if joined and _touch(joined[-1].high, piece.low):
            last = joined[-1]
            if _before(last.high, piece.high):
                joined[-1] = Piece(last.low, piece.high)
        else:
            joined.append(piece)
    return RealSet(tuple(joined))


def _touch(high: End, low: End) -> bool:
    if abs(high.place - low.place) <= _SAME_POINT:
        return high.closed or low.closed
    return low.place < high.place


def _before(first: End, second: End) -> bool:
    if first.place == second.place or abs(first.place - second.place) <= _SAME_POINT:
        return second.closed and not first.closed
    return first.place < second.place


def complement(of: RealSet) -> RealSet:
    """All real numbers outside the set."""
    pieces: list[Piece] = []
    low = _EVERYTHING.pieces[0].low
    for piece in of.pieces:
        pieces += interval(low, End(piece.low.place, piece.low.value, not piece.low.closed)).pieces
        low = End(piece.high.place, piece.high.value, not piece.high.closed)
    if low.place != math.inf:
        pieces += interval(low, _EVERYTHING.pieces[0].high).pieces
    return RealSet(tuple(piece for piece in pieces if not (piece.low.place == -math.inf == piece.high.place)))


def intersection(first: RealSet, second: RealSet) -> RealSet:
    """The intersection."""
    return complement(union([complement(first), complement(second)]))


def _from_relation(relation: Relation) -> RealSet:
    """An inequality in one variable that is linear in it, a chain of them, or ``x in S``."""
    match relation:
        case Relation(("in",), (Symbol(name), container)):
            return RealSet(real_set(container).pieces, name)
    sides = expressions(relation.sides)
    names = sorted(frozenset[str]().union(*map(symbols, sides or ())))
    if sides is None or len(names) != 1:
        raise NotASet("a relation between several variables")
    result = _EVERYTHING
    for operator, left, right in zip(relation.operators, sides, sides[1:], strict=False):
        result = intersection(result, _half_line(operator, left, right, names[0]))
    return RealSet(result.pieces, names[0])


def _half_line(operator: str, left: Expression, right: Expression, name: str) -> RealSet:
    """Where ``left operator right`` holds, for a difference that is linear in the variable."""
    if operator not in MIRRORED:
        raise NotASet(f"the relation {operator}")
    for side, bound, turned in ((left, right, operator), (right, left, MIRRORED[operator])):
        if isinstance(side, Apply) and side.name == "abs" and not symbols(bound):
            return _within(turned, side.args[0], bound, name)
    for side, bound, turned in ((left, right, operator), (right, left, MIRRORED[operator])):
        if side == Symbol(name) and not symbols(bound):
            return _beyond(turned, bound)
    try:
        slope, bound = _linear(add(normal_form(left), multiply(number_form(Fraction(-1)), normal_form(right))), name)
    except (Undefined, TooLarge) as error:
        raise NotASet(str(error)) from error
    return _beyond(operator if slope > 0 else MIRRORED[operator], bound)


def _within(operator: str, inner: Expression, bound: Expression, name: str) -> RealSet:
    """Where ``|inner| operator bound``: between the bounds for "less", outside them for "greater"."""
    if operator not in {"<", "<=", ">", ">="}:
        raise NotASet("an equation with an absolute value")
    low = _half_line(MIRRORED[operator], inner, negate(bound), name)
    high = _half_line(operator, inner, bound, name)
    return intersection(low, high) if operator in {"<", "<="} else union([low, high])


def _linear(form: Form, name: str) -> tuple[Fraction, Expression]:
    """Slope and zero of a form that is linear in a variable with rational coefficients."""
    from .tree import Number

    allowed = {poly.UNIT, ((name, Fraction(1)),)}
    slope = form.top.get(((name, Fraction(1)),), Fraction(0))
    if set(form.top) - allowed or len(form.bottom) != 1 or not slope:
        raise NotASet("not linear in its variable")
    return slope, Number(-form.top.get(poly.UNIT, Fraction(0)) / slope)


def _beyond(operator: str, bound: Expression) -> RealSet:
    low, high = _EVERYTHING.pieces[0].low, _EVERYTHING.pieces[0].high
    match operator:
        case "<" | "<=":
            return interval(low, end(bound, operator == "<="))
        case ">" | ">=":
            return interval(end(bound, operator == ">="), high)
        case "=":
            return RealSet((Piece(end(bound, True), end(bound, True)),))
        case _:
            return complement(RealSet((Piece(end(bound, True), end(bound, True)),)))


def same_set(first: RealSet, second: RealSet, same: Callable[[Expression, Expression], bool]) -> bool:
    """Whether two sets have the same ends, exactly, and do not name different variables."""
    if first.variable and second.variable and first.variable != second.variable:
        return False
    if len(first.pieces) != len(second.pieces):
        return False
    return all(
        left.closed == right.closed and same(left.value, right.value)
        for a, b in zip(first.pieces, second.pieces, strict=True)
        for left, right in ((a.low, b.low), (a.high, b.high))
    )


def is_continuous(node: Node) -> bool:
    """Whether a node can only be read as a set of real numbers, not as a list of separate ones."""
    match node:
        case NamedSet("R") | SetOperation() | SetBuilder() | Group("(]" | "[)", _):
            return True
        case Relation(operators, _):
            return set(operators) != {"="}
        case Listing(items, _):
            return bool(items) and all(isinstance(item, Relation) and is_continuous(item) for item in items)
        case _:
            return False
