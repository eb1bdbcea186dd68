from __future__ import annotations

import math

import pytest

from semifactual.answers.grammar import parse
from semifactual.answers.numeric import clearly_different, points, real_value
from semifactual.answers.tree import Expression, is_expression


def tree(text: str) -> Expression:
    node = parse(text)
    assert is_expression(node)
    return node


@pytest.mark.parametrize(
    ("first", "second"), [(r"\sin x", r"\cos x"), ("x^2", "x"), (r"\sqrt2", "1.4142"), ("a-b", "b-a")]
)
def test_values_tell_expressions_apart(first: str, second: str) -> None:
    assert clearly_different(tree(first), tree(second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (r"\sin^2x+\cos^2x", "1"),
        (r"\frac{\pi}{10^{30}}", "0"),  # too small for floats to tell: left to exact arithmetic
        (r"\frac{1}{\sqrt n}", r"\sqrt{\frac1n}"),  # differs in sign only where neither is real
        (r"\sqrt{10^{20}+1}-10^{10}", "0"),  # digits lost on the way are allowed for
        ("1000!", "2"),  # no float value: nothing shown
    ],
)
def test_agreement_and_ignorance_are_not_difference(first: str, second: str) -> None:
    assert not clearly_different(tree(first), tree(second))


def test_variables_are_tried_apart_and_with_both_signs() -> None:
    tried = points(frozenset("xy"))
    assert all(point["x"] != point["y"] for point in tried)
    assert {point["x"] > 0 for point in tried} == {True, False}
    assert points(frozenset()) == [{}]


def test_real_values() -> None:
    assert real_value(tree(r"\sqrt[3]{-8}")) == pytest.approx(-2)
    assert real_value(tree(r"-\infty")) == -math.inf
    assert real_value(tree("x")) is None
    assert real_value(tree(r"\sqrt{-1}")) is None
