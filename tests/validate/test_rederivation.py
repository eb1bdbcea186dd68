from __future__ import annotations

from typing import Any

import pytest

from semifactual.text.document import Document
from semifactual.types import AnswerCheck, Problem
from semifactual.validate.contract import Pair
from semifactual.validate.rederivation import answer_check

TEXT = "Ann buys 3 figs at $1.50 each and one plum for $2. How many dollars does she pay?"
PROGRAM = {"expression": "n * p + q", "quantities": {"n": "3", "p": "1.50", "q": "2"}}
SOLUTION = "The figs cost 3*1.5=$<<3*1.5=4.5>>4.5. In all she pays 4.5+2=$<<4.5+2=6.5>>6.5.\n#### 6.5"


def known_of(rewrite: str, answer: str = "6.50", **metadata: Any) -> AnswerCheck:
    problem = Problem("p:1", TEXT, answer, "hand", metadata)
    return answer_check(problem, Pair(Document(TEXT), Document(rewrite), answer=answer))


@pytest.mark.parametrize(
    ("rewrite", "known"),
    [
        (TEXT.replace("buys", "purchases"), AnswerCheck.REDERIVED),
        (TEXT.replace("3 figs", "three figs"), AnswerCheck.REDERIVED),
        (TEXT.replace("3 figs", "4 figs"), AnswerCheck.REFUTED),
        (TEXT.replace("3 figs", "4 figs").replace("$2", "$0.50"), AnswerCheck.UNKNOWN),
        (TEXT.replace("3 figs", "figs"), AnswerCheck.UNKNOWN),
    ],
)
def test_a_program_is_evaluated_with_the_rewrites_numbers(rewrite: str, known: AnswerCheck) -> None:
    assert known_of(rewrite, program=PROGRAM) is known


@pytest.mark.parametrize("answer", ["6.5", "6.50", "13/2"])
def test_an_answer_counts_by_value(answer: str) -> None:
    assert known_of(TEXT.replace("buys", "gets"), answer, program=PROGRAM) is AnswerCheck.REDERIVED


@pytest.mark.parametrize(
    "program",
    [
        "print(1)",
        {"expression": 5, "quantities": {}},
        {"expression": "n + ", "quantities": {"n": "3"}},
        {"expression": "n", "quantities": {"n": "some"}},
        {"expression": "n * p", "quantities": {"n": "3", "p": "1.50"}},
    ],
)
def test_a_field_that_is_no_program_of_this_answer_shows_nothing(program: object) -> None:
    assert known_of(TEXT.replace("3 figs", "4 figs"), program=program) is AnswerCheck.UNKNOWN


def test_a_worked_solution_is_followed_but_never_refutes() -> None:
    assert known_of(TEXT.replace("buys", "gets"), "6.5", solution=SOLUTION) is AnswerCheck.REDERIVED
    assert known_of(TEXT.replace("3 figs", "4 figs"), "6.5", solution=SOLUTION) is AnswerCheck.UNKNOWN
    assert known_of(TEXT.replace("buys", "gets"), "7", solution=SOLUTION) is AnswerCheck.UNKNOWN
    assert known_of(TEXT.replace("buys", "gets"), "6.5") is AnswerCheck.UNKNOWN


@pytest.mark.parametrize(
    ("rewrite", "known"),
    [
        ("Determine $2^3 + 5$.", AnswerCheck.REDERIVED),
        ("Scribbled on a napkin: Compute $2^3 + 5$.", AnswerCheck.REDERIVED),
        ("Compute $2^3 + 5$. Gravel is gravel.", AnswerCheck.REDERIVED),
        ("Compute $2^3 + 6$.", AnswerCheck.UNKNOWN),
        ("Admire $2^3 + 5$.", AnswerCheck.UNKNOWN),
    ],
)
def test_a_prompt_that_is_an_expression_is_solved(rewrite: str, known: AnswerCheck) -> None:
    original = Document("Compute $2^3 + 5$.")
    pair = Pair(original, Document(rewrite), answer="13")
    assert answer_check(Problem("p:1", original.text, "13", "hand"), pair) is known
    assert answer_check(Problem("p:1", original.text, "14", "hand"), pair) is AnswerCheck.UNKNOWN
