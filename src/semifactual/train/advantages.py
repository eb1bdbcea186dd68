"""Advantages of a rollout's responses, those of their tokens, and how unevenly they are spread."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from semifactual.tensor.advantage import group_advantages
from semifactual.tensor.credit import credited_advantages
from semifactual.train.recipe import LossRecipe
from semifactual.train.rollout import Completion, Rollout


def response_advantages(recipe: LossRecipe, rollout: Rollout) -> Tensor:
    """[completion] the advantage of each response in its group (eq. 2); NaN where it has no reward."""
    rewards = torch.tensor([completion.reward for completion in rollout.completions], dtype=torch.float64)
    group = torch.tensor([completion.group for completion in rollout.completions])
    rewarded = rewards.isfinite()
    found = group_advantages(
        rewards[rewarded],
        group[rewarded],
        len(rollout.groups),
        estimator=recipe.advantage,
        ddof=recipe.ddof,
        eps=recipe.eps,
    )
    advantages = torch.full_like(rewards, torch.nan)
    advantages[rewarded] = found
    return advantages.float()


def in_loss(recipe: LossRecipe, completion: Completion) -> bool:
    """Whether a response is learnt from: it has a token and a reward, and is not masked for being truncated."""
    masked = recipe.mask_truncated and completion.truncated
    return len(completion.token_ids) > 0 and bool(np.isfinite(completion.reward)) and not masked


def token_advantages(advantage: Tensor, u: Tensor | None, tokens: int, weight: float) -> Tensor:
    """[token] A + lambda u of one response (eq. 9), or A for each of its tokens where there is no credit."""
    response = torch.zeros(tokens, dtype=torch.long)
    if u is None:
        return advantage.reshape(1)[response]
    return credited_advantages(advantage.reshape(1), u, response, weight)


def spread(advantages: Sequence[Tensor]) -> dict[str, float]:
    """How the advantages of an optimisation step are spread over its tokens.

    The effective share of tokens is (sum |A|)^2 / (n sum A^2): 1 where all weigh the same, 1/n where one carries
    everything. The Gini coefficient of |A| is 0 where all weigh the same, and nears 1 in the other case. Both are 0
    where every advantage is zero.
    """
    size = torch.cat([*advantages, torch.zeros(0)]).double()
    if not len(size):
        return {}
    absolute = size.abs()
    total, squares, count = absolute.sum(), absolute.square().sum(), len(absolute)
    ranked = absolute.sort().values
    rank = torch.arange(1, count + 1, dtype=torch.float64)
    gini = (2 * (rank * ranked).sum() / (count * total) - (count + 1) / count) if total > 0 else torch.tensor(0.0)
    effective = total.square() / (count * squares) if squares > 0 else torch.tensor(0.0)
    return {
        "advantage/mean": size.mean().item(),
        "advantage/abs": absolute.mean().item(),
        "advantage/effective_tokens": effective.item(),
        "advantage/gini": gini.item(),
    }
