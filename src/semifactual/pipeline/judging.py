"""The one way to a verdict: the contract's checks, then what is known of the answer.

`build` judges its own drafts here and `check` judges anyone's rewrites here; there is no other door.
"""

from __future__ import annotations

from dataclasses import replace

from semifactual.interventions.registry import Intervention
from semifactual.text.document import Document
from semifactual.types import AnswerCheck, Problem
from semifactual.validate.contract import Pair, judge
from semifactual.validate.rederivation import answer_check
from semifactual.validate.verdict import Mode, Outcome, Verdict


def verdict_on(
    problem: Problem,
    original: Document,
    rewrite: Document,
    intervention: Intervention,
    mode: Mode = Mode.FROZEN,
) -> Verdict:
    """The verdict on one rewrite of `problem`, whose text `original` holds (so that it is lexed once for many).

    The answer is looked at only where the contract does not fail already: a broken rewrite's answer says nothing.
    """
    pair = Pair(original, rewrite, answer=problem.answer or None, mode=mode)
    verdict = judge(pair, intervention.contract)
    if verdict.outcome is Outcome.INVALID:
        return verdict
    known = answer_check(problem, pair)
    return verdict if known is AnswerCheck.UNKNOWN else replace(verdict, answer_check=known)
