"""The parts of the builtin sources: formulas, wording, options."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.errors import SourceError
from semifactual.sources.builtin.formulas import FormulaError, parse
from semifactual.sources.builtin.numbers import Form, number_text
from semifactual.sources.builtin.options import Options, parse_spec
from semifactual.sources.builtin.wording import parse_wording, render
from semifactual.sources.builtin.words import article, with_capitals, word_form


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("7 // 2 + 7 % 2", 4),
        ("ceil(7 / 2)", 4),
        ("floor(7 / 2) * 2", 6),
        ("gcd(12, 18) + lcm(4, 6)", 18),
        ("sqrt(49) - abs(0 - 3)", 4),
        ("1 / 3 + 0.5", Fraction(5, 6)),
        ("2 < 3 and not 3 == 4", True),
    ],
)
def test_values(formula: str, value: Fraction | int | bool) -> None:
    assert parse(formula).value({}) == value


@pytest.mark.parametrize(
    ("formula", "steps"),
    [("a + b * 2", 2), ("a * (b / 100)", 1), ("ceil(a / b)", 1), ("1 + ceil(a / b)", 2), ("a * 2 + floor(a / 100)", 3)],
)
def test_steps(formula: str, steps: int) -> None:
    assert parse(formula).steps({"a": 9, "b": 4}) == steps


@pytest.mark.parametrize(
    "formula", ["__import__('os')", "a.b", "[1]", "a if b else c", "lambda: 1", "a +", "'x'", "f(a)"]
)
def test_anything_else_is_no_formula(formula: str) -> None:
    with pytest.raises(FormulaError):
        parse(formula)


@pytest.mark.parametrize("formula", ["1 / 0", "1 % 0", "2 ** 65", "sqrt(8)"])
def test_formulas_without_a_value(formula: str) -> None:
    with pytest.raises(FormulaError):
        parse(formula).value({})


@given(st.fractions(min_value=-1000, max_value=1000, max_denominator=1000), st.sampled_from(Form))
def test_number_texts_are_exact(value: Fraction, form: Form) -> None:
    assert Fraction(number_text(value, form)) == value


def test_wording_agrees_with_its_numbers() -> None:
    text = "<X.he> has <n, item>; <n? it is/they are> in <a box>, <a k>-inch one. <r: n + k, item>."
    wording = parse_wording(text, {"X", "item", "box"})
    words = {"X": "Lena", "item": "loaf/loaves", "box": "urn"}
    assert render(wording, words, {"n": 1, "k": 8}, Form.WHOLE) == (
        "She has 1 loaf; it is in an urn, an 8-inch one. 1 + 8 = 9 loaves."
    )


def test_words() -> None:
    assert word_form("berry", "s") == "berries"
    assert word_form("Omar", "his") == "his"
    assert [article(word) for word in ("hour", "union", "11", "110", "apple")] == ["an", "a", "an", "a", "an"]
    assert with_capitals("she left. he did not? no.") == "She left. He did not? No."


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("builtin:algebra", Options()),
        ("builtin:algebra?steps=2&n=7", Options(n=7, steps=(2, 2))),
        ("builtin:word_problems?steps=1..2&max=20&min=2", Options(steps=(1, 2), min=2, max=20)),
        ("builtin:algebra?templates=root_sum,composition", Options(templates=("composition", "root_sum"))),
    ],
)
def test_options(spec: str, options: Options) -> None:
    assert parse_spec(spec)[1] == options


@pytest.mark.parametrize(
    ("spec", "message", "hint"),
    [
        ("builtin:geometry", "no builtin source 'geometry'", "word_problems, algebra"),
        ("builtin:algebra?step=2", "no option 'step'", "did you mean 'steps'"),
        ("builtin:algebra?steps=0..2", "steps=0..2", "1..4"),
        ("builtin:algebra?steps=3..2", "steps=3..2", "1..4"),
        ("builtin:algebra?max=lots", "max=lots", "the options are"),
        ("builtin:algebra?max=0", "max=0", "the options are"),
        ("builtin:algebra?max", "no value", "the options are"),
        ("builtin:algebra?max=9&max=8", "twice", ""),
        ("builtin:algebra?min=9&max=8", "larger", "min <= max"),
        ("builtin:algebra?templates=root_sums", "no template 'root_sums'", "root_sum"),
    ],
)
def test_wrong_options_are_refused_with_a_hint(spec: str, message: str, hint: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse_spec(spec)
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")
