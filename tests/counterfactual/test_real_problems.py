"""Counterfactuals of real problems: a good part of them has one, and no check takes one for a rewrite."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from semifactual.answers.rederive import rederive_solution
from semifactual.counterfactual.making import counterfactuals
from semifactual.interventions.registry import interventions
from semifactual.text.document import Document
from semifactual.types import Counterfactual, Problem
from semifactual.validate.contract import Pair, judge
from semifactual.validate.verdict import Mode, Outcome

ROWS = 150


@pytest.fixture(scope="module")
def made(shared: Path) -> list[tuple[Problem, list[Counterfactual]]]:
    lines = (shared / "data" / "gsm8k" / "test.jsonl").read_text(encoding="utf-8").splitlines()[:ROWS]
    found = []
    for number, row in enumerate(map(json.loads, lines)):
        solution = row["answer"]
        problem = Problem(f"p{number}", row["question"], solution.rpartition("#### ")[2], "", {"solution": solution})
        found.append((problem, counterfactuals(problem, 3, Random(number))))
    return found


def test_a_third_of_the_problems_has_one(made: list[tuple[Problem, list[Counterfactual]]]) -> None:
    assert sum(bool(changed) for _, changed in made) >= 0.3 * ROWS


def test_the_steps_of_the_derivation_follow_from_the_new_text(
    made: list[tuple[Problem, list[Counterfactual]]],
) -> None:
    for problem, changed in made:
        for one in changed:
            exchange, *steps = one.derivation.split("; ")
            old, new = exchange.split(" -> ")
            numbers = {Fraction(n.replace(",", "")) for n in re.findall(r"\d[\d,]*\.\d+|\d+(?:,\d{3})*", one.text)}
            assert Fraction(new) in numbers and Fraction(old) not in numbers
            assert one.answer != problem.answer
            solution = "".join(f"<<{step.replace(' ', '')}>>" for step in steps)
            leaves = map(Fraction, re.findall(r"\d+(?:\.\d+)?", solution))
            assert rederive_solution(solution, leaves, one.answer).rederived


@pytest.mark.slow
def test_no_kind_takes_a_counterfactual_for_a_rewrite(made: list[tuple[Problem, list[Counterfactual]]]) -> None:
    for problem, changed in made:
        for one in changed:
            for mode in Mode:
                pair = Pair(Document(problem.text), Document(one.text), answer=problem.answer, mode=mode)
                for kind, known in interventions().items():
                    assert judge(pair, known.contract).outcome is Outcome.INVALID, (kind, mode, one)
