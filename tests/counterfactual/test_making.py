from __future__ import annotations

from random import Random

import pytest

from semifactual.counterfactual.making import counterfactuals
from semifactual.sources.builtin import open_builtin
from semifactual.types import Problem

SOLUTION = {"solution": "9*15=<<9*15=135>>135\n#### 135"}


@pytest.mark.parametrize(
    "problem",
    [
        next(iter(open_builtin("builtin:word_problems?n=1", seed=3))),
        Problem("a", "Ines packs 9 crates with 15 candles each. How many candles?", "135", "hand", SOLUTION),
        Problem("b", "Compute $17 \\cdot 21$.", "357", "hand"),
    ],
)
def test_whatever_tells_how_the_answer_follows_is_used(problem: Problem) -> None:
    (made,) = counterfactuals(problem, 1, Random(0))
    assert made.answer != problem.answer and made.text != problem.text and made.derivation


@pytest.mark.parametrize(
    "metadata", [{}, {"program": {"expression": "a", "quantities": {"a": "1"}}}, {"template": "x"}]
)
def test_a_problem_of_which_nothing_is_known_has_none(metadata: dict[str, object]) -> None:
    assert counterfactuals(Problem("c", "Prove that Al has 3 figs.", "3", "hand", metadata), 2, Random(0)) == []
