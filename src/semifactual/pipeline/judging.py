"""The one way to a verdict: the contract's checks, then what is known of the answer.

`build` judges its own drafts here and `check` judges anyone's rewrites here; there is no other door.
"""

from __future__ import annotations

from dataclasses import replace

from semifactual.interventions.registry import Intervention
from semifactual.text.document import Document
from semifactual.types import Problem
from semifactual.validate.contract import Pair, judge
from semifactual.validate.rederivation import answer_check
from semifactual.validate.verdict import Mode, Verdict


def verdict_on(
    problem: Problem,
    original: Document,
    rewrite: Document,
    intervention: Intervention,
    mode: Mode = Mode.FROZEN,
) -> Verdict:
    """The verdict on one rewrite of `problem`, whose text `original` holds (so that it is lexed once for many).

    The answer is looked at whatever the contract's outcome: whether a rewrite obeys its kind and what is known of its
    answer are two questions.
    """
    pair = Pair(original, rewrite, answer=problem.answer or None, mode=mode)
    return replace(judge(pair, intervention.contract), answer_check=answer_check(problem, pair))
