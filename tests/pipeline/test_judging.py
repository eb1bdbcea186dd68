from __future__ import annotations

import pytest

from semifactual.interventions.registry import get_intervention
from semifactual.pipeline.judging import verdict_on
from semifactual.text.document import Document
from semifactual.types import AnswerCheck, Problem
from semifactual.validate.verdict import Outcome

TEXT = "A gardener plants 4 rows of beans and 3 rows of peas. How many rows does the gardener plant?"
PROGRAM = {"expression": "beans + peas", "quantities": {"beans": "4", "peas": "3"}}


@pytest.mark.parametrize(
    ("rewrite", "known"),
    [
        (TEXT.replace("3 rows", "5 rows"), AnswerCheck.REFUTED),
        (TEXT.replace("3 rows", "some rows"), AnswerCheck.UNKNOWN),
        (TEXT.replace("How many rows", "How few rows"), AnswerCheck.REDERIVED),
    ],
)
def test_the_answer_of_an_invalid_rewrite_is_looked_at_too(rewrite: str, known: AnswerCheck) -> None:
    problem = Problem("g:1", TEXT, "7", "hand", {"program": PROGRAM})
    verdict = verdict_on(problem, Document(TEXT), Document(rewrite), get_intervention("irrelevant_context"))
    assert (verdict.outcome, verdict.answer_check) == (Outcome.INVALID, known)
