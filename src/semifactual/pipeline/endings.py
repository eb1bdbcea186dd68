"""How a model's rewrites ended, in the shape of a journal's row: entries, rejections with their history, counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from semifactual.llm.engine import Tab
from semifactual.llm.prompts import JUDGE, KINDS, REPAIR, REWRITE, SOLVE, prompt_hashes
from semifactual.llm.steps import Attempt, Ended, Ending
from semifactual.pipeline.config import AnswerBar
from semifactual.pipeline.records import Record, semifactual_entry
from semifactual.pipeline.rewriting import Attempts
from semifactual.types import Draft, Problem
from semifactual.validate.verdict import CheckResult, Verdict

if TYPE_CHECKING:
    from semifactual.pipeline.asking import Asking

PROMPT_TEMPLATES = (KINDS, REWRITE, REPAIR, JUDGE, SOLVE)
FAILED = "failed"
"""The outcome, in rejected.jsonl, of a rewrite for which no complete reply came."""


def accepted_entry(ending: Ending, asking: Asking) -> Record:
    """The entry of a rewrite that a model made; its params say by which request, after how many repairs."""
    attempt = ending.attempts[-1]
    repairs = len(ending.attempts) - 1
    made_with = {
        "index": ending.index,
        "repairs": repairs,
        "request": attempt.request,
        "templates": prompt_hashes(KINDS, REPAIR if repairs else REWRITE, *_settling(asking)),
    }
    return semifactual_entry(ending.kind, Draft(attempt.text), attempt.verdict, made_with, engine=asking.label)


def _settling(asking: Asking) -> list[str]:
    """The templates of those who had a say in what rules left open."""
    used = ((JUDGE, asking.rewrites.judge), (SOLVE, asking.rewrites.solver))
    return [name for name, sampling in used if sampling is not None]


def rejected_line(problem: Problem, ending: Ending, asking: Asking) -> Record:
    """The line of rejected.jsonl for a rewrite that did not come to be; its history holds all attempts but the last."""
    last = ending.attempts[-1] if ending.attempts else None
    if ending.ended is Ended.FAILED or last is None:
        return {
            "id": problem.id,
            "kind": ending.kind,
            "text": "",
            "engine": asking.label,
            "outcome": FAILED,
            "answer_check": "unknown",
            "checks": [{"name": "request", "passed": False, "evidence": ending.error}],
            "history": [_past(attempt, asking.plan.bar) for attempt in ending.attempts],
        }
    return {
        "id": problem.id,
        "kind": ending.kind,
        "engine": asking.label,
        **_past(last, asking.plan.bar),
        "history": [_past(attempt, asking.plan.bar) for attempt in ending.attempts[:-1]],
    }


def voted_down(problem: Problem, entry: Record, verdict: Verdict, bar: AnswerBar) -> Record:
    """The line of rejected.jsonl for a rewrite by rules that did not pass the solver."""
    return {
        "id": problem.id,
        "kind": entry["kind"],
        "text": entry["text"],
        "engine": entry["engine"],
        "outcome": verdict.outcome.value,
        "answer_check": verdict.answer_check.value,
        "checks": _as_json(_below(verdict, bar)),
        "history": [],
    }


def llm_part(attempts: Attempts, endings: Iterable[Ending], tab: Tab) -> dict[str, Any]:
    """What a journal's row says of the models: how each wanted rewrite ended, and what all replies used."""
    by_model = Counter(ending.ended.value for ending in endings)
    missing = sum(attempts.missing.values())
    counts = {
        Ended.ACCEPTED.value: len(attempts.accepted),
        Ended.REJECTED.value: missing - by_model[Ended.FAILED],
        Ended.FAILED.value: by_model[Ended.FAILED],
    }
    ended = Ended.FAILED if counts["failed"] else Ended.REJECTED if counts["rejected"] else Ended.ACCEPTED
    return {
        "ended": ended.value,
        "rewrites": counts,
        "repairs": sum(max(0, len(ending.attempts) - 1) for ending in endings),
        "requests": tab.requests,
        "tokens": {
            "prompt": tab.usage.prompt,
            "cached": tab.usage.cached,
            "completion": tab.usage.completion,
            "unreported_replies": tab.usage.unreported,
        },
        "cost": tab.cost,
    }


def _past(attempt: Attempt, bar: AnswerBar) -> dict[str, Any]:
    verdict = attempt.verdict
    failures = [*verdict.failures, *_below(verdict, bar)]
    return {
        "text": attempt.text,
        "outcome": verdict.outcome.value,
        "answer_check": verdict.answer_check.value,
        "checks": _as_json(failures),
    }


def _below(verdict: Verdict, bar: AnswerBar) -> list[CheckResult]:
    """What is wrong with an answer of which this is known, if anything."""
    if bar.admits(verdict.answer_check):
        return []
    return [CheckResult("answer_check", False, f"the answer is {verdict.answer_check}; at least {bar} is wanted")]


def _as_json(checks: Iterable[CheckResult]) -> list[dict[str, Any]]:
    return [{"name": check.name, "passed": check.passed, "evidence": check.evidence} for check in checks]
