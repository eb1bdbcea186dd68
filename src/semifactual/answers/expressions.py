"""The expression grammar: a recursive-descent parser over tokens, LaTeX and plain notation alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from .lexer import NotInGrammar
from .limits import MAX_DEPTH, TooLarge
from .operations import call, mixed_number, operation, with_sign
from .postfix import PostfixParser
from .tokens import Kind, Token
from .tree import Constant, Expression, Node, Number, Symbol, is_expression

_INVERSE = {"sin": "asin", "cos": "acos", "tan": "atan", "cot": "acot", "sec": "asec", "csc": "acsc"}
_CALLABLE = frozenset("fghFGHOPE") | {"\\Theta", "\\Omega", "\\phi", "\\varphi", "\\psi"}
"""Symbols that apply to a bracket right after them; before any other symbol, a bracket multiplies."""
_MAX_ARITY = {"max": 50, "min": 50, "gcd": 50, "lcm": 50, "binomial": 2, "log": 2}


class ExpressionParser(PostfixParser):
    """Parses scalars. Brackets that hold more than a scalar are left to `bracketed`, which a subclass extends."""

    def __init__(self, tokens: Sequence[Token], *, letter_units: frozenset[str] = frozenset()) -> None:
        super().__init__(tokens)
        self.bound: list[str] = []
        self.letter_units = letter_units
        self.open_bars = 0

    def expression(self) -> Expression:
        """A scalar; NotInGrammar where a structure stands."""
        node = self.sum()
        if not is_expression(node):
            raise NotInGrammar("a set, list or matrix inside an expression")
        return node

    def sum(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooLarge(f"expressions nested more than {MAX_DEPTH} deep")
        terms = [self.signed()]
        while self.at(Kind.OPERATOR, "+", "-", "+-", "-+"):
            sign = self.advance().text
            terms.append(with_sign(sign, self.signed_product()))
        self.depth -= 1
        return terms[0] if len(terms) == 1 else operation("add", *terms)

    def signed_product(self) -> Node:
        """A product, with one more minus sign before it at most (``14 + -1i``)."""
        if self.at(Kind.OPERATOR, "-"):
            self.advance()
            return with_sign("-", self.product())
        return self.product()

    def signed(self) -> Node:
        """A product with any sign before it."""
        negative = False
        for _ in range(4):
            if self.at(Kind.OPERATOR, "+", "-"):
                negative ^= self.advance().text == "-"
            elif self.at(Kind.OPERATOR, "+-", "-+"):
                sign = self.advance().text
                node = with_sign(sign, self.product())
                return with_sign("-", node) if negative else node
            else:
                node = self.product()
                return with_sign("-", node) if negative else node
        raise NotInGrammar("a run of signs")

    def product(self) -> Node:
        node = self.factor()
        while True:
            if self.at(Kind.OPERATOR, "*"):
                self.advance()
                if self.at(Kind.OPERATOR, "*"):
                    self.advance()
                    node = operation("pow", node, self.signed_factor())
                else:
                    node = operation("mul", node, self.signed_factor())
            elif self.at(Kind.OPERATOR, "/") and not self.unit_follows_slash():
                self.advance()
                node = operation("div", node, self.signed_factor())
            elif self.at(Kind.OPERATOR, "mod"):
                self.advance()
                node = operation("mod", node, self.signed_factor())
            elif self.at(Kind.COMMAND, "choose"):
                self.advance()
                node = operation("binomial", node, self.factor())
            elif self.starts_factor():
                node = self.juxtaposed(node)
            else:
                return node

    def unit_follows_slash(self) -> bool:
        return self.peek().kind is Kind.WORD

    def signed_factor(self) -> Node:
        if self.at(Kind.OPERATOR, "-", "+"):
            negative = self.advance().text == "-"
            node = self.factor()
            return with_sign("-", node) if negative else node
        return self.factor()

    def starts_factor(self) -> bool:
        """Whether the next token can begin a factor that multiplies the one before it."""
        token = self.token
        if token.kind is Kind.SYMBOL and token.text in self.letter_units:
            return self.peek().kind not in {Kind.END, Kind.CLOSE} and self.peek().text not in {",", "/", "^"}
        if token.kind is Kind.OPERATOR and token.text == "|":
            return self.open_bars == 0
        if token.kind is Kind.COMMAND:
            return token.text not in {"choose", "end", "over", "pmod"}
        return token.kind in {Kind.NUMBER, Kind.SYMBOL, Kind.CONSTANT, Kind.FUNCTION, Kind.OPEN}

    def juxtaposed(self, left: Node) -> Node:
        """A factor written right after another: a mixed number where both are plain integers, else a product."""
        before = self.tokens[self.index - 1]
        if self.at(Kind.NUMBER):
            mixed = self.plain_mixed(left, before)
            if mixed is not None:
                return mixed
            if before.text != "!":
                raise NotInGrammar("two numbers side by side")
        is_fraction = self.at(Kind.COMMAND, "frac")
        right = self.factor()
        if is_fraction and before.kind is Kind.NUMBER and (mixed := mixed_number(left, right)) is not None:
            return mixed
        return operation("mul", left, right)

    def plain_mixed(self, left: Node, before: Token) -> Node | None:
        """``3 1/2``: an integer, a space, and a proper fraction of integers."""
        numerator, slash, denominator = self.token, self.peek(), self.peek(2)
        if not (
            numerator.spaced and before.kind is Kind.NUMBER and slash.text == "/" and denominator.kind is Kind.NUMBER
        ):
            return None
        fraction = operation("div", Number(numerator.value), Number(denominator.value))
        mixed = mixed_number(left, fraction)
        if mixed is not None:
            self.index += 3
        return mixed

    def atom(self) -> Node:
        token = self.token
        match token.kind:
            case Kind.NUMBER:
                self.advance()
                return Number(token.value)
            case Kind.SYMBOL:
                return self.symbol()
            case Kind.CONSTANT:
                self.advance()
                if token.text in self.bound:
                    return Symbol(token.text)
                return Constant(token.text)
            case Kind.FUNCTION:
                return self.function()
            case Kind.COMMAND:
                return self.command()
            case Kind.OPEN:
                return self.bracketed()
            case Kind.OPERATOR if token.text == "|":
                return self.absolute()
            case _:
                raise NotInGrammar(f"{token.text or 'the end'!r} where a value belongs")

    def symbol(self) -> Node:
        name = self.advance().text
        if self.at(Kind.OPERATOR, "_"):
            self.advance()
            name += "_" + self.subscript()
        if name in _CALLABLE and self.upcoming("^", "{", "-", "1", "}", "("):
            self.index += 5
            name += "^{-1}"
        if self.at(Kind.OPEN, "(") and re.split(r"[_^]", name)[0] in _CALLABLE and self.is_call(name):
            argument = self.bracketed()
            items = getattr(argument, "items", (argument,))
            return operation("call:" + name, *items)
        return Symbol(name)

    def is_call(self, name: str) -> bool:
        """``P(A)`` and ``h(x)`` are calls, ``P(1+r)`` and ``h(a+b)`` are products; f, g and O always call."""
        return name not in {"P", "E", "h", "H", "G"} or self.peek(2).text == ")"

    def subscript(self) -> str:
        """The text of a subscript. Spaces and fonts do not matter in it."""
        if not self.at(Kind.OPEN, "{"):
            return self.advance().text
        self.advance()
        parts: list[str] = []
        while not self.at(Kind.CLOSE):
            if self.at(Kind.END):
                raise NotInGrammar("an open subscript")
            parts.append(self.advance().text)
        self.advance()
        return "".join(parts)

    def function(self) -> Node:
        name = self.advance().text
        base: Expression | None = None
        exponent: Expression | None = None
        for _ in range(2):
            if self.at(Kind.OPERATOR, "_"):
                self.advance()
                base = self.script()
            elif self.at(Kind.OPERATOR, "^"):
                self.advance()
                exponent = self.script()
        if exponent == Number(Fraction(-1)) and name in _INVERSE:
            name, exponent = _INVERSE[name], None
        args = self.arguments(name)
        if name == "log":
            args = (*args, base or Number(Fraction(10)))
        elif base is not None:
            raise NotInGrammar(f"a subscript on {name}")
        node = call(name, args)
        return node if exponent is None else operation("pow", node, exponent)

    def arguments(self, name: str) -> tuple[Node, ...]:
        """Bracketed arguments, or else the factors up to the next sign or function name."""
        if self.at(Kind.OPEN):
            inner = self.bracketed()
            items = tuple(getattr(inner, "items", (inner,)))
            if len(items) > _MAX_ARITY.get(name, 1):
                raise NotInGrammar(f"{len(items)} arguments of {name}")
            return items
        node = self.signed_factor()
        while self.starts_factor() and not self.at(Kind.FUNCTION) and not self.at(Kind.NUMBER):
            node = operation("mul", node, self.factor())
        return (node,)

    def absolute(self) -> Node:
        self.advance()
        self.open_bars += 1
        inner = self.expression()
        self.open_bars -= 1
        self.expect(Kind.OPERATOR, "|")
        return operation("abs", inner)

    def argument(self) -> Node:
        """The argument of a TeX command: a braced group, or one token; of a longer numeral, its first digit."""
        token = self.token
        if token.kind is Kind.NUMBER and len(token.text) > 1 and token.text.isdigit():
            rest = token.text[1:]
            tail = Token(Kind.NUMBER, rest, False, Fraction(int(rest)))
            self.tokens = [*self.tokens[: self.index], tail, *self.tokens[self.index + 1 :]]
            return Number(Fraction(int(token.text[0])))
        if token.kind is Kind.OPERATOR and token.text == "-":
            raise NotInGrammar("a bare sign as an argument")
        return self.atom()

    def command(self) -> Node:
        raise NotInGrammar(f"\\{self.token.text}")

    def bracketed(self) -> Node:
        raise NotInGrammar("a bracket")
