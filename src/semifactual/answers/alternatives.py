"""Plus-minus signs: one expression that stands for several."""

from __future__ import annotations

from .limits import MAX_ALTERNATIVES, TooLarge
from .tree import Apply, Expression, Group, Listing, Node, Quantity, Relation, is_expression, negate


def spread(node: Node) -> tuple[Node, ...]:
    """The node for each choice of its plus-minus signs; a node without any is alone.

    All plus-minus signs of one expression take the upper sign together, and minus-plus the lower (as ``a ± b ∓ c`` is
    read); in a sum of several items each item has its own.
    """
    match node:
        case Quantity(value, unit):
            return tuple(Quantity(part, unit) for part in spread(value))
        case Relation(("=",), (left, right)):
            return tuple(Relation(("=",), (left, part)) for part in spread(right))
        case Group("{}", items):
            return (Group("{}", tuple(part for item in items for part in spread(item))),)
        case Group(brackets, items) if any(is_expression(item) and _is_open(item) for item in items):
            choices = [spread(item) for item in items]
            return tuple(
                Group(brackets, tuple(parts[min(sign, len(parts) - 1)] for parts in choices)) for sign in (0, 1)
            )
        case Listing(items, connective):
            parts = tuple(part for item in items for part in spread(item))
            if len(parts) > MAX_ALTERNATIVES * len(items):
                raise TooLarge("too many plus-minus signs")
            return (Listing(parts, connective),)
        case _ if is_expression(node) and _is_open(node):
            return _signed(node, 1), _signed(node, -1)
        case _:
            return (node,)


def _is_open(node: Expression) -> bool:
    return isinstance(node, Apply) and (node.name in {"plus_minus", "minus_plus"} or any(map(_is_open, node.args)))


def _signed(node: Expression, sign: int) -> Expression:
    match node:
        case Apply("plus_minus", (inner,)):
            return _signed(inner, sign) if sign > 0 else negate(_signed(inner, sign))
        case Apply("minus_plus", (inner,)):
            return _signed(inner, sign) if sign < 0 else negate(_signed(inner, sign))
        case Apply(name, args):
            return Apply(name, tuple(_signed(arg, sign) for arg in args))
        case _:
            return node
