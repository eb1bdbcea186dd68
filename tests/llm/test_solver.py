from __future__ import annotations

import re
from itertools import product

import pytest

from semifactual.answers.verifier import Verifier
from semifactual.llm.requests import Reply
from semifactual.llm.solver import agreement, grade, voted_answer
from semifactual.types import AnswerCheck
from tests.repository import ROOT


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("So \\boxed{7} then \\boxed{\\frac{1}{2}}.", "\\frac{1}{2}"),
        ("The answer is 12.", "12"),
        ("#### 72", "72"),
        ("I do not know.\nI really have no idea what to make of this.", ""),
        ("\\boxed{", ""),
    ],
)
def test_the_answer_of_a_solution(text: str, answer: str) -> None:
    assert voted_answer(Reply(text)) == answer


def test_a_solution_that_was_cut_off_has_no_answer() -> None:
    assert voted_answer(Reply("First \\boxed{7}, and", finish="length")) == ""


def test_answers_are_compared_by_value() -> None:
    with Verifier() as verifier:
        assert grade(verifier, "1/2", ["0.5", "\\frac{2}{4}", "2", ""]) == (True, True, False, False)


def probabilities(right: float, votes: int) -> dict[AnswerCheck, float]:
    """What is said of a harmless rewrite, and how often, if each vote is right with this probability."""
    found = dict.fromkeys(AnswerCheck, 0.0)
    for cast in product([True, False], repeat=2 * votes):
        chance = 1.0
        for vote in cast:
            chance *= right if vote else 1 - right
        found[agreement(cast[:votes], cast[votes:])] += chance
    return found


def documented() -> list[tuple[float, int, list[str]]]:
    """The rows of the table of the test's power in docs/llm.md."""
    text = (ROOT / "docs" / "llm.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (0\.\d+) \| (\d) \| (.+) % \| (.+) % \| (.+) % \|$", text, re.MULTILINE)
    return [(float(right), int(votes), list(percentages)) for right, votes, *percentages in rows]


def test_the_power_in_the_docs_is_that_of_the_code() -> None:
    rows = documented()
    assert len(rows) == 8
    for right, votes, percentages in rows:
        said = probabilities(right, votes)
        exact = [said[AnswerCheck.REFUTED], said[AnswerCheck.AGREED], right**votes]
        for percentage, value in zip(percentages, exact, strict=True):
            assert float(percentage) == pytest.approx(100 * value, rel=0.06)
