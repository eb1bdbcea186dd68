"""Are two expressions the same value? Exact first, then in floating point, and only then by sympy in a worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from .arithmetic import Undefined
from .forms import Form, same
from .limits import TooLarge
from .normal_form import normal_form
from .numeric import Evaluator, NoValue, clearly_different
from .outcomes import METHODS, Method, Outcome
from .tree import Apply, Constant, Expression, symbols

Decide = Callable[[Expression, Expression], Outcome]
"""What the worker offers: the outcome for two expressions whose equality nothing cheaper could settle."""


@dataclass(slots=True)
class Scalars:
    """Compares expressions and remembers the strongest method that any comparison of this verdict needed."""

    decide: Decide
    tolerance: Fraction = Fraction(0)
    method: Method = Method.EXACT

    def used(self, method: Method) -> None:
        self.method = max(self.method, method, key=METHODS.index)

    def compare(self, first: Expression, second: Expression) -> Outcome:
        """The outcome for two expressions. UNPARSABLE where one has no value, or is too large to have one here."""
        if first == second:
            return Outcome.UNPARSABLE if is_undefined(first) else Outcome.EQUAL
        if _has_infinity(first) or _has_infinity(second):
            return _compare_infinite(first, second)
        if self.tolerance and self.within_tolerance(first, second):
            self.used(Method.NUMERIC)
            return Outcome.EQUAL
        try:
            return self._compare_forms(first, second)
        except Undefined:
            return Outcome.UNPARSABLE
        except TooLarge:
            return self._compare_large(first, second)

    def _compare_forms(self, first: Expression, second: Expression) -> Outcome:
        left, right = normal_form(first), normal_form(second)
        if (a := left.number) is not None and (b := right.number) is not None:
            return Outcome.EQUAL if a == b else Outcome.DIFFERENT
        self.used(Method.NORMAL_FORM)
        if same(left, right):
            return Outcome.EQUAL
        if _are_distinct(left, right):
            return Outcome.DIFFERENT
        return self._compare_values(first, second)

    def _compare_values(self, first: Expression, second: Expression) -> Outcome:
        if clearly_different(first, second):
            self.used(Method.NUMERIC)
            return Outcome.DIFFERENT
        self.used(Method.SYMBOLIC)
        return self.decide(first, second)

    def _compare_large(self, first: Expression, second: Expression) -> Outcome:
        """Beyond exact arithmetic: values may still tell them apart, or the worker, which has limits of its own."""
        if clearly_different(first, second):
            self.used(Method.NUMERIC)
            return Outcome.DIFFERENT
        if is_costly(first) or is_costly(second):
            return Outcome.UNPARSABLE
        self.used(Method.SYMBOLIC)
        return self.decide(first, second)

    def within_tolerance(self, first: Expression, second: Expression) -> bool:
        """Whether two constants agree to the relative tolerance that the caller allowed."""
        if symbols(first) or symbols(second):
            return False
        try:
            left, right = Evaluator({}).value(first), Evaluator({}).value(second)
        except NoValue:
            return False
        return abs(left - right) <= float(self.tolerance) * max(abs(left), abs(right))


def _are_distinct(left: Form, right: Form) -> bool:
    """Whether different forms prove different values: plain polynomials in variables and rational numbers."""
    return all(
        name[0].isalpha() and "(" not in name and "*" not in name and exponent.denominator == 1
        for form in (left, right)
        for part in (form.top, form.bottom)
        for monomial in part
        for name, exponent in monomial
    )


def is_costly(node: Expression) -> bool:
    """Whether evaluating a node passes the limits of exact arithmetic: such a node is not sent to the worker."""
    if not isinstance(node, Apply):
        return False
    if node.name in {"sum", "integral", "limit"}:
        node = Apply("add", node.args[2:])
    if any(is_costly(arg) for arg in node.args):
        return True
    if node.name not in {"pow", "product", "factorial", "double_factorial", "binomial", "root", "mod", "gcd", "lcm"}:
        return False
    if symbols(node):
        return False
    try:
        normal_form(node)
    except TooLarge:
        return True
    except Undefined:
        return False
    return False


def is_undefined(node: Expression) -> bool:
    """Whether an expression has no value, so that it does not even equal itself."""
    if _has_infinity(node):
        return _sign_of_infinity(node) == 0
    try:
        normal_form(node)
    except Undefined:
        return True
    except TooLarge:
        return False
    return False


def _has_infinity(node: Expression) -> bool:
    match node:
        case Constant("infinity"):
            return True
        case Apply("sum" | "product" | "integral" | "limit", _):
            return False
        case Apply(_, args):
            return any(_has_infinity(arg) for arg in args)
        case _:
            return False


def _sign_of_infinity(node: Expression) -> int:
    """1 and -1 for infinity with its sign, else 0."""
    match node:
        case Constant("infinity"):
            return 1
        case Apply("neg", (inner,)):
            return -_sign_of_infinity(inner)
        case _:
            return 0


def _compare_infinite(first: Expression, second: Expression) -> Outcome:
    """Infinity equals itself alone; arithmetic with it has no value."""
    signs = [_sign_of_infinity(node) for node in (first, second)]
    for node, sign in zip((first, second), signs, strict=True):
        if sign == 0 and _has_infinity(node):
            return Outcome.UNPARSABLE
    return Outcome.EQUAL if signs[0] == signs[1] else Outcome.DIFFERENT
