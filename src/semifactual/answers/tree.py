"""The trees that answers are read into: expressions first, then the structures that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, TypeGuard


@dataclass(frozen=True, slots=True)
class Number:
    """An exact rational literal."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable, subscripts included: ``x``, ``x_1``, ``\\alpha``."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """One of ``pi``, ``e``, ``i``, ``infinity``."""

    name: str


@dataclass(frozen=True, slots=True)
class Apply:
    """A whitelisted operation on expressions (``add``, ``pow``, ``sin``), or ``call:f`` for a named function."""

    name: str
    args: tuple[Expression, ...]


Expression: TypeAlias = Number | Symbol | Constant | Apply


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measure in base units: `factor` times the product of `powers`, written as `text`.

    A counted noun ("apples") is a base unit of its own. `implied` marks a letter glued to its number (5m),
    which is read as a unit only where the other side has one.
    """

    powers: tuple[tuple[str, int], ...]
    factor: Fraction = Fraction(1)
    text: str = ""
    implied: bool = False


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with a unit."""

    value: Node
    unit: Unit


@dataclass(frozen=True, slots=True)
class Group:
    """Items between brackets, which matter: ``()``, ``[]``, ``(]``, ``{}``, ``<>``."""

    brackets: str
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """A bare list: items parted by commas, semicolons, "and" or "or"."""

    items: tuple[Node, ...]
    connective: str = ","


@dataclass(frozen=True, slots=True)
class Relation:
    """A chain ``sides[0] operators[0] sides[1] ...`` of comparisons."""

    operators: tuple[str, ...]
    sides: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class SetOperation:
    """``union``, ``intersection`` or ``difference`` of sets."""

    name: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class SetBuilder:
    """All values of a variable for which a condition holds."""

    condition: Node


@dataclass(frozen=True, slots=True)
class NamedSet:
    """``empty``, ``R``, ``Z``, ``N``, ``Q`` or ``C``."""

    name: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of entries, whichever brackets were drawn around them."""

    rows: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words, lower-cased and without articles."""

    text: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Letters of a multiple-choice question, with the option's text where it was given."""

    letters: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class BaseNumeral:
    """Digits in a stated base."""

    digits: str
    base: int


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day; `half` is am, pm or empty."""

    minutes: Fraction
    half: str


@dataclass(frozen=True, slots=True)
class Ratio:
    """Parts of a ratio in their order. `could_be_time`: written like a time of day (``3:30``)."""

    parts: tuple[Fraction, ...]
    could_be_time: bool = False


@dataclass(frozen=True, slots=True)
class CalendarDate:
    """A date; the year is None where it was not given."""

    year: int | None
    month: int
    day: int


Node: TypeAlias = (
    Expression
    | Quantity
    | Group
    | Listing
    | Relation
    | SetOperation
    | SetBuilder
    | NamedSet
    | Matrix
    | Phrase
    | Choice
    | BaseNumeral
    | Clock
    | Ratio
    | CalendarDate
)

ONE = Number(Fraction(1))
INFINITY = Constant("infinity")


def is_expression(node: object) -> TypeGuard[Expression]:
    """Whether a node is a scalar expression."""
    return isinstance(node, Number | Symbol | Constant | Apply)


def mentions(node: Expression, constant: str) -> bool:
    """Whether a constant is written anywhere in an expression."""
    match node:
        case Constant(name):
            return name == constant
        case Apply(_, args):
            return any(mentions(arg, constant) for arg in args)
        case _:
            return False


def expressions(nodes: Sequence[Node]) -> tuple[Expression, ...] | None:
    """The nodes, if all of them are scalar expressions."""
    kept = tuple(node for node in nodes if is_expression(node))
    return kept if len(kept) == len(nodes) else None


def negate(node: Expression) -> Expression:
    """The node with its sign turned; a literal stays a literal."""
    return Number(-node.value) if isinstance(node, Number) else Apply("neg", (node,))


def symbols(node: Expression) -> frozenset[str]:
    """The free variables of an expression. Bound ones (of sums, limits, integrals) are not among them."""
    match node:
        case Symbol(name):
            return frozenset((name,))
        case Apply("sum" | "product" | "integral" | "limit", (body, Symbol(bound), *rest)):
            free = symbols(body) - {bound}
            return free.union(*(symbols(part) for part in rest))
        case Apply(_, args):
            return frozenset[str]().union(*(symbols(part) for part in args))
        case _:
            return frozenset()
