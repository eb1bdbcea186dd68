"""The one way to a verdict: the contract's checks, then what is known of the answer.

`build` judges its own drafts here and `check` judges anyone's rewrites here; there is no other door.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from semifactual.interventions.registry import Intervention, get_intervention
from semifactual.pipeline.pairs import PairRow
from semifactual.text.document import Document
from semifactual.types import Problem
from semifactual.validate.contract import Pair, judge
from semifactual.validate.rederivation import answer_check
from semifactual.validate.verdict import CheckResult, Mode, Verdict


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


def judge_texts(problem: Problem, texts: Sequence[tuple[str, str]]) -> list[Verdict]:
    """The verdicts on texts that somebody wrote for a problem, each given with its kind.

    Texts from outside may be anything: a check that raises on one says no to it, and stops nothing else.
    """
    original = Document(problem.text)
    return [_guarded(problem, original, kind, text) for kind, text in texts]


def _guarded(problem: Problem, original: Document, kind: str, text: str) -> Verdict:
    intervention = get_intervention(kind)
    try:
        return verdict_on(problem, original, Document(text), intervention)
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return Verdict((CheckResult("judging", False, f"a check of {kind} could not read the text: {reason}"),))


def as_problem(pair: PairRow) -> Problem:
    """The problem of a pair, with what the row knows of it."""
    return Problem(pair.id or str(pair.row), pair.problem, pair.answer or "", "", pair.metadata)


def rule_verdict(pair: PairRow, mode: Mode = Mode.FROZEN) -> Verdict:
    """The verdict of the rules on one pair.

    Raises:
        RegistryError: the pair's kind is unknown.
    """
    intervention = get_intervention(pair.kind)
    return verdict_on(as_problem(pair), Document(pair.problem), Document(pair.rewrite), intervention, mode)


def verdict_row(pair: PairRow, verdict: Verdict) -> dict[str, Any]:
    """The row of one verdict, as `check --out` writes it."""
    return {"row": pair.row, "id": pair.id, "kind": pair.kind, **verdict.to_json()}
