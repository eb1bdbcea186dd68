from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from semifactual.answers.programs import ProgramError
from semifactual.answers.rederive import (
    Rederivation,
    evaluate_program,
    exact_text,
    exact_value,
    rederive_solution,
    solution_steps,
)

SOLUTION = "He buys 3*4=<<3*4=12>>12 tins and pays 12*2.5=$<<12*2.5=30>>30.\n#### 30"


def found(*numbers: str) -> list[Fraction]:
    return [Fraction(number) for number in numbers]


def test_a_solution_whose_numbers_stand_in_the_text() -> None:
    result = rederive_solution(SOLUTION, found("3", "4", "2.5"), "30")
    assert result.outcome is Rederivation.REDERIVED
    assert result.evidence == "2 steps lead to 30"


def test_a_number_that_is_not_in_the_text() -> None:
    result = rederive_solution(SOLUTION, found("3", "5", "2.5"), "30")
    assert result.outcome is Rederivation.REDERIVED  # 4 is a common constant (quarters)
    result = rederive_solution(SOLUTION.replace("4", "9").replace("12", "27"), found("3", "2.5"), "30")
    assert (result.outcome, result.evidence) == (Rederivation.UNBOUND, "9 in '3*9' is not in the text")


@pytest.mark.parametrize(
    ("solution", "answer", "outcome"),
    [
        ("no steps", "30", Rederivation.NO_STEPS),
        ("<<3*5=15>>", "15 tins", Rederivation.NO_STEPS),
        ("<<3*5=16>>", "16", Rederivation.BROKEN),
        ("<<3*5=15>>", "16", Rederivation.BROKEN),
        ("<<3*5=15>> <<15/0=1>>", "1", Rederivation.BROKEN),
        ("<<open('x')=15>>", "15", Rederivation.BROKEN),
        ("<<3**5**20=15>>", "15", Rederivation.BROKEN),
        ("<<3*5=15>> <<15-3=12>>", "12", Rederivation.REDERIVED),
        ("<<5/3=1.67>> <<1.67*3=5>>", "5", Rederivation.REDERIVED),
        ("<<3*20%=.6>>", "0.6", Rederivation.REDERIVED),
        ("<<$3*5=15>>", "$15.00", Rederivation.REDERIVED),
    ],
)
def test_outcomes(solution: str, answer: str, outcome: Rederivation) -> None:
    assert rederive_solution(solution, found("3", "5", "20"), answer).outcome is outcome


def test_percentages_thirds_and_parts_of_fractions_bind() -> None:
    assert rederive_solution("<<80*.15=12>>", found("80", "15"), "12").rederived
    assert rederive_solution("<<9/3=3>>", found("9", "1/3"), "3").rederived
    assert rederive_solution("<<8*3/8=3>>", found("8", "3/8"), "3").rederived


def test_steps_are_read_in_order() -> None:
    assert [(step.expression, step.printed) for step in solution_steps(SOLUTION)] == [("3*4", "12"), ("12*2.5", "30")]


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,234", "1234"), ("$5", "5"), (r"\$5.50", "11/2"), ("3/4", "3/4"), ("-7", "-7"), ("20%", "20"), ("5 cm", None),
     ("1/0", None), ("", None), ("x", None)],
)  # fmt: skip
def test_plain_answers(text: str, value: str | None) -> None:
    assert exact_value(text) == (None if value is None else Fraction(value))


def test_quantities_may_be_text() -> None:
    assert evaluate_program("a * b", {"a": "1,500", "b": Fraction(1, 3)}) == "500"
    with pytest.raises(ProgramError, match="no number"):
        evaluate_program("a", {"a": "many"})
    assert exact_text(Fraction(6, 4)) == "3/2"


def test_most_gsm8k_solutions_can_be_followed(shared: Path) -> None:
    rows = [json.loads(line) for line in (shared / "data" / "gsm8k" / "test.jsonl").read_text().splitlines()[:300]]
    broken = 0
    for row in rows:
        solution, _, answer = row["answer"].partition("####")
        everything = [leaf for step in solution_steps_or_none(solution) for leaf in step]
        broken += not rederive_solution(solution, everything, answer).rederived
    assert broken <= 0.1 * len(rows)


def solution_steps_or_none(solution: str) -> list[tuple[Fraction, ...]]:
    from semifactual.answers.programs import leaves

    try:
        return [leaves(step.program) for step in solution_steps(solution)]
    except ProgramError:
        return []
