"""Readings as short plain text, for the evidence in a verdict."""

from __future__ import annotations

from .tree import (
    Apply,
    BaseNumeral,
    CalendarDate,
    Choice,
    Clock,
    Constant,
    Group,
    Listing,
    Matrix,
    NamedSet,
    Node,
    Number,
    Phrase,
    Quantity,
    Ratio,
    Relation,
    SetBuilder,
    SetOperation,
    Symbol,
)

MAX_SHOWN = 200
_INFIX = {"mul": "*", "div": "/", "pow": "^", "mod": " mod "}


def show(node: Node) -> str:
    """The node as text of at most about MAX_SHOWN characters, typed where the type is not plain to see."""
    text = _show(node)
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "..."


def _show(node: Node) -> str:
    match node:
        case Number(value):
            return (
                str(value)
                if max(value.numerator.bit_length(), value.denominator.bit_length()) < 2000
                else "<long number>"
            )
        case Symbol(name) | Constant(name):
            return name
        case Apply("add", args):
            return "(" + " + ".join(map(_show, args)) + ")"
        case Apply(name, (left, right)) if name in _INFIX:
            return f"({_show(left)}{_INFIX[name]}{_show(right)})"
        case Apply(name, args):
            return f"{name.removeprefix('call:')}({', '.join(map(_show, args))})"
        case Quantity(value, unit):
            return f"{_show(value)} [{unit.text}]"
        case Group(brackets, items):
            return brackets[0] + ", ".join(map(_show, items)) + brackets[1]
        case Listing(items, _):
            return "list " + ", ".join(map(_show, items))
        case Relation(operators, sides):
            return _show(sides[0]) + "".join(
                f" {op} {_show(side)}" for op, side in zip(operators, sides[1:], strict=True)
            )
        case SetOperation(name, (left, right)):
            return f"{_show(left)} {name} {_show(right)}"
        case Matrix(rows):
            return "matrix " + "; ".join(", ".join(map(_show, row)) for row in rows)
        case _:
            return _show_named(node)


def _show_named(node: Node) -> str:
    match node:
        case SetBuilder(condition):
            return f"{{: {_show(condition)}}}"
        case NamedSet(name):
            return {"empty": "empty set"}.get(name, name)
        case Phrase(text):
            return f'"{text}"'
        case Choice(letters, text):
            return f"choice {letters}" + (f" ({text})" if text else "")
        case BaseNumeral(digits, base):
            return f"{digits} base {base}"
        case Clock(minutes, half):
            return f"{int(minutes) // 60}:{int(minutes) % 60:02d} {half}".strip()
        case Ratio(parts, _):
            return "ratio " + ":".join(map(str, parts))
        case CalendarDate(year, month, day):
            return f"{year or '????'}-{month:02d}-{day:02d}"
        case _:
            return repr(node)
