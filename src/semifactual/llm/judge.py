"""The judge: a model's word on what rules left undecided, which counts only with a quotation that is really there."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, ValidationError

from semifactual.llm.parsing import NoObject, json_object
from semifactual.llm.prompts import Sampling, judge_request
from semifactual.llm.requests import ChatRequest, Reply
from semifactual.validate.verdict import CheckResult, Outcome, Verdict

_SHORTEST_QUOTE = 3
_SHOWN = 200


class Opinion(StrEnum):
    """What a judge may say of two texts."""

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"


class _Judgement(BaseModel):
    model_config = ConfigDict(extra="ignore")

    verdict: Opinion
    quote: str
    reason: str


SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {
            "verdict": {"type": "string", "enum": [opinion.value for opinion in Opinion]},
            "quote": {"type": "string"},
            "reason": {"type": "string"},
        },
        "required": ["verdict", "quote", "reason"],
        "additionalProperties": False,
    },
    sort_keys=True,
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judge's opinion with its evidence; `unsure` stands also for a reply that proves nothing."""

    opinion: Opinion
    evidence: str


def judging_request(original: str, rewrite: str, kind: str, verdict: Verdict, sampling: Sampling) -> ChatRequest | None:
    """What to ask about a rewrite on which the rules are unsure; None where they are not."""
    if verdict.outcome is not Outcome.UNSURE:
        return None
    undecided = [(check.name, check.evidence) for check in verdict.failures]
    return judge_request(original, rewrite, kind, undecided, sampling, SCHEMA)


def read_judgement(reply: Reply, rewrite: str) -> Judgement:
    """The judgement in a reply. A quotation that the rewrite does not hold makes it worthless."""
    try:
        found = _Judgement.model_validate(json_object(reply.text))
    except (NoObject, ValidationError):
        return Judgement(Opinion.UNSURE, "the judge's reply could not be read")
    quote = " ".join(found.quote.split())
    if len(quote) < _SHORTEST_QUOTE or quote not in " ".join(rewrite.split()):
        return Judgement(Opinion.UNSURE, f"the judge said {found.verdict}, but quoted what the rewrite does not hold")
    return Judgement(found.verdict, f"judged {found.verdict} by {quote[:_SHOWN]!r}: {found.reason[:_SHOWN]}")


def resolved(verdict: Verdict, judgement: Judgement) -> Verdict:
    """The verdict with the undecided checks decided as the judge said; what rules decided stays."""
    passed = {Opinion.SAME: True, Opinion.DIFFERENT: False, Opinion.UNSURE: None}[judgement.opinion]

    def decide(check: CheckResult) -> CheckResult:
        if check.passed is not None:
            return check
        return CheckResult(check.name, passed, f"{check.evidence}; {judgement.evidence}")

    return replace(verdict, checks=tuple(map(decide, verdict.checks)))
