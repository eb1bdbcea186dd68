from __future__ import annotations

from fractions import Fraction

import pytest

from semifactual.answers.limits import TooLarge
from semifactual.answers.programs import ProgramError, fraction_of, parse_program, replaced, written
from semifactual.answers.rederive import evaluate_program


@pytest.mark.parametrize(
    ("program", "result"),
    [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("7 / 2", "7/2"),
        ("7 // 2", "3"),
        ("-7 // 2", "-4"),
        ("-7 % 3", "2"),
        ("2 ** 3 ** 2", "512"),
        ("-2 ** 2", "-4"),
        ("2 ** -1", "1/2"),
        ("floor(7/2) + ceil(7/2)", "7"),
        ("min(3, 2, 5) * max(1, 4)", "8"),
        ("abs(-3)", "3"),
        ("gcd(12, 18) + lcm(4, 6)", "18"),
        ("sqrt(9)", "3"),
        ("sqrt(12)", "2*sqrt(3)"),
        ("0.1 + 0.2", "3/10"),
        ("n - - 2", "7"),
    ],
)
def test_programs_are_exact(program: str, result: str) -> None:
    assert evaluate_program(program, {"n": 5}) == result


@pytest.mark.parametrize(
    "program",
    [
        *("", "1 +", "(1", "1)", "1 2", "m", "x.y", "x[0]", "f(1)", "abs(1, 2)", "min(1)", "1/0", "5 % 0", "0 ** 0"),
        *(
            "sqrt(-1)",
            "gcd(1/2, 3)",
            "'a'",
            "1; 2",
            "__import__('os')",
            "lambda: 1",
            "1 if 1 else 2",
            "é",
            "2 ** sqrt(2)",
        ),
    ],
)
def test_anything_else_is_refused(program: str) -> None:
    with pytest.raises(ProgramError):
        evaluate_program(program, {"x": 1})


@pytest.mark.parametrize("program", ["9 ** 9 ** 9", "(10 ** 10) ** (10 ** 10)"])
def test_programs_cannot_grow(program: str) -> None:
    with pytest.raises(TooLarge):
        evaluate_program(program, {})


@pytest.mark.parametrize("program", ["(" * 100 + "1" + ")" * 100, "1" + " + 1" * 2000, "2" + " ** 2" * 50])
def test_programs_are_bounded(program: str) -> None:
    with pytest.raises(ProgramError):
        parse_program(program)


@pytest.mark.parametrize(
    "program",
    ["1 + 2 * 3", "(1 + 2) * 3", "8 - (4 - 2)", "8 / (4 / 2)", "-(1 + 2) * -3", "(2 ** 3) ** 2"],
)
def test_a_written_program_is_read_as_the_same(program: str) -> None:
    tree = parse_program(program)
    assert parse_program(written(tree, str)) == tree
    assert len(written(tree, str)) <= len(program)


def test_functions_names_and_numbers_are_written() -> None:
    assert (
        written(parse_program("max( n,1.5 )*min(2,m)"), lambda value: f"{float(value):g}") == "max(n, 1.5) * min(2, m)"
    )


def test_numbers_are_replaced_wherever_they_stand() -> None:
    changed = replaced(parse_program("3 * (n + 3) - 5"), {Fraction(3): Fraction(7)})
    assert written(changed, str) == "7 * (n + 7) - 5"


@pytest.mark.parametrize("program", ["1 + 2 * 3", "7 / 2 - -1", "0.1 + 0.2", "-(2 - 5) * 4"])
def test_the_four_operations_give_what_sympy_gives(program: str) -> None:
    assert str(fraction_of(parse_program(program))) == evaluate_program(program, {})


@pytest.mark.parametrize("program", ["1 / (2 - 2)", "2 ** 3", "n + 1", "max(1, 2)", "7 // 2"])
def test_what_is_more_than_four_operations_or_has_no_value_is_refused(program: str) -> None:
    with pytest.raises(ProgramError):
        fraction_of(parse_program(program))


def test_a_value_beyond_the_limits_is_refused_by_the_four_operations_too() -> None:
    tree = replaced(parse_program("*".join("3" * 200)), {Fraction(3): Fraction(10**900)})
    with pytest.raises(TooLarge):
        fraction_of(tree)


@pytest.mark.parametrize("operator", ["+", "-", "*", "**"])
def test_a_program_too_deep_to_walk_is_refused(operator: str) -> None:
    with pytest.raises((ProgramError, TooLarge)):
        evaluate_program(operator.join("1" * 900), {})
    longest = "+".join("1" * 200)
    assert evaluate_program(longest, {}) == "200" == str(fraction_of(parse_program(longest)))
