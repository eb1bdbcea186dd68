"""Counterfactuals of any problem, by whatever is known of how its answer follows from its numbers."""

from __future__ import annotations

import random

from semifactual.counterfactual.solvable_prompt import of_solvable_prompt
from semifactual.counterfactual.worked_solution import of_worked_solution
from semifactual.sources.builtin import counterfactuals as of_program
from semifactual.sources.source import BUILTIN_PREFIX
from semifactual.types import Counterfactual, Problem


def counterfactuals(problem: Problem, count: int, rng: random.Random) -> list[Counterfactual]:
    """At most `count` versions of a problem that differ from it in one number and in the answer.

    Of a builtin problem the program is evaluated anew; of any other, a worked solution with annotated steps is
    followed, or a prompt that is itself an expression or an equation is solved. Where there is none of these, or
    where it is not certain what a change would do, fewer come back, or none.
    """
    if problem.source.startswith(BUILTIN_PREFIX):
        return of_program(problem, count, rng)
    return of_worked_solution(problem, count, rng) or of_solvable_prompt(problem, count, rng)
