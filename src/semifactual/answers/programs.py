"""Arithmetic programs: a small language of our own for "how the answer follows from the quantities".

    program  := term (('+' | '-') term)*
    term     := unary (('*' | '/' | '//' | '%') unary)*
    unary    := '-' unary | power
    power    := atom ('**' unary)?
    atom     := number | name | name '(' program (',' program)* ')' | '(' program ')'

Names are quantities or one of the functions in `FUNCTIONS`. Nothing else can be said in it, and nothing is ever handed
to an evaluator of text: the tree is walked, and its operations are done by sympy on exact numbers.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .limits import MAX_BITS, MAX_DEPTH, MAX_LENGTH, TooLarge
from .numerals import decimal

FUNCTIONS = ("floor", "ceil", "min", "max", "abs", "gcd", "lcm", "sqrt")
"""The functions of the language."""

MAX_OPERATIONS = 200
"""Operators and calls of one program. A long sum is a deep tree, which is walked by recursion."""

_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?|\.\d+)|([A-Za-z_]\w*)|(\*\*|//|[-+*/%(),]))")


class ProgramError(ValueError):
    """A program that is not in the language, names a quantity that is not given, or has no value."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A number written in the program."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Name:
    """A quantity, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator or function on programs."""

    name: str
    args: tuple[Program, ...]


Program = Literal | Name | Operation


def parse_program(text: str) -> Program:
    """The tree of a program. Raises ProgramError, with what was wrong and where.

    >>> parse_program("a + b")
    Operation(name='+', args=(Name(name='a'), Name(name='b')))
    """
    return _Parser(text).run()


def leaves(program: Program) -> tuple[Fraction, ...]:
    """The numbers that a program writes out, from left to right."""
    match program:
        case Literal(value):
            return (value,)
        case Operation(_, args):
            return tuple(leaf for arg in args for leaf in leaves(arg))
        case _:
            return ()


def replaced(program: Program, values: Mapping[Fraction, Fraction]) -> Program:
    """The program with other numbers in place of those that `values` names."""
    match program:
        case Literal(value):
            return Literal(values.get(value, value))
        case Operation(name, args):
            return Operation(name, tuple(replaced(arg, values) for arg in args))
        case _:
            return program


_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "%": 2, "neg": 3, "**": 4}


def written(program: Program, show: Callable[[Fraction], str]) -> str:
    """The program as text, its numbers as `show` writes them.

    >>> written(parse_program("(3+4) * -x / 2"), str)
    '(3 + 4) * -x / 2'
    """
    return _written(program, show, 0)


def _written(program: Program, show: Callable[[Fraction], str], outer: int) -> str:
    match program:
        case Literal(value):
            return show(value)
        case Name(name):
            return name
        case Operation("neg", (arg,)):
            own, text = _PRECEDENCE["neg"], f"-{_written(arg, show, _PRECEDENCE['neg'])}"
        case Operation(name, (left, right)) if name in _PRECEDENCE:
            own = _PRECEDENCE[name]
            before, after = (own + 1, own) if name == "**" else (own, own + 1)
            text = f"{_written(left, show, before)} {name} {_written(right, show, after)}"
        case Operation(name, args):
            return f"{name}({', '.join(_written(arg, show, 0) for arg in args)})"
    return f"({text})" if own < outer else text


def fraction_of(program: Program) -> Fraction:
    """The value of a program of plain numbers and the four operations, at a fraction of the cost of `value_of`.

    Raises:
        ProgramError: there is more in it, or it has no value.
        TooLarge: the value has too many digits.
    """
    match program:
        case Literal(value):
            return value
        case Operation("neg", (arg,)):
            return -fraction_of(arg)
        case Operation(name, (left, right)) if name in _FOUR:
            result = _FOUR[name](fraction_of(left), fraction_of(right))
            if result.numerator.bit_length() + result.denominator.bit_length() > MAX_BITS:
                raise TooLarge("a value with too many digits")
            return result
    raise ProgramError("more than the four operations on numbers")


class _Parser:
    def __init__(self, text: str) -> None:
        if len(text) > MAX_LENGTH:
            raise ProgramError(f"a program of more than {MAX_LENGTH} characters")
        self.text = text
        self.tokens = self._split()
        self.index = 0
        self.depth = 0

    def _split(self) -> list[str]:
        tokens, position = [], 0
        while position < len(self.text.rstrip()):
            match = _TOKEN.match(self.text, position)
            if match is None:
                raise ProgramError(f"{self.text[position:].strip()[:1]!r} is not part of the language")
            tokens.append(match[0].strip())
            position = match.end()
        if sum(token[0] in "+-*/%(" for token in tokens) > MAX_OPERATIONS:
            raise ProgramError(f"a program of more than {MAX_OPERATIONS} operations")
        return [*tokens, ""]

    def run(self) -> Program:
        program = self.sum()
        if self.tokens[self.index]:
            raise ProgramError(f"{self.tokens[self.index]!r} after the end of the program")
        return program

    def accept(self, *symbols: str) -> str:
        token = self.tokens[self.index]
        if token and token in symbols:
            self.index += 1
            return token
        return ""

    def sum(self) -> Program:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ProgramError(f"a program nested more than {MAX_DEPTH} deep")
        program = self.term()
        while operator := self.accept("+", "-"):
            program = Operation(operator, (program, self.term()))
        self.depth -= 1
        return program

    def term(self) -> Program:
        program = self.unary()
        while operator := self.accept("*", "/", "//", "%"):
            program = Operation(operator, (program, self.unary()))
        return program

    def unary(self) -> Program:
        negative = False
        while self.accept("-"):
            negative = not negative
        program = self.power()
        return Operation("neg", (program,)) if negative else program

    def power(self) -> Program:
        base = self.atom()
        if self.accept("**"):
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise ProgramError(f"powers nested more than {MAX_DEPTH} deep")
            base = Operation("**", (base, self.unary()))
            self.depth -= 1
        return base

    def atom(self) -> Program:
        token = self.tokens[self.index]
        self.index += 1
        if token[:1].isdigit() or token[:1] == ".":
            return Literal(decimal(token))
        if token == "(":
            program = self.sum()
            self.close()
            return program
        if not (token.isidentifier() and token.isascii()):
            raise ProgramError(f"{token or 'the end'!r} where a value belongs")
        return self.call(token) if self.accept("(") else Name(token)

    def call(self, name: str) -> Program:
        if name not in FUNCTIONS:
            raise ProgramError(f"{name} is not one of the functions {', '.join(FUNCTIONS)}")
        args = [self.sum()]
        while self.accept(","):
            args.append(self.sum())
        self.close()
        if (len(args) == 1) != (name in {"floor", "ceil", "abs", "sqrt"}):
            raise ProgramError(f"{name} with {len(args)} arguments")
        return Operation(name, tuple(args))

    def close(self) -> None:
        if not self.accept(")"):
            raise ProgramError(f"{self.tokens[self.index] or 'the end'!r} where ')' belongs")


def value_of(program: Program, quantities: Mapping[str, Fraction]) -> Any:
    """The sympy number that a program comes to: rational, or with roots. Raises ProgramError."""
    import sympy

    match program:
        case Literal(value):
            return sympy.Rational(value.numerator, value.denominator)
        case Name(name):
            if name not in quantities:
                raise ProgramError(f"the quantity {name!r} is not given")
            return sympy.Rational(quantities[name].numerator, quantities[name].denominator)
        case Operation(name, args):
            values = [value_of(arg, quantities) for arg in args]
            result = _operations()[name](*values)
            if not (result.is_number and result.is_real and result.is_finite):
                raise ProgramError(f"{name} of {', '.join(map(str, values))} has no real value")
            return result


def _operations() -> dict[str, Callable[..., Any]]:
    import sympy

    return {
        "+": lambda first, second: first + second,
        "-": lambda first, second: first - second,
        "*": lambda first, second: first * second,
        "/": _quotient,
        "//": lambda first, second: sympy.floor(_quotient(first, second)),
        "%": lambda first, second: first - second * sympy.floor(_quotient(first, second)),
        "**": _power,
        "neg": lambda value: -value,
        "floor": sympy.floor,
        "ceil": sympy.ceiling,
        "abs": abs,
        "min": sympy.Min,
        "max": sympy.Max,
        "gcd": lambda *values: sympy.gcd_list([_whole(value) for value in values]),
        "lcm": lambda *values: sympy.lcm_list([_whole(value) for value in values]),
        "sqrt": sympy.sqrt,
    }


def _quotient(first: Any, second: Any) -> Any:
    if second == 0:
        raise ProgramError("a division by zero")
    return first / second


_FOUR: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
}


def _power(base: Any, exponent: Any) -> Any:
    if not exponent.is_Rational or not base.is_Rational:
        raise ProgramError("a power of something that is not rational")
    size = int(base.p).bit_length() + int(base.q).bit_length()
    if abs(exponent) * size > MAX_BITS or exponent.q > 100:
        raise TooLarge("a power with too many digits")
    if base == 0 and exponent <= 0:
        raise ProgramError("zero to a power that is not positive")
    return base**exponent


def _whole(value: Any) -> Any:
    if not value.is_Integer:
        raise ProgramError(f"{value} is not an integer")
    return value
