"""Quantities: what a unit on one side, on both, or on neither means for equality."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from .outcomes import Outcome
from .tree import Apply, Expression, Node, Number, Quantity, Unit, is_expression, mentions
from .units import DEGREE, PERCENT

_ANGLES = {"degree": 1, "arcmin": 60, "arcsec": 3600}

Compare = Callable[[Node, Node], Outcome]


def compare_quantities(first: Quantity, second: Quantity, compare: Compare) -> Outcome:
    """Two values with units: converted where the dimension is the same, different where it is not."""
    if not first.unit.powers or not second.unit.powers or first.unit.powers == second.unit.powers:
        if first.unit.factor == second.unit.factor or not first.unit.powers or not second.unit.powers:
            return compare(first.value, second.value)
        return compare(_scaled(first), _scaled(second))
    left, right = _as_radians(first), _as_radians(second)
    if left is not None and right is not None:
        return compare(left, right)
    if _is_noun(first.unit) and _is_noun(second.unit):
        a, b = dict(first.unit.powers).keys(), dict(second.unit.powers).keys()
        if a <= b or b <= a:
            return compare(first.value, second.value)
    return Outcome.DIFFERENT


def compare_with_bare(quantity: Quantity, bare: Node, compare: Compare) -> Outcome:
    """A value with a unit and one without: the missing unit is a wildcard. Percent may also stand for hundredths."""
    if quantity.unit.implied or isinstance(bare, Quantity):
        return Outcome.DIFFERENT
    plain = compare(quantity.value, bare)
    if plain is Outcome.EQUAL or not is_expression(bare) or not is_expression(quantity.value):
        return plain
    if quantity.unit == PERCENT or quantity.unit.powers == PERCENT.powers:
        return compare(_divided(quantity.value, 100), bare)
    if quantity.unit == DEGREE and mentions(bare, "pi"):
        return compare(Apply("degree", (quantity.value,)), bare)
    return plain


def _scaled(quantity: Quantity) -> Node:
    if not is_expression(quantity.value):
        return quantity.value
    return Apply("mul", (quantity.value, Number(quantity.unit.factor)))


def _divided(value: Expression, by: int) -> Expression:
    return Apply("div", (value, Number(Fraction(by))))


def _as_radians(quantity: Quantity) -> Node | None:
    """An angle's value in radians; None for anything that is no angle."""
    if not is_expression(quantity.value):
        return None
    name = quantity.unit.powers[0][0] if len(quantity.unit.powers) == 1 else ""
    if name in _ANGLES:
        return Apply("degree", (_divided(quantity.value, _ANGLES[name]),))
    return quantity.value if name == "rad" else None


def _is_noun(unit: Unit) -> bool:
    return all(base.startswith("#") for base, _ in unit.powers)
