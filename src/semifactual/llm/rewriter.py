"""The rewriter as a state machine: it says what it needs next, is told, and ends with what became of each rewrite.

It does no input or output. Whoever drives it answers each `Step` (see `engine.py`; tests answer by hand):
`Ask` with an answer a request, `Check` with a verdict a text, `Grade` with one truth value an answer, `Note` with None.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from semifactual.llm.forms import Unusable, build_text
from semifactual.llm.parsing import NoObject, json_object
from semifactual.llm.placeholders import Masked, mask
from semifactual.llm.prompts import form_of, repair_request, rewrite_request
from semifactual.llm.requests import Answered, Reply
from semifactual.llm.settling import Settling, first_sample
from semifactual.llm.steps import Ask, Attempt, Check, Ended, Ending, Note, RewritePlan, Role, Step
from semifactual.text.document import Document
from semifactual.types import Problem
from semifactual.validate.verdict import CheckResult, Outcome, Verdict

_REPAIR_SAMPLES = 1_000
"""More than there are rewrites of one kind."""
_SHOWN = 2_000
"""Characters of an unusable reply that a history keeps."""


@dataclass(slots=True)
class _Problem:
    """One problem on its way."""

    problem: Problem
    plan: RewritePlan
    original: Document
    masked: Masked
    settling: Settling
    seen: dict[str, set[str]]
    """Per kind, the texts that a further rewrite may not repeat."""


def rewriting(
    problem: Problem, wanted: Mapping[str, tuple[int, ...]], taken: Mapping[str, set[str]], plan: RewritePlan
) -> Generator[Step, Any, list[Ending]]:
    """Make the wanted rewrites: for each kind, those of these indices. `taken` holds the texts that exist already."""
    original = Document(problem.text)
    seen = {kind: {problem.text, *taken.get(kind, ())} for kind in wanted}
    state = _Problem(problem, plan, original, mask(original), Settling(problem, plan), seen)
    endings: list[Ending] = []
    for index in sorted({index for indices in wanted.values() for index in indices}):
        kinds = [kind for kind, indices in wanted.items() if index in indices]
        endings += yield from _one_of_each(state, kinds, index)
    return endings


def reviewing(
    problem: Problem, texts: Sequence[tuple[str, str, Verdict]], plan: RewritePlan
) -> Generator[Step, Any, list[Verdict]]:
    """The verdicts on texts that somebody else made, each with its kind and the verdict of the rules, settled further.

    The judge is asked where they are unsure, the solver about those that a dataset may hold.
    """
    settling = Settling(problem, plan)
    pairs = [(kind, text) for kind, text, _ in texts]
    return (yield from settling.settle(pairs, [verdict for _, _, verdict in texts]))


def _one_of_each(state: _Problem, kinds: list[str], index: int) -> Generator[Step, Any, list[Ending]]:
    """One rewrite of each kind, by one request for all and further ones for those that fail."""
    plan, open_kinds = state.plan, {kind: list[Attempt]() for kind in kinds}
    endings: dict[str, Ending] = {}
    sample = first_sample(plan.seed) + index
    request = rewrite_request(state.masked, kinds, plan.sampling, sample)
    for repair in range(1, plan.repairs + 2):
        (answer,) = yield Ask(Role.REWRITER, (request,))
        if not isinstance(answer, Answered):
            for kind, attempts in open_kinds.items():
                endings[kind] = Ending(kind, index, Ended.FAILED, tuple(attempts), answer.reason)
            break
        attempts_now = yield from _attempts(state, answer, tuple(open_kinds))
        for kind, attempt in attempts_now.items():
            open_kinds[kind].append(attempt)
            if _enters(attempt.verdict, plan):
                state.seen[kind].add(attempt.text)
                endings[kind] = Ending(kind, index, Ended.ACCEPTED, tuple(open_kinds.pop(kind)))
        if not open_kinds:
            break
        failed = {kind: (attempts[-1].handed_in, _faults(attempts[-1])) for kind, attempts in open_kinds.items()}
        # A sample of its own: the same failure twice must not be answered by the same reply twice.
        request = repair_request(state.masked, failed, plan.sampling, sample + repair * _REPAIR_SAMPLES)
    for kind in kinds:
        if kind not in endings:
            endings[kind] = Ending(kind, index, Ended.REJECTED, tuple(open_kinds[kind]))
    return [endings[kind] for kind in kinds]


def _attempts(state: _Problem, answer: Answered, kinds: tuple[str, ...]) -> Generator[Step, Any, dict[str, Attempt]]:
    """What a reply holds for each kind, judged; the outcome is noted beside the reply before anything is used."""
    handed_in, texts, verdicts = _read(state, answer.reply, kinds)
    if texts:
        judged = yield Check(tuple(texts.items()))
        settled = yield from state.settling.settle(list(texts.items()), judged)
        verdicts |= zip(texts, settled, strict=True)
    yield Note(answer.key, {kind: _summary(verdicts[kind]) for kind in kinds})
    return {
        kind: Attempt(texts.get(kind, handed_in[kind]), verdicts[kind], handed_in[kind], answer.key[:16])
        for kind in kinds
    }


def _read(
    state: _Problem, reply: Reply, kinds: tuple[str, ...]
) -> tuple[dict[str, str], dict[str, str], dict[str, Verdict]]:
    """What a reply holds for each kind as it came, the texts made of it, and a verdict where no text could be made."""
    try:
        if reply.refusal or reply.finish == "content_filter":
            raise NoObject(f"the model refused: {reply.refusal[:200] or reply.finish}")
        parsed = json_object(reply.text)
    except NoObject as fault:
        cut = "; it was cut off at its longest" if reply.finish == "length" else ""
        shown = reply.text[:_SHOWN]
        return dict.fromkeys(kinds, shown), {}, {kind: _faulty("reply", f"{fault}{cut}") for kind in kinds}
    handed_in = {kind: _as_text(parsed.get(kind)) for kind in kinds}
    texts: dict[str, str] = {}
    faults: dict[str, Verdict] = {}
    for kind in kinds:
        try:
            if kind not in parsed:
                raise Unusable("reply", f"the reply holds no {kind!r}")
            text = build_text(form_of(kind), parsed[kind], state.original, state.masked)
            if text in state.seen[kind] and text != state.problem.text:
                raise Unusable("distinct", "the same rewrite is there already")
        except Unusable as fault:
            faults[kind] = _faulty(fault.check, fault.evidence)
        else:
            texts[kind] = text
    return handed_in, texts, faults


def _enters(verdict: Verdict, plan: RewritePlan) -> bool:
    return verdict.enters_dataset and plan.admits(verdict.answer_check)


def _faults(attempt: Attempt) -> list[tuple[str, str]]:
    """What a repair request says was wrong: the names of the failed checks, with their evidence."""
    faults = [(check.name, check.evidence) for check in attempt.verdict.failures]
    if attempt.verdict.outcome is Outcome.VALID:
        faults.append(("answer", "it does not seem to have the answer of the text"))
    return faults


def _faulty(check: str, evidence: str) -> Verdict:
    return Verdict((CheckResult(check, False, evidence),))


def _as_text(value: Any) -> str:
    """A value from a reply's JSON as one text, not longer than a history needs."""
    match value:
        case {"text": str(text)}:
            return text[:_SHOWN]
        case None:
            return ""
    return json.dumps(value, ensure_ascii=False)[:_SHOWN]


def _summary(verdict: Verdict) -> dict[str, Any]:
    failed = [check.name for check in verdict.failures]
    return {"outcome": verdict.outcome.value, "answer_check": verdict.answer_check.value, "failed": failed}
