from __future__ import annotations

import pytest

from semifactual.answers import Verifier
from semifactual.answers.solving import read_prompt, solve


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        (r"Compute $\frac{3}{4} + \frac{1}{6}$.", r"\frac{11}{12}"),
        (r"Evaluate $\sqrt{50} \cdot \sqrt{2}$.", "10"),
        (r"Simplify $(x+2)^2 - (x-2)^2$.", "8x"),
        (r"What is $\sin 150^\circ$?", r"\frac12"),
        (r"Compute \[\dbinom{7}{3}.\]", "35"),
        (r"Solve $3x - 7 = 11$ for $x$.", "6"),
        (r"Solve for $n$: $2^{n} = 32$.", "5"),
        (r"If $5y + 1 = 16$, what is $y$?", "3"),
        (r"Find all solutions to $t^2 - 5t + 6 = 0$ for $t$.", "2,3"),
        (r"Compute $\frac{1}{3}$. Express your answer as a common fraction.", r"\frac13"),
    ],
)
def test_prompts_that_are_an_expression_or_equation(prompt: str, answer: str, verifier: Verifier) -> None:
    task = read_prompt(prompt)
    assert task is not None
    solved = solve(task, verifier)
    assert solved is not None
    assert verifier.equivalent(answer, solved).equal


@pytest.mark.parametrize(
    "prompt",
    [
        "Tom has 3 apples and buys 4. How many has he?",
        r"Compute $x + y$ where $x = 2$ and $y = 3$.",
        r"Compute the area of $ABC$.",
        r"Solve $x + y = 3$ for $x$.",
        r"Find $x$.",
        r"Compute $1, 2, 3$.",
        r"Evaluate $\unknown{3}$.",
        r"Solve $x > 3$ for $x$.",
    ],
)
def test_prompts_with_more_to_them_are_left_alone(prompt: str) -> None:
    assert read_prompt(prompt) is None


def test_a_value_task_has_no_unknown() -> None:
    task = read_prompt(r"Compute $2+2$.")
    assert task is not None
    assert task.variables == ()
