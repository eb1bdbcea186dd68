"""Relations: assignments such as ``x = 5``, equations up to a factor, inequalities."""

from __future__ import annotations

from fractions import Fraction

from . import polynomial as poly
from .arithmetic import Undefined
from .limits import TooLarge
from .normal_form import normal_form, substitute
from .real_sets import MIRRORED
from .tree import Apply, Expression, Group, Node, Number, Relation, Symbol, expressions, is_expression, symbols


def is_name(node: Node) -> bool:
    """Whether a node only names something: ``x``, ``AB``, ``f(x)``, ``P(A)``, ``|AB|``, ``(x, y)``."""
    match node:
        case Symbol():
            return True
        case Apply("mul", (left, right)):
            return is_name(left) and is_name(right) and not isinstance(right, Apply)
        case Apply("abs", (inner,)):
            return is_name(inner)
        case Apply(name, args) if name.startswith("call:"):
            return all(is_name(arg) or isinstance(arg, Number) for arg in args)
        case Group("()", items):
            return all(isinstance(item, Symbol) for item in items)
        case _:
            return False


def assignment(node: Node) -> tuple[Node, tuple[Node, ...]] | None:
    """The name and the values of ``x = 2+3 = 5``, ``a = b = 3`` or ``5 = x``; of ``x in S``, the set; else None."""
    match node:
        case Relation(("in",), (name, container)) if is_name(name):
            return name, (container,)
        case Relation(operators, sides) if set(operators) == {"="}:
            named = next((place for place, side in enumerate(sides) if not is_name(side)), len(sides))
            if 0 < named < len(sides) and not any(map(is_name, sides[named:])):
                return sides[0], sides[named:]
            if is_name(sides[-1]) and not any(map(is_name, sides[:-1])):
                return sides[-1], sides[:-1]
            if len(sides) == 2 and is_name(sides[0]):
                return sides[0], sides[1:]
    return None


def same_name(first: Node, second: Node) -> bool:
    """Whether two names are the same; ``AB`` is ``BA``, and ``f(x)`` is ``f(t)``."""
    match first, second:
        case Apply(left, (Symbol(),)), Apply(right, (Symbol(),)) if left.startswith("call:"):
            return left == right
    if is_expression(first) and is_expression(second):
        return normal_form(first) == normal_form(second)
    return first == second


def renamed(name: Node, value: Node, like: Node) -> Node:
    """The value with the argument of ``f(t)`` called as in ``f(x)``."""
    match name, like:
        case Apply(_, (Symbol(old),)), Apply(_, (Symbol(new),)) if old != new and is_expression(value):
            return substitute(value, old, Symbol(new))
    return value


def proportional(first: Relation, second: Relation) -> bool:
    """Whether two relations are the same up to a factor: not zero for an equation, positive for an inequality."""
    a, b = _toward_less(first), _toward_less(second)
    if a is None or b is None or a[0] != b[0]:
        return False
    try:
        left, right = normal_form(a[1]), normal_form(b[1])
        p, q = poly.multiply(left.top, right.bottom), poly.multiply(right.top, left.bottom)
    except (Undefined, TooLarge):
        return False
    if not p or not q or set(p) != set(q) or set(p) == {poly.UNIT}:
        return False
    some = max(p)
    ratio = p[some] / q[some]
    if a[0] not in {"=", "!="} and ratio < 0:
        return False
    return poly.scale(q, ratio) == p


def _toward_less(relation: Relation) -> tuple[str, Expression] | None:
    """The operator turned to "less", and the difference of the sides that it compares with zero."""
    sides = expressions(relation.sides)
    if sides is None or len(sides) != 2 or relation.operators[0] not in MIRRORED:
        return None
    operator, (left, right) = relation.operators[0], sides
    if operator in {">", ">="}:
        operator, left, right = MIRRORED[operator], right, left
    return operator, Apply("add", (left, Apply("neg", (right,))))


def is_false(relation: Relation) -> bool:
    """Whether an equation between plain numbers does not hold: ``43 = 42``."""
    if set(relation.operators) != {"="}:
        return False
    try:
        numbers = [normal_form(side).number for side in relation.sides if is_expression(side) and not symbols(side)]
    except (Undefined, TooLarge):
        return False
    known: set[Fraction] = {number for number in numbers if number is not None}
    return len(known) > 1
