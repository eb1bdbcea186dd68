"""From a probed rollout to the credit of every token, before lambda, and to what is worth knowing about the drift.

A credit of your own is named in a recipe as ``credit.function: module:name``. It is called once a rollout with the
arguments of `semifactual.tensor.credit.CreditFunction`, on the tokens of all scored responses of whole groups, and
returns one number a token; lambda times it is added to the advantage. Floor, sign and aggregation of the recipe are
then its own business, and have no effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from semifactual.errors import ConfigError
from semifactual.tensor.credit import shuffled_within_responses, signed_credit, stability_credit
from semifactual.tensor.drift import drift, floored, kind_means, signed_drift
from semifactual.tensor.groups import uniform_groups
from semifactual.tensor.stability import stability
from semifactual.train.functions import load_function
from semifactual.train.probe import LogprobArray, Probed
from semifactual.train.recipe import CreditRecipe
from semifactual.train.rollout import Completion, Rollout
from semifactual.train.seeds import seed_of

IDLE_WITHIN = 3.0
"""A kind whose drift is within so many times its noise floor moves nothing but rounding."""


@dataclass(frozen=True, slots=True)
class Credited:
    """What the probe says of a rollout. Lists have one entry a completion; None where it was not scored."""

    u: list[LogprobArray | None]
    """[token] the credit before lambda."""
    drift: list[LogprobArray | None]
    """[token] the mean over the kinds present."""
    metrics: dict[str, float]
    """Flat keys, as in metrics.jsonl."""
    idle: tuple[str, ...]
    """Kinds whose drift is within three times of their noise floor."""


@dataclass(frozen=True, slots=True)
class _Flat:
    """The scored tokens of a rollout, one after the other."""

    completions: list[int]
    """The numbers of the scored completions in the rollout."""
    lengths: list[int]
    original: Tensor
    """[token]"""
    variants: Tensor
    """[variant, token]"""
    identity: Tensor
    """[token]"""
    kind: Tensor
    """[variant, token] a number in `kinds`, or -1 where the problem lacks the variant."""
    response: Tensor
    """[token] an index into `completions`."""
    group: Tensor
    """[token]"""
    kinds: list[str]

    def split(self, values: Tensor, count: int) -> list[LogprobArray | None]:
        """Values [token] as one array a completion, `count` completions in all."""
        found: list[LogprobArray | None] = [None] * count
        for place, part in zip(self.completions, torch.split(values.float(), self.lengths), strict=True):
            found[place] = part.numpy()
        return found


def token_credit(recipe: CreditRecipe, rollout: Rollout, probed: Sequence[Probed], seed: int) -> Credited:
    """The credit of every token of a rollout (eq. 6-9 or the signed form), before lambda.

    Truncated responses, unless the recipe includes them, and those without a reward or a variant stay out of the
    statistics and get none.
    """
    flat = _flatten(recipe, rollout, probed)
    if flat is None:
        nothing: list[LogprobArray | None] = [None] * len(rollout.completions)
        return Credited(nothing, list(nothing), {}, ())
    by_kind, present = kind_means(drift(flat.original, flat.variants), flat.kind, len(flat.kinds))
    noise = _noise_floor(flat, present)
    credit = _credit(recipe, rollout, flat, by_kind, present, noise, seed)
    mean_drift = by_kind.where(present, 0).sum(0) / present.sum(0).clamp(min=1)
    metrics, idle = _metrics(flat, by_kind, present, noise, mean_drift, credit)
    count = len(rollout.completions)
    return Credited(flat.split(credit, count), flat.split(mean_drift, count), metrics, idle)


def _credit(
    recipe: CreditRecipe,
    rollout: Rollout,
    flat: _Flat,
    by_kind: Tensor,
    present: Tensor,
    noise: Tensor,
    seed: int,
) -> Tensor:
    """The credit [token] by the recipe's form, then its controls."""
    floor = _floor(recipe, by_kind, present, noise)
    if recipe.function is not None:
        credit = _own_credit(recipe.function, rollout, flat)
    elif recipe.form == "signed":
        # What exceeds is taken rewrite by rewrite, or two rewrites of a kind could cancel.
        excess = signed_drift(flat.original, flat.variants).clamp(min=0)
        means, _ = kind_means(excess, flat.kind, len(flat.kinds))
        credit = signed_credit(floored(means, floor), present)
    else:
        u = stability(
            floored(by_kind, floor),
            flat.group,
            len(rollout.groups),
            present=present,
            aggregate=recipe.aggregate,
        )
        credit = stability_credit(u, recipe.sign)
    if recipe.on_uniform_groups == "drop":
        credit = credit.where(~_in_uniform_group(rollout, flat), 0)
    if recipe.source == "shuffle":
        generator = torch.Generator().manual_seed(seed_of(seed, "shuffle"))
        credit = shuffled_within_responses(credit, flat.response, generator)
    return credit


def _own_credit(path: str, rollout: Rollout, flat: _Flat) -> Tensor:
    rewards = torch.tensor([rollout.completions[place].reward for place in flat.completions])
    credit: Any = load_function(path, "credit.function")(
        logp_original=flat.original,
        logp_variants=flat.variants,
        present=flat.kind >= 0,
        response=flat.response,
        group=flat.group,
        rewards=rewards,
    )
    found: Tensor = torch.as_tensor(credit, dtype=torch.float32).detach().cpu()
    if found.shape != flat.original.shape or not found.isfinite().all():
        raise ConfigError(
            f"credit.function {path} returned a tensor of shape {list(found.shape)}, not one finite number for each of"
            f" {len(flat.original)} tokens"
        )
    return found


def _flatten(recipe: CreditRecipe, rollout: Rollout, probed: Sequence[Probed]) -> _Flat | None:
    scored = [
        number
        for number, completion in enumerate(rollout.completions)
        if _is_scored(recipe, completion) and probed[number].kinds
    ]
    if not scored:
        return None
    kinds = sorted({kind for number in scored for kind in probed[number].kinds})
    most = max(len(probed[number].kinds) for number in scored)
    lengths = [len(rollout.completions[number].token_ids) for number in scored]
    tokens = sum(lengths)
    variants = np.zeros((most, tokens), dtype=np.float32)
    kind = np.full((most, tokens), -1, dtype=np.int64)
    end = 0
    for number, length in zip(scored, lengths, strict=True):
        found = probed[number]
        variants[: len(found.kinds), end : end + length] = found.logps[1:]
        kind[: len(found.kinds), end : end + length] = np.array([kinds.index(name) for name in found.kinds])[:, None]
        end += length
    group = torch.tensor([rollout.completions[number].group for number in scored])
    repeats = torch.tensor(lengths)
    return _Flat(
        scored,
        lengths,
        torch.from_numpy(np.concatenate([probed[number].logps[0] for number in scored])),
        torch.from_numpy(variants),
        torch.from_numpy(np.concatenate([probed[number].identity for number in scored])),
        torch.from_numpy(kind),
        torch.arange(len(scored)).repeat_interleave(repeats),
        group.repeat_interleave(repeats),
        kinds,
    )


def _is_scored(recipe: CreditRecipe, completion: Completion) -> bool:
    counted = recipe.truncated == "include" or not completion.truncated
    return counted and len(completion.token_ids) > 0 and bool(np.isfinite(completion.reward))


def _in_uniform_group(rollout: Rollout, flat: _Flat) -> Tensor:
    """[token] whether the rewards of its group are all equal."""
    rewarded = [completion for completion in rollout.completions if np.isfinite(completion.reward)]
    rewards = torch.tensor([completion.reward for completion in rewarded], dtype=torch.float64)
    group = torch.tensor([completion.group for completion in rewarded])
    return uniform_groups(rewards, group, len(rollout.groups))[flat.group]


def _noise_floor(flat: _Flat, present: Tensor) -> Tensor:
    """[kind] the mean drift between the original and itself, over the tokens that the kind was scored on."""
    moved = drift(flat.original, flat.identity)
    return (moved * present).double().sum(1).div(present.sum(1)).to(moved.dtype)


def _floor(recipe: CreditRecipe, by_kind: Tensor, present: Tensor, noise: Tensor) -> Tensor:
    """[kind] the drift that a token needs to count.

    An idle kind's rounding is above its mean on many a token, and z-scored it would have its vote all the same: of such
    a kind, ``auto`` lets nothing count.
    """
    if recipe.drift_floor != "auto":
        return torch.full_like(noise, recipe.drift_floor)
    idle = torch.tensor([_is_idle(drift, floor) for drift, floor in _kind_drifts(by_kind, present, noise)])
    return torch.where(idle, torch.inf, noise)


def _kind_drifts(by_kind: Tensor, present: Tensor, noise: Tensor) -> list[tuple[float, float]]:
    """For each kind its mean drift and its noise floor."""
    means = [moved[there].double().mean().item() for moved, there in zip(by_kind, present, strict=True)]
    return list(zip(means, noise.tolist(), strict=True))


def _is_idle(drift: float, floor: float) -> bool:
    return drift <= IDLE_WITHIN * floor


def _metrics(
    flat: _Flat, by_kind: Tensor, present: Tensor, noise: Tensor, mean_drift: Tensor, credit: Tensor
) -> tuple[dict[str, float], tuple[str, ...]]:
    metrics = {
        "drift/mean": mean_drift.double().mean().item(),
        "drift/zero": (mean_drift == 0).double().mean().item(),
        "drift/noise": drift(flat.original, flat.identity).double().mean().item(),
        "credit/share": (credit != 0).double().mean().item(),
        "credit/mass": credit.abs().double().mean().item(),
    }
    idle = []
    for kind, (mean, floor) in zip(flat.kinds, _kind_drifts(by_kind, present, noise), strict=True):
        metrics[f"drift/kind/{kind}"] = mean
        metrics[f"drift/noise/{kind}"] = floor
        metrics[f"drift/idle/{kind}"] = float(_is_idle(mean, floor))
        if _is_idle(mean, floor):
            idle.append(kind)
    return metrics, tuple(idle)
