"""One optimisation step: micro-batches, the loss of the whole step, gradients over all processes, AdamW."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from semifactual.policy.policy import TokenIds
from semifactual.tensor.aggregation import constant_mean, sequence_mean, token_mean
from semifactual.tensor.loss import Surrogate, clipped_surrogate
from semifactual.train.distributed import Ranks
from semifactual.train.reading import Pair, Reader
from semifactual.train.recipe import LossRecipe, OptimRecipe, Recipe


@dataclass(frozen=True, slots=True)
class Row:
    """A response to learn from."""

    prompt_ids: TokenIds
    token_ids: TokenIds
    advantages: Tensor
    """[token], float32"""
    old: Tensor
    """[token] log-probs by the policy that made it, float32."""


@dataclass(frozen=True, slots=True)
class Denominators:
    """What the losses of an optimisation step are divided by: counted before it is cut, over all processes."""

    tokens: int
    sequences: int

    @classmethod
    def of(cls, lengths: Iterable[int]) -> Denominators:
        """Those of a step whose responses have these lengths."""
        counted = list(lengths)
        return cls(sum(counted), len(counted))


def make_optimizer(recipe: OptimRecipe, model: Any) -> torch.optim.AdamW:
    """AdamW over all parameters that want a gradient."""
    wanting = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return torch.optim.AdamW(
        wanting, lr=recipe.lr, betas=recipe.betas, eps=recipe.eps, weight_decay=recipe.weight_decay
    )


def learning_rate(recipe: OptimRecipe, step: int) -> float:
    """The learning rate of a step, from 1: a linear warm-up, then constant.

    >>> [learning_rate(OptimRecipe(lr=1.0, warmup=2), step) for step in (1, 2, 3)]
    [0.5, 1.0, 1.0]
    """
    return recipe.lr * min(1.0, step / recipe.warmup) if recipe.warmup else recipe.lr


@dataclass(frozen=True, slots=True)
class Scored:
    """What the policy that made a response says of its tokens."""

    logps: Tensor
    """[token], float32, on the CPU."""
    entropy: float
    """Sum over the tokens, nats."""


@torch.no_grad()
def old_logprobs(reader: Reader, pairs: Sequence[Pair]) -> list[Scored]:
    """Score responses by the policy that made them."""
    found: dict[int, Scored] = {}
    for batch in reader.batches(pairs):
        inside = [pairs[number] for number in batch]
        read = reader.read(inside, with_entropy=True)
        assert read.entropy is not None
        lengths = [len(pair.token_ids) for pair in inside]
        parts = zip(torch.split(read.logps.float().cpu(), lengths), torch.split(read.entropy, lengths), strict=True)
        for number, (logps, entropy) in zip(batch, parts, strict=True):
            found[number] = Scored(logps.clone(), entropy.double().sum().item())
    return [found[number] for number in range(len(pairs))]


@dataclass
class Tally:
    """Sums over the tokens of a step, of one process or of all."""

    tokens: int = 0
    loss: float = 0.0
    moved: float = 0.0
    ratio: float = 0.0
    ratio_min: float = math.inf
    ratio_max: float = -math.inf
    low: int = 0
    high: int = 0
    dual: int = 0

    def add(self, loss: Tensor, surrogate: Surrogate, moved: Tensor) -> None:
        """Count in one micro-batch."""
        self.tokens += len(moved)
        self.loss += loss.item()
        self.moved += moved.double().sum().item()
        self.ratio += surrogate.ratio.double().sum().item()
        self.ratio_min = min(self.ratio_min, surrogate.ratio.min().item())
        self.ratio_max = max(self.ratio_max, surrogate.ratio.max().item())
        self.low += int(surrogate.clipped_low.sum())
        self.high += int(surrogate.clipped_high.sum())
        self.dual += int(surrogate.dual_clipped.sum())

    def metrics(self) -> dict[str, float]:
        """As in metrics.jsonl."""
        if not self.tokens:
            return {"loss": self.loss, "tokens/learnt": 0}
        return {
            "loss": self.loss,
            "policy/kl": self.moved / self.tokens,
            "ratio/mean": self.ratio / self.tokens,
            "ratio/min": self.ratio_min,
            "ratio/max": self.ratio_max,
            "clip/low": self.low / self.tokens,
            "clip/high": self.high / self.tokens,
            "clip/dual": self.dual / self.tokens,
            "tokens/learnt": self.tokens,
        }


def over_all(tallies: Iterable[Tally]) -> Tally:
    """The tally of all processes."""
    total = Tally()
    for tally in tallies:
        total.ratio_min = min(total.ratio_min, tally.ratio_min)
        total.ratio_max = max(total.ratio_max, tally.ratio_max)
        for name in ("tokens", "loss", "moved", "ratio", "low", "high", "dual"):
            setattr(total, name, getattr(total, name) + getattr(tally, name))
    return total


def accumulate(recipe: Recipe, reader: Reader, rows: Sequence[Row], denominators: Denominators) -> Tally:
    """Add the gradient of this process's rows to the parameters, micro-batch by micro-batch.

    A row whose advantages are all zero, as in a group with equal rewards and no credit, has no gradient, and is passed
    over; the denominators have counted it.
    """
    tally = Tally()
    device = reader.device
    moving = [row for row in rows if bool(row.advantages.any())]
    for batch in reader.batches(moving):
        inside = [moving[number] for number in batch]
        logps = reader.read(inside).logps
        old = torch.cat([row.old for row in inside]).to(device)
        surrogate = clipped_surrogate(
            logps,
            old,
            torch.cat([row.advantages for row in inside]).to(device),
            clip_low=recipe.loss.clip_low,
            clip_high=recipe.loss.clip_high,
            dual_clip=recipe.loss.dual_clip,
        )
        loss = _aggregated(recipe.loss, recipe.loss_constant, surrogate.loss, inside, denominators)
        loss.backward()  # type: ignore[no-untyped-call]
        tally.add(loss.detach(), surrogate, old - logps.detach())
    return tally


def apply_gradients(recipe: OptimRecipe, optimizer: torch.optim.Optimizer, ranks: Ranks, step: int) -> dict[str, float]:
    """Sum the gradients over all processes, clip them and take a step, unless they are not finite."""
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    ranks.sum_gradients(parameters)
    norm = torch.nn.utils.clip_grad_norm_(parameters, recipe.clip_norm).item()
    rate = learning_rate(recipe, step)
    for group in optimizer.param_groups:
        group["lr"] = rate
    if math.isfinite(norm):
        optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return {"optim/lr": rate, "optim/grad_norm": norm}


def _aggregated(
    recipe: LossRecipe, constant: int, loss: Tensor, rows: Sequence[Row], denominators: Denominators
) -> Tensor:
    """The part of the step's loss that a micro-batch has."""
    if recipe.aggregation == "token-mean":
        return token_mean(loss, denominators.tokens)
    if recipe.aggregation == "constant":
        return constant_mean(loss, denominators.sequences, constant)
    lengths = torch.tensor([len(row.token_ids) for row in rows], device=loss.device)
    response = torch.arange(len(rows), device=loss.device).repeat_interleave(lengths)
    return sequence_mean(loss, response, len(rows), denominators.sequences)
