"""Typed comparison of two readings: each pair of kinds has its rule, and kinds that no rule joins are different."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .equations import assignment, is_false, proportional, renamed, same_name
from .measures import compare_quantities, compare_with_bare
from .outcomes import Outcome
from .real_sets import NotASet, is_continuous, real_set, same_set
from .scalars import Scalars
from .tree import (
    BaseNumeral,
    Choice,
    Clock,
    Expression,
    Group,
    Listing,
    Matrix,
    Node,
    Number,
    Phrase,
    Quantity,
    Ratio,
    Relation,
    is_expression,
)

MAX_PAIRS = 2_500
"""Comparisons of items that two unordered lists may cost."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """A name and the value that it was given."""

    name: Node
    value: Node


@dataclass(slots=True)
class Comparer:
    """Compares trees by type. Symmetric: each rule is tried with its sides in both orders."""

    scalars: Scalars

    def compare(self, first: Node, second: Node) -> Outcome:
        """The outcome for two readings."""
        if is_expression(first) and is_expression(second):
            return self.scalars.compare(first, second)
        for relation in (first, second):
            if isinstance(relation, Relation) and is_false(relation):
                return Outcome.UNPARSABLE
        if is_continuous(first) or is_continuous(second):
            return self.compare_sets(first, second)
        if isinstance(first, Quantity) and isinstance(second, Quantity):
            return compare_quantities(first, second, self.compare)
        if isinstance(first, Relation) and isinstance(second, Relation) and proportional(first, second):
            return Outcome.EQUAL
        left, right = self.assigned(first), self.assigned(second)
        if left is not None or right is not None:
            return self.compare_assigned(left, first, right, second)
        for a, b in ((first, second), (second, first)):
            if isinstance(a, Quantity):
                return compare_with_bare(a, b, self.compare)
        if isinstance(first, Relation) or isinstance(second, Relation):
            return self.compare_statements(first, second)
        return self.compare_structures(first, second)

    def compare_structures(self, first: Node, second: Node) -> Outcome:
        match first, second:
            case Matrix(rows), Matrix(others):
                if [len(row) for row in rows] != [len(row) for row in others]:
                    return Outcome.DIFFERENT
                return self.in_order([e for row in rows for e in row], [e for row in others for e in row])
            case (BaseNumeral() as numeral, other) | (other, BaseNumeral() as numeral):
                return _compare_numeral(numeral, other)
            case Ratio(), Ratio():
                return _compare_ratios(first, second)
            case Clock(minutes, half), Clock(others, other_half):
                same = minutes == others and (half == other_half or not half or not other_half)
                return Outcome.EQUAL if same else Outcome.DIFFERENT
            case Choice(letters, text), Choice(others, other_text):
                same = letters == others and (not text or not other_text or text.lower() == other_text.lower())
                return Outcome.EQUAL if same else Outcome.DIFFERENT
        system = self.compare_system(first, second)
        if system is not None:
            return system
        return self.compare_collections(first, second)

    def compare_collections(self, first: Node, second: Node) -> Outcome:
        """Lists and sets without order, tuples in theirs. A set of one is its element; a list of one does not occur."""
        left, right = _members(first), _members(second)
        if left is not None and right is not None:
            return self.without_order(left, right)
        for members, other in ((left, second), (right, first)):
            if members is not None:
                alone = isinstance(other, Phrase | Group) or is_expression(other)
                return self.compare(members[0], other) if len(members) == 1 and alone else Outcome.DIFFERENT
        if isinstance(first, Group) and isinstance(second, Group):
            if _shape(first) != _shape(second) or len(first.items) != len(second.items):
                return Outcome.DIFFERENT
            return self.in_order(first.items, second.items)
        return Outcome.EQUAL if first == second else Outcome.DIFFERENT

    def in_order(self, first: Sequence[Node], second: Sequence[Node]) -> Outcome:
        worst = Outcome.EQUAL
        for a, b in zip(first, second, strict=True):
            outcome = self.compare(a, b)
            if outcome is Outcome.DIFFERENT:
                return outcome
            worst = outcome if outcome is not Outcome.EQUAL else worst
        return worst

    def without_order(self, first: Sequence[Node], second: Sequence[Node]) -> Outcome:
        """Whether each item of either list occurs in the other. Repeated items do not matter."""
        if all(isinstance(item, Number) for item in (*first, *second)):
            return Outcome.EQUAL if set(first) == set(second) else Outcome.DIFFERENT
        if len(first) * len(second) > MAX_PAIRS:
            return Outcome.UNPARSABLE
        table = [[self.compare(a, b) for b in second] for a in first]
        lines = [*table, *(list(column) for column in zip(*table, strict=True))]
        if all(Outcome.EQUAL in line for line in lines):
            return Outcome.EQUAL
        for undecided in (Outcome.TIMED_OUT, Outcome.UNPARSABLE):
            if all(Outcome.EQUAL in line or undecided in line for line in lines):
                return undecided
        return Outcome.DIFFERENT

    def compare_sets(self, first: Node, second: Node) -> Outcome:
        """Where one side can only be a set of reals, both must be; conditions on several variables go by sides."""
        try:
            left, right = real_set(_unassigned(first)), real_set(_unassigned(second))
        except NotASet:
            return self.compare_statements(first, second)
        return Outcome.EQUAL if same_set(left, right, self.is_same) else Outcome.DIFFERENT

    def is_same(self, first: Expression, second: Expression) -> bool:
        return self.scalars.compare(first, second) is Outcome.EQUAL

    def compare_statements(self, first: Node, second: Node) -> Outcome:
        """Relations that are not solved: proportional, or chains with equal sides; lists of them item by item."""
        if isinstance(first, Listing) and isinstance(second, Listing):
            return self.without_order(first.items, second.items)
        if type(first) is not type(second):
            return Outcome.DIFFERENT
        if isinstance(first, Relation) and isinstance(second, Relation):
            if proportional(first, second):
                return Outcome.EQUAL
            if first.operators == second.operators and len(first.sides) == len(second.sides):
                return self.in_order(first.sides, second.sides)
            return Outcome.DIFFERENT
        return Outcome.EQUAL if first == second else Outcome.DIFFERENT

    def assigned(self, node: Node) -> Assigned | None:
        """``x = 5``, and ``x = 1 or x = 2`` or ``x = 1, 2`` with the list as the value; None for anything else."""
        if isinstance(node, Listing):
            parts = [self.assigned(item) for item in node.items]
            head = parts[0]
            if head is None or any(part is not None and not same_name(part.name, head.name) for part in parts):
                return None
            values = tuple(part.value if part else item for part, item in zip(parts, node.items, strict=True))
            return Assigned(head.name, Listing(values, node.connective))
        found = assignment(node)
        if found is None:
            return None
        name, values = found
        for other in values[:-1]:
            if self.compare(other, values[-1]) is not Outcome.EQUAL:
                return None
        return Assigned(name, values[-1])

    def compare_assigned(self, left: Assigned | None, first: Node, right: Assigned | None, second: Node) -> Outcome:
        """A named value against another, where names must agree, or against a bare value."""
        if left is not None and right is not None:
            if not same_name(left.name, right.name):
                return Outcome.DIFFERENT
            return self.compare(left.value, renamed(right.name, right.value, left.name))
        named, bare = (left, second) if left is not None else (right, first)
        assert named is not None
        if isinstance(bare, Relation):
            return Outcome.DIFFERENT
        return self.compare(named.value, bare)

    def compare_system(self, first: Node, second: Node) -> Outcome | None:
        """Values for several names: against another such list by name, against a tuple in alphabetical order."""
        left, right = self.system(first), self.system(second)
        if left and right:
            if left.keys() != right.keys():
                return Outcome.DIFFERENT
            return self.in_order([left[name] for name in sorted(left)], [right[name] for name in sorted(left)])
        for values, other in ((left, second), (right, first)):
            if values:
                if isinstance(other, Listing) or (isinstance(other, Group) and _shape(other) == "()"):
                    items = other.items
                    if len(items) == len(values):
                        return self.in_order([values[name] for name in sorted(values)], items)
                return Outcome.DIFFERENT
        return None

    def system(self, node: Node) -> dict[str, Node] | None:
        if not isinstance(node, Listing):
            return None
        values: dict[str, Node] = {}
        for item in node.items:
            part = self.assigned(item)
            if part is None:
                return None
            values[repr(part.name)] = part.value
        return values


def _unassigned(node: Node) -> Node:
    """The interval in ``D = (0, 1)``; ``x in S`` keeps its variable."""
    found = assignment(node)
    if isinstance(node, Relation) and node.operators == ("=",) and found and isinstance(found[1][0], Group):
        return found[1][0]
    return node


def _members(node: Node) -> Sequence[Node] | None:
    if isinstance(node, Listing) or (isinstance(node, Group) and node.brackets == "{}"):
        return node.items
    return None


def _shape(group: Group) -> str:
    return "()" if group.brackets == "<>" else group.brackets


def _compare_ratios(first: Ratio, second: Ratio) -> Outcome:
    """Equal up to scale, unless both could be times of day: 3:30 is not 1:10."""
    same = first.parts == second.parts
    if not (first.could_be_time and second.could_be_time) and len(first.parts) == len(second.parts):
        products = [(a * second.parts[0], b * first.parts[0]) for a, b in zip(first.parts, second.parts, strict=True)]
        same = all(left == right for left, right in products) and any(first.parts) == any(second.parts)
    return Outcome.EQUAL if same else Outcome.DIFFERENT


def _compare_numeral(numeral: BaseNumeral, other: Node) -> Outcome:
    """By value where both have a base; a bare numeral is read in the other's base."""
    if isinstance(other, BaseNumeral):
        same = int(numeral.digits, numeral.base) == int(other.digits, other.base)
    else:
        same = isinstance(other, Number) and str(other.value) == numeral.digits
    return Outcome.EQUAL if same else Outcome.DIFFERENT
