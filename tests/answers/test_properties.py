"""Laws that equality of answers obeys, over generated answers of many kinds."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semifactual.answers import Outcome, Verifier

numbers = st.one_of(
    st.integers(-999, 999).map(str),
    st.decimals(-99, 99, places=2).map(str),
    st.tuples(st.integers(-30, 30), st.integers(1, 30)).map(lambda pair: f"\\frac{{{pair[0]}}}{{{pair[1]}}}"),
    st.integers(2, 60).map(lambda n: f"\\sqrt{{{n}}}"),
    st.integers(1, 9).map(lambda n: f"{n}\\pi"),
)
scalars = st.one_of(
    numbers,
    st.sampled_from(["x", "x+1", "(x+1)^2", "x^2+2x+1", "2^n", "\\ln 6", "\\infty", "-\\infty", "i", "1+2i", "e^2"]),
)
answers = st.one_of(
    scalars,
    st.lists(numbers, min_size=2, max_size=4).map(", ".join),
    st.lists(numbers, min_size=2, max_size=3).map(lambda items: "(" + ",".join(items) + ")"),
    st.lists(numbers, min_size=1, max_size=3).map(lambda items: "\\{" + ",".join(items) + "\\}"),
    st.tuples(numbers, st.sampled_from(["\\text{ cm}", "\\%", "^\\circ", "\\text{ apples}"])).map("".join),
    st.tuples(st.sampled_from("xyn"), st.sampled_from(["=", "<", ">", "\\le "]), numbers).map("".join),
    st.sampled_from(
        ["A", "(B)", "yes", "no solution", "3:30", "1:2", "1010_2", "\\emptyset", "\\mathbb{R}", "x=1,y=2"]
    ),
)
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quick
@given(answers)
def test_reflexive(verifier: Verifier, answer: str) -> None:
    assert verifier.equivalent(answer, answer).outcome is Outcome.EQUAL


@quick
@given(answers, answers)
def test_symmetric(verifier: Verifier, first: str, second: str) -> None:
    assert verifier.equivalent(first, second).outcome is verifier.equivalent(second, first).outcome


@quick
@given(st.lists(st.integers(-20, 20).flatmap(lambda n: st.sampled_from(
    [str(n), f"{n}.0", f"\\frac{{{2 * n}}}{{2}}", f"{n - 1}+1", f"{n}\\cdot1", f"+{n}" if n >= 0 else str(n)]
)), min_size=3, max_size=3))  # fmt: skip
def test_transitive_among_numbers(verifier: Verifier, three: list[str]) -> None:
    first, second, third = three
    if verifier.equivalent(first, second).equal and verifier.equivalent(second, third).equal:
        assert verifier.equivalent(first, third).equal


@quick
@given(answers)
def test_notation_does_not_matter(verifier: Verifier, answer: str) -> None:
    for wrapped in (f"${answer}$", f"\\boxed{{{answer}}}", f"  {answer} ", f"\\({answer}\\)", f"**{answer}**"):
        assert verifier.equivalent(answer, wrapped).equal, wrapped


@quick
@given(st.fractions(-50, 50, max_denominator=40), st.fractions(-50, 50, max_denominator=40))
def test_fractions_are_equal_exactly_when_they_are(verifier: Verifier, first: object, second: object) -> None:
    assert verifier.equivalent(str(first), str(second)).equal == (first == second)
