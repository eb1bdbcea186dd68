from __future__ import annotations

import re
from random import Random

import pytest

from semifactual.counterfactual import solvable_prompt
from semifactual.counterfactual.solvable_prompt import of_solvable_prompt
from semifactual.types import Counterfactual, Problem


def made_of(text: str, answer: str, count: int = 4) -> list[Counterfactual]:
    return of_solvable_prompt(Problem("p", text, answer, "hand"), count, Random(0))


def test_the_changed_equation_has_the_new_answer() -> None:
    made = made_of("Solve $3x + 5 = 26$ for $x$.", "7")
    assert made
    for one in made:
        factor, shift, total = (int(number) for number in re.findall(r"\d+", one.text))
        assert factor * int(one.answer) + shift == total
        assert one.answer != "7" and one.kind == "quantity_change" and "sympy" in one.derivation
    assert made == made_of("Solve $3x + 5 = 26$ for $x$.", "7")


def test_a_fraction_stays_a_fraction_and_a_root_a_root() -> None:
    assert all(
        one.answer.startswith(r"\frac") for one in made_of(r"Compute $\frac{3}{7} + \frac{2}{5}$.", r"\frac{29}{35}")
    )
    roots = made_of(r"Simplify $\sqrt{72}$.", r"6\sqrt{2}", 1)
    assert roots and all(re.fullmatch(r"\d+ \\sqrt\{\d+\}", one.answer) for one in roots)


def test_a_number_keeps_its_digits_where_tex_reads_only_the_first() -> None:
    for one in made_of("What is the value of $2^8 - 3$?", "253", 50):
        assert re.search(r"\$[2-9]\^[2-9] - [2-9]\$", one.text)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Ann has 3 figs and 4 dates. How many?", "7"),
        ("Solve $3x + 5 = 26$ for $x$.", "8"),
        ("Compute $2 + 3$ and round it to the nearest ten, as Ann would.", "10"),
        ("What is $1^{(2^{235423523})}$?", "1"),
        ("", ""),
    ],
)
def test_what_the_solver_does_not_solve_to_the_answer_has_none(text: str, answer: str) -> None:
    assert made_of(text, answer) == []


def test_a_prompt_that_resists_the_solver_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def solve(task: object, verifier: object) -> str | None:
        asked.append(task)
        return "7" if len(asked) == 1 else None

    monkeypatch.setattr(solvable_prompt, "solve", solve)
    assert made_of("Solve $3x + 5 = 26$ for $x$.", "7") == []
    assert len(asked) == 1 + solvable_prompt._FAILURES
