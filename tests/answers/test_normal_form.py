from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.answers.arithmetic import Undefined, binomial, factorial, factors, power
from semifactual.answers.forms import same
from semifactual.answers.grammar import parse
from semifactual.answers.limits import TooLarge
from semifactual.answers.normal_form import normal_form
from semifactual.answers.tree import Apply, Expression, Number, Symbol, is_expression


def form(text: str) -> str:
    node = parse(text)
    assert is_expression(node)
    return str(normal_form(node))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (r"\frac{1}{\sqrt2}", r"\frac{\sqrt2}{2}"),
        (r"\sqrt{12}", r"2\sqrt3"),
        (r"\sqrt[3]{54}", r"3\sqrt[3]{2}"),
        (r"\sqrt{-9}", "3i"),
        (r"\sqrt[3]{-8}", "-2"),
        ("2^{n+1}", r"2\cdot 2^n"),
        ("4^n", "2^{2n}"),
        (r"e^{2x}\cdot e^{-x}", "e^x"),
        (r"\ln 12", r"2\ln2+\ln3"),
        (r"\log_4 8", r"\frac32"),
        (r"e^{\ln 5}", "5"),
        (r"\binom{n}{2}", r"\frac{n(n-1)}{2}"),
        (r"\sum_{k=1}^{4} k x", "10x"),
        (r"\begin{vmatrix}a&b\\c&d\end{vmatrix}", "ad-bc"),
        (r"\frac{2006!}{2004!}", r"2006\cdot2005"),
        (r"\lfloor -2.5\rfloor", "-3"),
        ("i^7", "-i"),
        (r"1+180^\circ", r"1+\pi"),
    ],
)
def test_equal_expressions_have_one_form(first: str, second: str) -> None:
    assert form(first) == form(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (r"\frac{1}{2-\sqrt3}", r"2+\sqrt3"),
        (r"\frac{x^2-1}{x-1}", "x+1"),
        (r"\frac{a}{b}+\frac{c}{d}", r"\frac{ad+bc}{bd}"),
    ],
)
def test_quotients_are_compared_by_cross_products(first: str, second: str) -> None:
    left, right = parse(first), parse(second)
    assert is_expression(left) and is_expression(right)
    assert same(normal_form(left), normal_form(right))


@pytest.mark.parametrize("text", [r"\frac{1}{0}", r"\frac{x}{x-x}", "0^0", "0^{-1}", r"\ln 0", "(-3)!"])
def test_what_has_no_value_is_undefined(text: str) -> None:
    with pytest.raises(Undefined):
        form(text)


@pytest.mark.parametrize(
    "text", ["9^{9^9}", "(10^7)!", "(x+1)^{99}", "(a+b+c+d)^{40}", r"\sum_{k=1}^{10^6} k", "2^{10^{6}}x"]
)
def test_what_would_grow_is_refused(text: str) -> None:
    with pytest.raises(TooLarge):
        form(text)


def expressions() -> st.SearchStrategy[Expression]:
    leaves = st.fractions(-9, 9, max_denominator=9).map(Number) | st.sampled_from("xyz").map(Symbol)
    return st.recursive(
        leaves,
        lambda inner: st.tuples(st.sampled_from(("add", "mul")), inner, inner).map(
            lambda parts: Apply(parts[0], (parts[1], parts[2]))
        ),
        max_leaves=8,
    )


@given(expressions(), expressions(), expressions())
def test_forms_obey_the_laws_of_a_ring(a: Expression, b: Expression, c: Expression) -> None:
    def of(name: str, *args: Expression) -> Apply:
        return Apply(name, args)

    assert normal_form(of("add", a, b)) == normal_form(of("add", b, a))
    assert normal_form(of("mul", a, of("add", b, c))) == normal_form(of("add", of("mul", a, b), of("mul", a, c)))
    assert normal_form(of("add", a, of("neg", a))).number == 0


@given(st.integers(1, 10**6))
def test_factors_multiply_back(number: int) -> None:
    product = 1
    for prime, count in factors(number).items():
        product *= prime**count
    assert product == number


def test_arithmetic_is_bounded() -> None:
    assert power(Fraction(2, 3), -2) == Fraction(9, 4)
    assert (factorial(5), factorial(6, 2), binomial(6, 2), binomial(3, 5)) == (120, 48, 15, 0)
    for costly in (lambda: power(Fraction(9), 10**6), lambda: factorial(10**6), lambda: binomial(10**9, 10)):
        with pytest.raises(TooLarge):
            costly()
