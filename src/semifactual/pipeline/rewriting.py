"""From one problem to its row: drafts are made, judged like anyone's rewrites, and kept or recorded as rejected."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from semifactual.errors import SemifactualError
from semifactual.interventions.registry import Intervention, get_intervention
from semifactual.pipeline.config import AnswerBar
from semifactual.pipeline.judging import verdict_on
from semifactual.pipeline.records import RULE_ENGINE, Record, record, semifactual_entry
from semifactual.resources import template_sha256
from semifactual.text.document import Document
from semifactual.types import Counterfactual, Draft, Problem
from semifactual.validate.verdict import CheckResult, Verdict

MAX_DRAFTS = 32
"""How many drafts of one (kind, index) are judged before it counts as missing."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is wanted of every problem. Kinds go by name, so that a plan can travel to a worker process."""

    kinds: tuple[str, ...]
    per_kind: int
    seed: int
    bar: AnswerBar = AnswerBar.UNKNOWN
    counterfactuals: int = 0
    """How many answer-changing versions of a problem; one whose answer cannot be computed anew has none."""
    sealed: tuple[str, ...] = ()
    """Those of the kinds whose rewrites are for evaluation only."""


@dataclass(slots=True)
class Attempts:
    """What became of one problem's drafts."""

    accepted: list[Record] = field(default_factory=list)
    rejected: list[Record] = field(default_factory=list)
    missing: dict[str, int] = field(default_factory=dict)
    """How many rewrites of each wanted kind could not be made; kinds that are complete are not named."""


def row(problem: Problem, plan: Plan) -> dict[str, Any]:
    """The journal's row of one problem: its dataset record, its rejected rewrites, its missing kinds."""
    return row_of(problem, plan, rewrite_problem(problem, plan), counterfactuals_of(problem, plan))


def row_of(
    problem: Problem, plan: Plan, attempts: Attempts, counterfactuals: Sequence[Counterfactual]
) -> dict[str, Any]:
    """The journal's row of a problem for which all this was made. Of sealed rewrites it keeps the evidence too."""
    sealed = [entry for entry in attempts.accepted if entry["kind"] in plan.sealed]
    semifactuals = [entry for entry in attempts.accepted if entry["kind"] not in plan.sealed]
    return {
        "record": record(problem, semifactuals, sealed, counterfactuals),
        "sealed": sealed,
        "rejected": attempts.rejected,
        "missing": attempts.missing,
    }


def kinds_without(row: Mapping[str, Any]) -> list[str]:
    """The wanted kinds, sealed ones included, of which a journal's row has no rewrite at all."""
    made = {entry["kind"] for entry in row["record"]["semifactuals"] + row["sealed"]}
    return [kind for kind in row["missing"] if kind not in made]


def rewrite_problem(problem: Problem, plan: Plan) -> Attempts:
    """Make every wanted rewrite of one problem.

    Raises:
        SemifactualError: a kind's rewriter raised; the sentence names the kind and the problem.
    """
    attempts = Attempts()
    original = Document(problem.text)
    for intervention in map(get_intervention, plan.kinds):
        seen = {problem.text}
        for index in range(plan.per_kind):
            try:
                found = _rewrite_once(problem, original, intervention, index, plan, seen, attempts)
            except SemifactualError:
                raise
            except Exception as error:
                reason = " ".join(f"{type(error).__name__}: {error}".split())
                raise SemifactualError(
                    f"the kind {intervention.kind!r} failed on problem {problem.id!r}: {reason}",
                    hint=f"leave it out with --kinds, or report it to whoever wrote {intervention.rewrite.__module__}",
                ) from error
            if not found:
                attempts.missing[intervention.kind] = attempts.missing.get(intervention.kind, 0) + 1
    return attempts


def seeded_random(seed: int, row_id: str, kind: str, index: int) -> random.Random:
    """The generator of one rewrite: the same on every machine, in every process, in any order of work."""
    key = json.dumps([seed, row_id, kind, index])
    return random.Random(int.from_bytes(hashlib.sha256(key.encode("utf-8")).digest()[:16], "big"))


def _rewrite_once(
    problem: Problem,
    original: Document,
    intervention: Intervention,
    index: int,
    plan: Plan,
    seen: set[str],
    attempts: Attempts,
) -> bool:
    """Judge drafts until one enters; texts in `seen` are passed over, so rewrites of a kind are distinct."""
    rng = seeded_random(plan.seed, problem.id, intervention.kind, index)
    for draft in islice(intervention.rewrite(original, rng), MAX_DRAFTS):
        if draft.text in seen:
            continue
        seen.add(draft.text)
        verdict = verdict_on(problem, original, Document(draft.text), intervention)
        if verdict.enters_dataset and plan.bar.admits(verdict.answer_check):
            made_with = {"seed": plan.seed, "index": index, "templates": _template_hashes(intervention)}
            attempts.accepted.append(semifactual_entry(intervention.kind, draft, verdict, made_with))
            return True
        attempts.rejected.append(_rejection(problem, intervention.kind, draft, verdict, plan.bar))
    return False


def counterfactuals_of(problem: Problem, plan: Plan) -> list[Counterfactual]:
    """The answer-changing versions of a problem that `plan` wants, as far as its answer can be computed anew."""
    if not plan.counterfactuals:
        return []
    from semifactual.counterfactual.making import counterfactuals

    return counterfactuals(problem, plan.counterfactuals, seeded_random(plan.seed, problem.id, "counterfactual", 0))


def _template_hashes(intervention: Intervention) -> dict[str, str]:
    return {name: template_sha256(name) for name in intervention.templates}


def _rejection(problem: Problem, kind: str, draft: Draft, verdict: Verdict, bar: AnswerBar) -> Record:
    """The line of rejected.jsonl for one draft; its history is empty because rules do not answer to feedback."""
    failures = verdict.failures
    if not bar.admits(verdict.answer_check):
        evidence = f"the answer is {verdict.answer_check}; at least {bar} is wanted"
        failures += (CheckResult("answer_check", False, evidence),)
    return {
        "id": problem.id,
        "kind": kind,
        "text": draft.text,
        "engine": RULE_ENGINE,
        "outcome": verdict.outcome.value,
        "answer_check": verdict.answer_check.value,
        "checks": [{"name": c.name, "passed": c.passed, "evidence": c.evidence} for c in failures],
        "history": [],
    }
