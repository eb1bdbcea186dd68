from __future__ import annotations

import pytest

from semifactual.answers.limits import TooLarge
from semifactual.answers.programs import ProgramError, parse_program
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
