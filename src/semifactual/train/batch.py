"""One rollout made ready to learn from: rewards, advantages, credit and old log-probs, and its rows step by step."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from semifactual.policy.policy import TokenIds
from semifactual.tensor.schedule import credit_weight
from semifactual.train.advantages import in_loss, response_advantages, token_advantages
from semifactual.train.credit import Credited, token_credit
from semifactual.train.probe import probe
from semifactual.train.reading import Bare, autocast
from semifactual.train.recipe import Recipe
from semifactual.train.rollout import Rollout, collect
from semifactual.train.run import Run
from semifactual.train.seeds import seed_of
from semifactual.train.update import Denominators, Row, Scored, old_logprobs


@dataclass(frozen=True, slots=True)
class Batch:
    """A rollout with all that its updates need. But for the old log-probs it is the same in every process."""

    rollout: Rollout
    taken: int
    """Problems that it took from the data."""
    advantages: Tensor
    """[completion] NaN where there is no reward."""
    credited: Credited | None
    """None where nothing was probed."""
    old: Mapping[int, Scored]
    """Old log-probs of the completions that this process learns from, by their number."""
    seconds: dict[str, float]


@dataclass(frozen=True, slots=True)
class Minibatch:
    """What one optimisation step learns from."""

    rows: list[Row]
    """This process's share."""
    denominators: Denominators
    """Of the whole step."""
    advantages: list[Tensor]
    """[token] of every response of the whole step."""


def make_batch(run: Run) -> Batch:
    """Roll out, reward, probe while lambda is above zero, and score the old log-probs once."""
    recipe, state = run.recipe, run.state
    seconds = {"probe": 0.0, "old": 0.0}
    with autocast(recipe.model, run.policy.device):
        rollout, taken = collect(recipe, run.data, run.policy, run.judge, run.ranks, state.position)
        credited = None
        if lambda_at(recipe, state.step + 1) > 0:
            run.watcher.phase("probe")
            with _timed(seconds, "probe"):
                credited = _credit(run, rollout)
    with _timed(seconds, "old"):
        old = _old_logprobs(run, rollout)
    advantages = response_advantages(recipe.loss, rollout)
    return Batch(rollout, taken, advantages, credited, old, {**rollout.seconds, **seconds})


def minibatch(run: Run, batch: Batch, number: int, weight: float) -> Minibatch:
    """The rows of one of a rollout's optimisation steps, with A~ = A + lambda u (eq. 9)."""
    rollout = batch.rollout
    chosen = _members(run.recipe, rollout, number)
    advantages = {place: _token_advantages(batch, place, weight) for place in chosen}
    rows = [
        Row(*_pair(run.recipe, rollout, place), advantages[place], batch.old[place].logps)
        for place in run.ranks.share(chosen)
    ]
    lengths = [len(rollout.completions[place].token_ids) for place in chosen]
    return Minibatch(rows, Denominators.of(lengths), list(advantages.values()))


def lambda_at(recipe: Recipe, step: int) -> float:
    """The strength of the credit in an optimisation step (eq. 11)."""
    credit = recipe.credit
    return credit_weight(step, credit.lambda0, credit.steps, credit.schedule) if credit.enabled else 0.0


def _credit(run: Run, rollout: Rollout) -> Credited:
    control = run.recipe.credit.source == "counterfactual"
    variants = rollout.groups
    if control:
        variants = tuple(run.data.prompts(group.problem, counterfactual=True) for group in rollout.groups)
    probed = probe(rollout, variants, run.policy, run.ranks, run.recipe.rollout.temperature)
    return token_credit(run.recipe.credit, rollout, probed, seed_of(run.recipe.seed, "credit", run.state.rollout))


def _old_logprobs(run: Run, rollout: Rollout) -> dict[int, Scored]:
    """Those of this process's share of each optimisation step."""
    found: dict[int, Scored] = {}
    with run.policy.quiet():
        for number in range(run.recipe.steps_per_rollout):
            mine = run.ranks.share(_members(run.recipe, rollout, number))
            pairs = [Bare(*_pair(run.recipe, rollout, place)) for place in mine]
            found |= zip(mine, old_logprobs(run.reader, pairs), strict=True)
    return found


def _members(recipe: Recipe, rollout: Rollout, number: int) -> list[int]:
    """The numbers of the completions that one optimisation step learns from: whole groups, without what is left out."""
    first, last = (recipe.optim.minibatch * edge for edge in (number, number + 1))
    return [
        place
        for place, completion in enumerate(rollout.completions)
        if first <= completion.group < last and in_loss(recipe.loss, completion)
    ]


def _pair(recipe: Recipe, rollout: Rollout, place: int) -> tuple[TokenIds, TokenIds]:
    completion = rollout.completions[place]
    prompt = rollout.prompt_of(completion, sampled=recipe.loss.prompt == "sampled")
    return prompt, tuple(completion.token_ids.tolist())


def _token_advantages(batch: Batch, place: int, weight: float) -> Tensor:
    u = None if batch.credited is None else batch.credited.u[place]
    tokens = len(batch.rollout.completions[place].token_ids)
    credit = None if u is None else torch.from_numpy(np.asarray(u))
    return token_advantages(batch.advantages[place], credit, tokens, weight)


@contextmanager
def _timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    seconds[name] = time.perf_counter() - started
