"""TeX commands with arguments of their own: fractions, roots, binomials, matrices, sums, integrals, limits."""

from __future__ import annotations

from fractions import Fraction

from .expressions import ExpressionParser
from .lexer import NotInGrammar
from .tokens import Kind
from .tree import Apply, Expression, Matrix, Node, Number, Symbol, is_expression, negate

_PLAIN_MATRICES = frozenset(("matrix", "pmatrix", "bmatrix", "Bmatrix", "smallmatrix", "array"))


class CommandParser(ExpressionParser):
    """Adds the structural commands to the expression grammar."""

    def command(self) -> Node:
        name = self.advance().text
        match name:
            case "frac":
                return Apply("div", (self.scalar(self.argument()), self.scalar(self.argument())))
            case "binom" | "dbinom" | "tbinom":
                return Apply("binomial", (self.scalar(self.argument()), self.scalar(self.argument())))
            case "sqrt":
                return self.root()
            case "begin":
                return self.matrix()
            case "sum" | "prod":
                return self.series("sum" if name == "sum" else "product")
            case "int":
                return self.integral()
            case "lim":
                return self.limit()
            case "overline" | "bar" | "overrightarrow" | "vec" | "hat":
                return self.decorated(name)
            case _:
                raise NotInGrammar(f"the command \\{name} here")

    def scalar(self, node: Node) -> Expression:
        if not is_expression(node):
            raise NotInGrammar("a structure as the argument of a command")
        return node

    def root(self) -> Node:
        index: Expression = Number(Fraction(2))
        if self.at(Kind.OPEN, "["):
            self.advance()
            index = self.expression()
            self.expect(Kind.CLOSE, "]")
        if self.at(Kind.NUMBER):
            # "\sqrt12" and "√12" mean the root of twelve to everyone but TeX.
            return Apply("root", (Number(self.advance().value), index))
        return Apply("root", (self.scalar(self.argument()), index))

    def decorated(self, name: str) -> Node:
        """A letter or letters under a bar, an arrow or a hat: one name."""
        start = self.index
        node = self.argument()
        letters = "".join(token.text for token in self.tokens[start : self.index] if token.text not in "{}")
        if not (letters.isalpha() and is_expression(node)):
            raise NotInGrammar(f"\\{name} over something that is no name")
        return Symbol(f"\\{name} {letters}")

    def environment_name(self) -> str:
        self.expect(Kind.OPEN, "{")
        name = ""
        while not self.at(Kind.CLOSE) and not self.at(Kind.END):
            name += self.advance().text
        self.expect(Kind.CLOSE, "}")
        return name

    def matrix(self) -> Node:
        name = self.environment_name()
        if name == "array":
            self.environment_name()
        if name not in _PLAIN_MATRICES and name != "vmatrix":
            raise NotInGrammar(f"the environment {name!r}")
        rows: list[tuple[Node, ...]] = []
        row: list[Node] = []
        while not self.at(Kind.COMMAND, "end"):
            row.append(self.sum())
            if self.at(Kind.OPERATOR, "newline"):
                self.advance()
                rows.append(tuple(row))
                row = []
            elif not self.at(Kind.COMMAND, "end"):
                self.expect(Kind.OPERATOR, "&")
        if row:
            rows.append(tuple(row))
        self.advance()
        if self.environment_name() != name or not rows or len({len(row) for row in rows}) != 1:
            raise NotInGrammar("a matrix with ragged rows")
        if name == "vmatrix":
            return self.determinant(rows)
        return Matrix(tuple(rows))

    def determinant(self, rows: list[tuple[Node, ...]]) -> Node:
        if len(rows) != len(rows[0]) or len(rows) > 6:
            raise NotInGrammar("a determinant that is not square, or too large")
        return Apply("det", tuple(self.scalar(entry) for row in rows for entry in row))

    def bound_variable(self) -> Symbol:
        token = self.advance()
        if token.kind not in {Kind.SYMBOL, Kind.CONSTANT} or token.text in {"pi", "infinity"}:
            raise NotInGrammar("a bound variable that is no letter")
        self.bound.append(token.text)
        return Symbol(token.text)

    def series(self, name: str) -> Node:
        """``\\sum_{k=1}^{n} body``: the body is one product."""
        self.expect(Kind.OPERATOR, "_")
        self.expect(Kind.OPEN, "{")
        variable = self.bound_variable()
        self.expect(Kind.RELATION, "=")
        low = self.expression()
        self.expect(Kind.CLOSE, "}")
        self.expect(Kind.OPERATOR, "^")
        high = self.script()
        body = self.scalar(self.product())
        self.bound.pop()
        return Apply(name, (body, variable, low, high))

    def limit(self) -> Node:
        self.expect(Kind.OPERATOR, "_")
        self.expect(Kind.OPEN, "{")
        variable = self.bound_variable()
        self.expect(Kind.OPERATOR, "->")
        target = self.expression()
        side = 0
        if self.at(Kind.OPERATOR, "^"):
            self.advance()
            side = 1 if self.advance().text == "+" else -1
        self.expect(Kind.CLOSE, "}")
        body = self.scalar(self.product())
        self.bound.pop()
        return Apply("limit", (body, variable, target, Number(Fraction(side))))

    def integral(self) -> Node:
        """``\\int_a^b body\\,dx``; without bounds there is no answer to compare, so it is refused."""
        self.expect(Kind.OPERATOR, "_")
        low = self.bound_of_integral()
        self.expect(Kind.OPERATOR, "^")
        high = self.bound_of_integral()
        end = self.differential()
        variable = self.tokens[end + 1].text
        self.bound.append(variable)
        inner = type(self)([*self.tokens[self.index : end], self.tokens[-1]])
        inner.bound, inner.depth = self.bound, self.depth
        body = inner.expression() if end > self.index else Number(Fraction(1))
        inner.expect(Kind.END)
        self.bound.pop()
        self.index = end + 2
        return Apply("integral", (body, Symbol(variable), low, high))

    def bound_of_integral(self) -> Expression:
        if self.at(Kind.OPERATOR, "-"):
            self.advance()
            return negate(self.scalar(self.argument()))
        return self.scalar(self.argument())

    def differential(self) -> int:
        """Where the ``d`` of the ``dx`` stands that closes this integral."""
        depth = 0
        for place in range(self.index, len(self.tokens) - 2):
            token, following = self.tokens[place], self.tokens[place + 1]
            depth += (token.kind is Kind.OPEN) - (token.kind is Kind.CLOSE)
            if depth == 0 and token.text == "d" and following.kind is Kind.SYMBOL and not following.spaced:
                return place
        raise NotInGrammar("an integral without its dx")
