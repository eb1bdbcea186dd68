"""Formulas as trees: notation makes no difference, mathematics does, and no input does harm."""

from pathlib import Path
from time import perf_counter

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from semifactual.latex.tree import mathematics_key, same_mathematics

GOLDEN = yaml.safe_load((Path(__file__).parents[1] / "golden" / "notation.yaml").read_text())


@pytest.mark.parametrize(("first", "second"), GOLDEN["same"])
def test_other_notation_is_the_same_mathematics(first, second):
    assert mathematics_key(first) == mathematics_key(second)
    assert same_mathematics(f"${first}$" if "$" not in first else first, second)


@pytest.mark.parametrize(("first", "second"), GOLDEN["other"])
def test_what_looks_alike_may_be_other_mathematics(first, second):
    assert not same_mathematics(first, second)
    assert not same_mathematics(second, first)


@pytest.mark.parametrize(
    "formula",
    [
        "{", "}", "^", "'", "$", r"\frac", r"\frac{", r"\sqrt[", r"\sqrt", r"\left(", r"\begin{array}", r"\begin{x}",
        r"\begin", r"\not", r"\over ", r"{a\over", r"\rm ", r"\text{$", "1,", "1,000,", "a", "x'", r"\begin{cases}\\",
        r"\root", r"\pmod", r"\end{a}", "\\", "&", r"\left.", r"\left", r"\right", r"\left\middle", "/1", r"\{:",
        r"(\text{mod}", "(mod ", "½", "a/",
    ],
)  # fmt: skip
def test_hostile_formulas_take_linear_time(formula):
    times = []
    for length in (10_000, 100_000):
        started = perf_counter()
        assert isinstance(mathematics_key(formula * (length // len(formula))), str)
        times.append(perf_counter() - started)
    assert times[1] < 2
    assert times[1] < 40 * max(times[0], 0.005)


def test_what_is_nested_too_deep_is_compared_by_token():
    deep = "{" * 200 + "x" + "}" * 200
    assert same_mathematics(deep, deep.replace("x", " x "))
    assert not same_mathematics(deep, deep.replace("x", "y"))


@given(st.text(alphabet="abx012 $\\{}[]()^_'&/|.,<=-:\n", max_size=60))
def test_any_text_has_a_key_that_spaces_beside_signs_do_not_change(text):
    assert isinstance(mathematics_key(text), str)
    assert same_mathematics(text, text)


_ATOMS = st.sampled_from(["x", "y", "n", "12", "3", r"\pi"])
_FORMULAS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda ab: rf"\frac{{{ab[0]}}}{{{ab[1]}}}"),
        st.tuples(_ATOMS, inner).map(lambda ab: f"{ab[0]}^{{{ab[1]}}}"),
        inner.map(lambda a: rf"\sqrt{{{a}}}"),
        st.tuples(inner, st.sampled_from(["+", "-", "=", r"\le "]), inner).map("".join),
        inner.map(lambda a: rf"\left({a}\right)"),
    ),
    max_leaves=8,
)


@given(_FORMULAS)
def test_well_formed_formulas_keep_their_key_in_other_notation(formula):
    other = formula.replace(r"\frac", r"\dfrac ").replace(r"\left(", "( ").replace(r"\right)", ")")
    other = other.replace(r"\le ", r"\leqslant ").replace("+", " + ").replace("=", " = ")
    assert same_mathematics(f"${formula}$", rf"\({other}\)")
    assert not same_mathematics(formula, other.replace("x", "z")) or "x" not in formula
    assert not same_mathematics(formula, formula + "+1")
