"""The grammar of whole answers: lists, brackets, sets, relations and quantities around expressions."""

from __future__ import annotations

from fractions import Fraction

from .commands import CommandParser
from .lexer import Lexer, NotInGrammar
from .limits import MAX_ITEMS, TooLarge
from .operations import operation
from .tokens import Kind
from .tree import (
    Apply,
    Expression,
    Group,
    Listing,
    NamedSet,
    Node,
    Number,
    Quantity,
    Relation,
    SetBuilder,
    SetOperation,
    Symbol,
    Unit,
    is_expression,
)
from .units import DEGREE, MULTIPLES, PERCENT, NotAUnit, combine, named

_CLOSERS = {"(": (")", "]"), "[": ("]", ")", "["), "]": ("[",), "\\{": ("\\}",), "<": (">",), "{": ("}",)}
_ROUNDERS = {"floor": "floor", "ceil": "ceil"}


class AnswerParser(CommandParser):
    """Parses one answer. `whole` reads everything up to the end of the tokens, or raises NotInGrammar."""

    def whole(self) -> Node:
        node = self.listing()
        if not self.at(Kind.END):
            raise NotInGrammar(f"{self.token.text!r} after the end of the answer")
        return node

    def listing(self, *, inside: bool = False) -> Node:
        """Clauses parted by commas, semicolons, "and", "or"; inside brackets only by commas and semicolons."""
        items = [self.clause(inside=inside)]
        connective = ""
        while self.at_separator(inside):
            while self.at_separator(inside):
                found = self.advance()
                connective = found.text if found.kind is Kind.CONNECTIVE or not connective else connective
            if self.at(Kind.OPERATOR, "..."):
                raise NotInGrammar("a list that is not written out")
            items.append(self.clause(inside=inside))
            if len(items) > MAX_ITEMS:
                raise TooLarge(f"more than {MAX_ITEMS} items")
        return items[0] if len(items) == 1 else Listing(tuple(items), connective)

    def at_separator(self, inside: bool) -> bool:
        if self.at(Kind.OPERATOR, ",", ";"):
            return True
        return self.at(Kind.CONNECTIVE) and not inside

    def clause(self, *, inside: bool = False) -> Node:
        """One item: a chain of relations between sets or quantities, or a ratio ``a : b : c``."""
        sides = [self.title() or self.set_expression()]
        operators: list[str] = []
        while self.at(Kind.RELATION) or (not inside and self.at(Kind.OPERATOR, ":")):
            operators.append(self.advance().text)
            sides.append(self.set_expression())
        return Relation(tuple(operators), tuple(sides)) if operators else sides[0]

    def title(self) -> Node | None:
        """Words before an equals sign, as a name: ``Area = 12``."""
        start = self.index
        while self.at(Kind.WORD):
            self.advance()
        if self.index > start and self.at(Kind.RELATION, "="):
            return Symbol(" ".join(token.text.lower() for token in self.tokens[start : self.index]))
        self.index = start
        return None

    def set_expression(self) -> Node:
        node = self.quantity()
        while self.at(Kind.SET_OPERATOR):
            name = self.advance().text
            node = SetOperation(name, (node, self.quantity()))
        return node

    def quantity(self) -> Node:
        """A value, with a currency sign before it or a unit after it."""
        if self.at(Kind.CURRENCY) or (self.at(Kind.OPERATOR, "-") and self.peek().kind is Kind.CURRENCY):
            return self.price()
        if self.at(Kind.NAMED_SET):
            return NamedSet(self.advance().text)
        node = self.multiplied(self.sum())
        unit_after = self.unit()
        if unit_after is not None:
            return self.compound(Quantity(node, unit_after))
        return _degrees(node)

    def price(self) -> Quantity:
        """``$5``, ``-$5``, ``$5 dollars``: the sign says the unit, and words after it say it again."""
        negative = self.at(Kind.OPERATOR, "-")
        if negative:
            self.advance()
        unit = named(self.advance().text)
        value = self.multiplied(self.sum())
        self.unit()
        return Quantity(operation("neg", value) if negative else value, unit)

    def compound(self, first: Quantity) -> Quantity:
        """``2 hours 30 minutes``: values side by side whose units have one dimension add up."""
        if not (self.at(Kind.NUMBER) and is_expression(first.value)):
            return first
        second = self.quantity()
        if not (
            isinstance(second, Quantity) and is_expression(second.value) and second.unit.powers == first.unit.powers
        ):
            raise NotInGrammar("two quantities side by side")
        share = Number(second.unit.factor / first.unit.factor)
        return Quantity(Apply("add", (first.value, Apply("mul", (second.value, share)))), first.unit)

    def multiplied(self, node: Node) -> Node:
        """The value times a word such as "million" or "dozen"."""
        while self.at(Kind.WORD) and self.token.text.lower() in MULTIPLES and is_expression(node):
            node = Apply("mul", (node, Number(Fraction(MULTIPLES[self.advance().text.lower()]))))
        return node

    def unit(self) -> Unit | None:
        """The unit that the next tokens spell, if any."""
        if self.at(Kind.OPERATOR, "%"):
            self.advance()
            return PERCENT
        if self.at(Kind.CURRENCY):
            return named(self.advance().text)
        parts: list[tuple[str, int]] = []
        implied, sign = False, 1
        while True:
            token = self.token
            is_letter = token.kind is Kind.SYMBOL and (token.text in self.letter_units or bool(parts))
            if token.kind is Kind.WORD and token.text.lower() == "per":
                sign = -1
                self.advance()
            elif parts and self.at(Kind.OPERATOR, "/", "*") and self.peek().kind in {Kind.WORD, Kind.SYMBOL}:
                sign = -1 if self.advance().text == "/" else sign
            elif token.kind is Kind.OPERATOR and token.text == "/" and self.peek().kind is Kind.WORD:
                sign = -1
                self.advance()
            elif token.kind is Kind.WORD or is_letter:
                implied |= is_letter and not token.spaced and not parts
                self.advance()
                parts.append((token.text, sign * self.unit_power()))
                sign = 1
            else:
                break
        if not parts:
            return None
        try:
            unit = combine(parts)
        except NotAUnit as error:
            raise NotInGrammar(f"the words {' '.join(word for word, _ in parts)!r}") from error
        if unit.powers == (("degree", 1),):
            return DEGREE
        return Unit(unit.powers, unit.factor, unit.text, True) if implied else unit

    def unit_power(self) -> int:
        if not self.at(Kind.OPERATOR, "^"):
            return 1
        self.advance()
        exponent = self.script()
        if isinstance(exponent, Number) and exponent.value.denominator == 1 and abs(exponent.value) < 10:
            return int(exponent.value)
        raise NotInGrammar("a unit to an odd power")

    def bracketed(self) -> Node:
        """What stands in brackets: a scalar in plain parentheses is itself, several items keep their brackets."""
        opening = self.advance().text
        if opening in _ROUNDERS:
            inner = self.expression()
            self.expect(Kind.CLOSE, opening)
            return Apply(_ROUNDERS[opening], (inner,))
        bars, self.open_bars = self.open_bars, 1 if opening == "\\{" else 0  # in a set, a bar says "such that"
        node = self.contents(opening)
        self.open_bars = bars
        return node

    def contents(self, opening: str) -> Node:
        if opening in {"\\{", "{"} and self.token.text == _CLOSERS[opening][0]:
            self.advance()
            if opening == "{":
                raise NotInGrammar("an empty group")
            return NamedSet("empty")
        inner = self.listing(inside=True)
        if opening == "{" and self.at(Kind.COMMAND, "over"):
            self.advance()
            inner = Apply("div", (self.scalar(inner), self.expression()))
        if opening == "\\{" and self.at(Kind.OPERATOR, "|", ":"):
            self.advance()
            condition = self.listing()
            self.expect(Kind.CLOSE, "\\}")
            return SetBuilder(_with_membership(inner, condition))
        if not (
            self.at(Kind.CLOSE, *_CLOSERS[opening])
            or self.at(Kind.OPEN, *_CLOSERS[opening])
            or (opening == "<" and self.at(Kind.RELATION, ">"))
        ):
            raise NotInGrammar(f"{self.token.text or 'the end'!r} where a closing bracket belongs")
        closing = self.advance().text
        return _grouped(opening, closing, inner)


def _with_membership(head: Node, condition: Node) -> Node:
    """``{x in R | x > 2}``: a head that says where the variable lives adds to the condition."""
    if isinstance(head, Relation) and head.sides[-1] != NamedSet("R"):
        return Listing((head, condition), "and")
    return condition


def _grouped(opening: str, closing: str, inner: Node) -> Node:
    if opening in {"{", "("} and isinstance(inner, Quantity) and inner.unit is DEGREE and is_expression(inner.value):
        return Apply("degree", (inner.value,))  # an angle goes on as a scalar: sin(30°)
    items = inner.items if isinstance(inner, Listing) else (inner,)
    if opening == "{":
        return Group("{}", items) if isinstance(inner, Listing) else inner
    if opening == "\\{":
        return Group("{}", items)
    if opening == "]" or closing == "[":
        opening, closing = ("(" if opening == "]" else "["), (")" if closing == "[" else "]")
    if opening + closing == "()" and not isinstance(inner, Listing):
        return inner
    return Group(opening + closing, items)


def _degrees(node: Node) -> Node:
    """A scalar that is an angle in degrees, or a temperature, as a quantity; anything else as it is."""
    match node:
        case Apply("arcmin" | "arcsec" as name, (inner,)):
            return Quantity(inner, named(name))
        case Apply(name, (inner,)) if name.startswith("temperature:"):
            return Quantity(inner, named({"C": "celsius", "F": "fahrenheit"}[name[-1]]))
        case _:
            angle = _in_degrees(node) if is_expression(node) else None
            return node if angle is None else Quantity(angle, DEGREE)


def _in_degrees(node: Expression) -> Expression | None:
    """The number of degrees of an angle that is built from degrees, minutes and seconds; None for anything else."""
    match node:
        case Apply("degree", (inner,)):
            return inner
        case Apply("arcmin" | "arcsec" as name, (inner,)):
            return Apply("div", (inner, Number(Fraction(60 if name == "arcmin" else 3600))))
        case Apply("neg" | "add" as name, args):
            angles = tuple(angle for angle in map(_in_degrees, args) if angle is not None)
            return Apply(name, angles) if len(angles) == len(args) else None
        case Apply("div" | "mul" as name, (left, right)):
            angle = _in_degrees(left)
            if angle is not None:
                return Apply(name, (angle, right))
            angle = _in_degrees(right) if name == "mul" else None
            return None if angle is None else Apply(name, (left, angle))
        case _:
            return None


def parse(text: str, *, letter_units: frozenset[str] = frozenset()) -> Node:
    """The tree of an answer whose characters are already folded.

    Raises NotInGrammar where the text leaves the grammar and TooLarge where it passes a limit.
    """
    return AnswerParser(Lexer(text).run(), letter_units=letter_units).whole()
