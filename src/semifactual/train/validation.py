"""Validation on named sets: accuracy on the original prompts, on each kind, and on the kinds that nothing trains on.

Prompts, seeds and counts are a set's own: nothing here depends on how a run trains, so runs can be compared.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from semifactual.pipeline.variants import VariantProblem
from semifactual.policy.policy import Request, Sampling, StopReason
from semifactual.tensor.passes import pass_at_k
from semifactual.train.data import ORIGINAL, Encode
from semifactual.train.distributed import Ranks
from semifactual.train.recipe_outputs import EvalSet
from semifactual.train.reward import Judge
from semifactual.train.rollout import Engine
from semifactual.train.seeds import seed_of


@dataclass(frozen=True, slots=True)
class ValidationSet:
    """A named set, ready to be measured on."""

    name: str
    settings: EvalSet
    problems: tuple[VariantProblem, ...]
    trained_kinds: frozenset[str]
    """The kinds that training probes or samples under; the others are sealed."""


@dataclass(frozen=True, slots=True)
class _Question:
    """One prompt of one problem."""

    kind: str
    number: int
    """Among the prompts of its problem."""
    problem: VariantProblem
    """With the text and the answer of this prompt."""


@dataclass(frozen=True, slots=True)
class _Answered:
    """What the responses to one prompt came to."""

    question: _Question
    right: int
    samples: int
    truncated: int
    tokens: int
    errors: tuple[str, ...] = ()
    """Why responses have no reward, one entry a response; such a response is not right."""

    @property
    def kind(self) -> str:
        return self.question.kind


@dataclass(frozen=True, slots=True)
class Validated:
    """What one set came to, the same in every process."""

    metrics: dict[str, float]
    """By flat keys as in eval.jsonl."""
    rows: list[dict[str, Any]]
    """A row a prompt, as in validation/step-N.parquet: what a comparison of runs draws its intervals from."""
    warning: str = ""
    """What a user should hear, if anything."""


def validate(
    settings: ValidationSet, engine: Engine, encode: Encode, judge: Judge, ranks: Ranks, max_new_tokens: int
) -> Validated:
    """Ask every question of one set, and count what is right."""
    questions = [question for problem in settings.problems for question in _questions(problem)]
    mine = ranks.share(questions)
    answered = ranks.gather(_ask(mine, settings, engine, encode, judge, max_new_tokens))
    by_kind: dict[str, list[_Answered]] = {}
    for entry in answered:
        by_kind.setdefault(entry.kind, []).append(entry)
    accuracy = {kind: _accuracy(entries) for kind, entries in by_kind.items()}
    variants = {kind: value for kind, value in accuracy.items() if kind != ORIGINAL}
    sealed = [value for kind, value in variants.items() if kind not in settings.trained_kinds]
    originals = by_kind[ORIGINAL]
    metrics = {"accuracy": accuracy[ORIGINAL]}
    metrics |= {f"accuracy/{kind}": value for kind, value in sorted(variants.items())}
    if variants:
        metrics["variants"] = sum(variants.values()) / len(variants)
    if sealed:
        metrics["sealed"] = sum(sealed) / len(sealed)
    metrics |= {f"pass@{k}": _pass_at(originals, k) for k in settings.settings.pass_at}
    samples = sum(entry.samples for entry in originals)
    metrics["truncated"] = sum(entry.truncated for entry in originals) / samples
    metrics["length"] = sum(entry.tokens for entry in originals) / samples
    metrics["problems"] = len(settings.problems)
    errors = [error for entry in answered for error in entry.errors]
    asked = sum(entry.samples for entry in answered)
    warning = ""
    if errors:
        metrics["failed"] = len(errors) / asked
        warning = (
            f"validation on {settings.name}: {len(errors):,} of {asked:,} rewards failed, the first with {errors[0]}"
        )
    rows = [_row(settings, entry) for entry in answered]
    rows.sort(key=lambda row: (row["problem_id"], row["number"]))  # processes bring their shares in turn
    return Validated({f"{settings.name}/{key}": value for key, value in metrics.items()}, rows, warning)


def _questions(problem: VariantProblem) -> list[_Question]:
    entries = [(ORIGINAL, problem.text, problem.answer)]
    entries += [(kind, text, problem.answer) for kind, text in problem.semifactuals]
    entries += [(variant.kind, variant.text, variant.answer) for variant in problem.evaluation_variants]
    return [
        _Question(kind, number, replace(problem, text=text, answer=answer))
        for number, (kind, text, answer) in enumerate(entries)
    ]


def _ask(
    questions: Sequence[_Question],
    of: ValidationSet,
    engine: Engine,
    encode: Encode,
    judge: Judge,
    max_new_tokens: int,
) -> list[_Answered]:
    settings = of.settings
    requests = [
        Request(
            encode(question.problem.text),
            tuple(
                seed_of(settings.seed, "validation", question.problem.id, question.number, sample)
                for sample in range(settings.samples)
            ),
        )
        for question in questions
    ]
    sampling = Sampling(settings.temperature, settings.top_p, settings.max_new_tokens or max_new_tokens)
    found = []
    for question, responses in zip(questions, engine.generate(requests, sampling), strict=True):
        earned = [judge.earned(question.problem, engine.decode(response.token_ids)) for response in responses]
        right = sum(one.right for one in earned)
        errors = tuple(one.error for one in earned if one.error)
        truncated = sum(response.stop is StopReason.LENGTH for response in responses)
        tokens = sum(len(response.token_ids) for response in responses)
        found.append(_Answered(question, right, len(responses), truncated, tokens, errors))
    return found


def _row(of: ValidationSet, entry: _Answered) -> dict[str, Any]:
    question = entry.question
    asked = f"{question.problem.text}\0{question.problem.answer}".encode("utf-8", "backslashreplace")
    return {
        "set": of.name,
        "problem_id": question.problem.id,
        "number": question.number,
        "kind": question.kind,
        "sealed": question.kind not in of.trained_kinds and question.kind != ORIGINAL,
        "question": hashlib.sha256(asked).hexdigest()[:16],
        "right": entry.right,
        "samples": entry.samples,
        "truncated": entry.truncated,
        "tokens": entry.tokens,
    }


def _accuracy(entries: Sequence[_Answered]) -> float:
    """NaN where no response has a reward: then nothing was measured."""
    if all(len(entry.errors) == entry.samples for entry in entries):
        return math.nan
    return sum(entry.right / entry.samples for entry in entries) / len(entries)


def _pass_at(entries: Sequence[_Answered], k: int) -> float:
    if math.isnan(_accuracy(entries)):
        return math.nan
    right = torch.tensor([entry.right for entry in entries])
    samples = torch.tensor([entry.samples for entry in entries])
    return pass_at_k(right, samples, k).mean().item()
