from __future__ import annotations

from fractions import Fraction

import pytest

from semifactual.answers.display import show
from semifactual.answers.grammar import parse
from semifactual.answers.lexer import NotInGrammar
from semifactual.answers.limits import TooLarge
from semifactual.answers.tree import Number


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"\frac12", "(1/2)"),
        (r"\frac1{12}", "(1/12)"),
        (r"\sqrt[3]x", "root(x, 3)"),
        (r"\sin^2x", "(sin(x)^2)"),
        (r"\sin2x\cos x", "(sin((2*x))*cos(x))"),
        (r"\tan^{-1}1", "atan(1)"),
        (r"\log_23", "log(3, 2)"),
        (r"\sin(30^\circ)", "sin(degree(30))"),
        ("x(x-1)", "(x*(x + -1))"),
        ("f(x-1)", "f((x + -1))"),
        ("f^{-1}(3)", "f^{-1}(3)"),
        ("-2^2", "neg((2^2))"),
        ("2^-1", "(2^-1)"),
        ("1/2x", "((1/2)*x)"),
        ("2**3", "(2^3)"),
        ("|x-1|", "abs((x + -1))"),
        ("5!", "factorial(5)"),
        (r"{5\choose2}", "binomial(5, 2)"),
        (r"\lim_{x\to0^+}x", "limit(x, x, 0, 1)"),
        ("60 km/h", "60 [km h^-1]"),
        (r"-\$5", "neg(5) [dollar]"),
        (r"3\text{ dozen}", "(3*12)"),
        (r"22^\circ30'", "(22 + (30/60)) [degree]"),
        ("2 hours 30 minutes", "(2 + (30*1/60)) [h]"),
        ("(1,2]", "(1, 2]"),
        (r"\{1,2\}\cup\{3\}", "{1, 2} union {3}"),
        (r"\{x\mid x>2\}", "{: x > 2}"),
        ("1<x<2", "1 < x < 2"),
        ("1, 2 and 3", "list 1, 2, 3"),
        ("P(3,4)", "(3, 4)"),
        ("Area = 12", "area = 12"),
        (r"\begin{vmatrix}1&2\\3&4\end{vmatrix}", "det(1, 2, 3, 4)"),
    ],
)
def test_readings(text: str, shown: str) -> None:
    assert show(parse(text)) == shown


def test_mixed_numbers() -> None:
    assert parse(r"2\frac34") == parse("2 3/4") == Number(Fraction(11, 4))
    assert parse(r"2\frac43") != Number(Fraction(10, 3))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "+",
            "5 5",
            "(5",
            "5)",
            "[5",
            "5 +",
            "x^",
            "=5",
            "---- -5",
            "!!!5",
            "5!!!",
            "1,,,",
            "9..9",
            "#",
            "x.y",
            "a;;",
        ),
        *(r"\frac{1}{}", r"\sqrt", r"\foo", r"\sqrt{", r"\int x", r"\begin{pmatrix}1&2\\3\end{pmatrix}"),
        *("1 2/3 4", "5 or more", "5 less"),
    ],
)
def test_what_is_not_in_the_grammar(text: str) -> None:
    with pytest.raises(NotInGrammar):
        parse(text)


@pytest.mark.parametrize(
    "text", ["(" * 50 + "1" + ")" * 50, "2^" * 60 + "2", "1," * 250 + "1", "x+" * 600 + "x", "9" * 1001]
)
def test_what_is_too_large(text: str) -> None:
    with pytest.raises(TooLarge):
        parse(text)
