"""Rollouts made by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semifactual.pipeline.variants import VariantProblem
from semifactual.policy.policy import StopReason
from semifactual.train.data import PromptSet
from semifactual.train.reward import Earned
from semifactual.train.rollout import Completion, Rollout

KINDS = ("paraphrase", "typo_noise")


def completion(
    group: int, sample: int, reward: float, *, tokens: int = 3, truncated: bool = False, variant: int = 0
) -> Completion:
    """A response of so many tokens."""
    ids = np.arange(5, 5 + tokens, dtype=np.int32) + sample
    stop = StopReason.LENGTH if truncated else StopReason.EOS
    error = "" if np.isfinite(reward) else "no reward"
    return Completion(group, sample, variant, ids, stop, Earned(reward, reward > 0.5, error=error), reward)


def prompts(number: int, kinds: Sequence[str] = KINDS) -> PromptSet:
    """A problem with one short prompt a kind."""
    problem = VariantProblem(f"p{number}", f"text {number}", "1", {}, tuple((kind, f"{kind} text") for kind in kinds))
    return PromptSet(problem, tuple(kinds), tuple((2, 3 + place) for place in range(len(kinds) + 1)))


def rollout(rewards: Sequence[Sequence[float]], *, tokens: int = 3, kinds: Sequence[str] = KINDS) -> Rollout:
    """Groups of responses with these rewards."""
    members = [
        completion(group, sample, reward, tokens=tokens)
        for group, earned in enumerate(rewards)
        for sample, reward in enumerate(earned)
    ]
    groups = tuple(prompts(number, kinds) for number in range(len(rewards)))
    return Rollout(groups, tuple(members), generated=len(groups))
