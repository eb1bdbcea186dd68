"""Instructions are set apart; what specifies the answer stays."""

from __future__ import annotations

import pytest

from semifactual.sources.instructions import set_apart

DAPO = (
    "Solve the following math problem step by step. The last line of your response should be of the form Answer: "
    "$Answer (without quotes) where $Answer is the answer to the problem.\n\n",
    '\n\nRemember to put your answer on its own line after "Answer:".',
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", " Let's think step by step and output the final answer within \\boxed{}."),
        ("", "\nPlease reason step by step, and put your final answer within \\boxed{}."),
        ("", ' Let\'s think step by step and output the final answer after "####".'),
        ("", " Present the final answer in the format: \\boxed{answer}."),
        ("Question: ", "\nAnswer:"),
        ("You are a helpful assistant.\n", ""),
        DAPO,
    ],
)
def test_instructions_are_set_apart(before: str, after: str) -> None:
    framed = set_apart(f"{before}Find $x$ if $x = 1$.{after}")
    assert (framed.question, framed.format) == ("Find $x$ if $x = 1$.", f"{before}{{question}}{after}")


@pytest.mark.parametrize(
    "text",
    [
        "Enter the point in the form $(r,\\theta)$.",
        "What is half of 3? Express your answer as a common fraction.",
        "What does it cost? Give your answer to the nearest cent.",
        "Find x. Put your final answer within \\boxed{} as a fraction.",
        "Tom climbs a ladder step by step. How many rungs?",
        "A box holds 3 pens. Solve the following equation: $x = 3$.",
        "Let's think step by step.",
    ],
)
def test_the_problem_stays_whole(text: str) -> None:
    assert set_apart(text).question == text
    assert not set_apart(text).has_instructions
