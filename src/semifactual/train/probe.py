"""The probe: log-probs of a rollout's responses under every variant of their prompts, by the policy that made them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from semifactual.policy.policy import Group, GroupLogprobs
from semifactual.train.data import PromptSet
from semifactual.train.distributed import Ranks
from semifactual.train.rollout import Completion, Rollout

LogprobArray = NDArray[np.float32]


class Scorer(Protocol):
    """Whatever scores with the policy's present weights. `semifactual.policy.local.LocalPolicy` is one."""

    def logprobs(self, groups: Sequence[Group], *, temperature: float = 1.0) -> list[GroupLogprobs]:
        """For each group, the log-probs of its responses under every variant, by teacher forcing."""


@dataclass(frozen=True, slots=True)
class Probed:
    """One response under every variant."""

    kinds: tuple[str, ...]
    """The kind of each variant but the original."""
    logps: LogprobArray
    """[1 + variant, token]: the original first."""
    identity: LogprobArray
    """[token]: the original once more, laid out as the longest variant is: what only rounding moves."""


def probe(
    rollout: Rollout, variants: Sequence[PromptSet], scorer: Scorer, ranks: Ranks, temperature: float = 1.0
) -> list[Probed]:
    """Score every response of a rollout under the variants of its group; one result a completion, in order.

    Each process scores its share, a group that straddles two in two parts, and gets the shares of the others.

    Args:
        variants: the prompts to score under, one set a group: its semifactuals, or counterfactuals as a control.
        temperature: that of the rollout, so that pi_old (eq. 6) is the policy that was sampled from.
    """
    mine = ranks.share(rollout.completions)
    parts = [list(members) for _, members in groupby(mine, key=lambda completion: completion.group)]
    groups = [
        Group(variants[part[0].group].prompts, tuple(_token_ids(completion) for completion in part)) for part in parts
    ]
    probed = []
    for part, scored in zip(parts, scorer.logprobs(groups, temperature=temperature), strict=True):
        kinds = variants[part[0].group].kinds
        for number in range(len(part)):
            logps = np.stack([variant[number] for variant in scored.variants]).astype(np.float32)
            probed.append(Probed(kinds, logps, np.asarray(scored.identity[number], dtype=np.float32)))
    return ranks.gather(probed)


def _token_ids(completion: Completion) -> tuple[int, ...]:
    return tuple(completion.token_ids.tolist())
