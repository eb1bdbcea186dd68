"""What follows an atom: powers, factorials, degrees, minutes and seconds of arc, primes."""

from __future__ import annotations

from collections.abc import Sequence

from .cursor import Cursor
from .lexer import NotInGrammar
from .limits import MAX_DEPTH, TooLarge
from .operations import operation
from .tokens import Kind, Token
from .tree import Expression, Node, Number, Symbol, is_expression, negate


class PostfixParser(Cursor):
    """Reads one factor: an atom, which a subclass knows, and everything that is written after it."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        super().__init__(tokens)
        self.depth = 0

    def atom(self) -> Node:
        raise NotImplementedError

    def factor(self) -> Node:
        """A postfixed atom, raised to a power if one follows."""
        base = self.postfixed(self.atom())
        if self.at(Kind.OPERATOR, "^") and not self.is_side_of_limit():
            self.advance()
            if self.at(Kind.OPERATOR, "degree"):
                self.advance()
                return self.degrees(base)
            if self.at(Kind.OPEN, "{") and self.peek().text == "degree" and self.peek(2).text == "}":
                self.index += 3
                return self.degrees(base)
            if primes := self.primes():
                return operation(primes, base)
            return self.postfixed(operation("pow", base, self.script()))
        return base

    def is_side_of_limit(self) -> bool:
        """Whether the power sign here says from which side a limit is taken: ``x\\to 0^+``."""
        return self.peek().text in {"+", "-"} and self.peek(2).kind is Kind.CLOSE

    def degrees(self, base: Node) -> Node:
        """An angle, with minutes and seconds of arc where they follow. A letter after it is a scale of temperature."""
        if self.at(Kind.SYMBOL, "C", "F") or self.at(Kind.WORD, "C", "F"):
            return operation("temperature:" + self.advance().text, base)
        parts = [operation("degree", base)]
        if self.at(Kind.NUMBER) and (primes := self.peek().text) in {"'", '"'}:
            parts.append(operation("arcmin" if primes == "'" else "arcsec", Number(self.advance().value)))
            self.advance()
            if self.at(Kind.NUMBER) and self.peek().text in {"'", '"'}:
                parts.append(operation("arcsec", Number(self.advance().value)))
                while self.at(Kind.OPERATOR, "'", '"'):
                    self.advance()
        return parts[0] if len(parts) == 1 else operation("add", *parts)

    def primes(self) -> str:
        """`arcmin` for ``^{\\prime}``, `arcsec` for two of them, else empty."""
        offset = 1 if self.at(Kind.OPEN, "{") else 0
        count = 0
        while self.peek(offset + count).text == "'" and count < 2:
            count += 1
        if not count:
            return ""
        self.index += 2 * offset + count
        return "arcmin" if count == 1 else "arcsec"

    def script(self) -> Expression:
        """What stands after ``^``: a braced group, or one factor, which may itself be a power."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooLarge(f"powers nested more than {MAX_DEPTH} deep")
        negative = self.at(Kind.OPERATOR, "-", "+") and self.advance().text == "-"
        node = self.factor()
        self.depth -= 1
        if not is_expression(node):
            raise NotInGrammar("a structure as an exponent")
        return negate(node) if negative else node

    def postfixed(self, node: Node) -> Node:
        while True:
            if self.at(Kind.OPERATOR, "!"):
                bangs = 0
                while self.at(Kind.OPERATOR, "!"):
                    self.advance()
                    bangs += 1
                if bangs > 2:
                    raise NotInGrammar("more than two factorial signs")
                node = operation("factorial" if bangs == 1 else "double_factorial", node)
            elif self.at(Kind.OPERATOR, "degree"):
                self.advance()
                node = self.degrees(node)
            elif self.at(Kind.OPERATOR, "'") and isinstance(node, Number):
                count = 0
                while self.at(Kind.OPERATOR, "'"):
                    self.advance()
                    count += 1
                node = operation("arcmin" if count == 1 else "arcsec", node)
            elif self.at(Kind.OPERATOR, "'") and isinstance(node, Symbol):
                self.advance()
                node = Symbol(node.name + "'")
            else:
                return node
