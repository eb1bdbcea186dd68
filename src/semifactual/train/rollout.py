"""Rollouts: for a batch of problems, a group of responses each, with what they earned.

The work is shared between the processes response by response; what comes back is gathered, so that every process
holds the whole rollout.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from semifactual.policy.policy import Request, Response, Sampling, StopReason, TokenIds
from semifactual.train.data import ORIGINAL, PromptSet, TrainingData
from semifactual.train.distributed import Ranks
from semifactual.train.recipe import Recipe
from semifactual.train.reward import Earned, Judge, overlong_penalty, refuse_many_failures
from semifactual.train.seeds import seed_of


class Engine(Protocol):
    """Whatever generates with the policy's present weights. `semifactual.policy.local.LocalPolicy` is one.

    An engine of its own process, such as a server, would be handed the new weights before each rollout.
    """

    def generate(self, requests: Sequence[Request], sampling: Sampling) -> list[list[Response]]:
        """For each request, one response a seed, in order."""

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text of a response, without special tokens."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A response and what it earned."""

    group: int
    """The number of its group in the rollout, from 0."""
    sample: int
    """Its number in the group, from 0."""
    variant: int
    """Under which of the group's prompts it was generated; 0 is the original."""
    token_ids: NDArray[np.int32]
    stop: StopReason
    earned: Earned
    reward: float
    """With the penalty for length; NaN where there is none."""

    @property
    def truncated(self) -> bool:
        """Whether it was cut at the longest length."""
        return self.stop is StopReason.LENGTH


@dataclass(frozen=True, slots=True)
class Rollout:
    """A batch of groups, whole, the same in every process."""

    groups: tuple[PromptSet, ...]
    completions: tuple[Completion, ...]
    """Group by group, and in each sample by sample."""
    rounds: int = 1
    """How many batches were generated for it."""
    generated: int = 0
    """How many groups were generated for it; more than it has where dynamic sampling left some out."""
    seconds: dict[str, float] = field(default_factory=dict)
    """What this process spent on generation and on rewards."""

    def prompt_of(self, completion: Completion, *, sampled: bool) -> TokenIds:
        """The prompt that a completion's ratio stands under."""
        return self.groups[completion.group].prompts[completion.variant if sampled else 0]

    def kind_of(self, completion: Completion) -> str:
        """The kind of the prompt that a completion was generated under."""
        return (ORIGINAL, *self.groups[completion.group].kinds)[completion.variant]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a rollout stands in the run: all that decides what it draws."""

    seed: int
    position: int
    """How many problems the run has taken before it."""


def collect(
    recipe: Recipe, data: TrainingData, engine: Engine, judge: Judge, ranks: Ranks, position: int
) -> tuple[Rollout, int]:
    """Generate and reward one batch from a position of the data on; the rollout, and how many problems it took.

    With dynamic sampling, batches are generated until enough groups have both right and wrong answers.

    Raises:
        RewardError: too many rewards failed.
    """
    wanted = recipe.rollout.batch
    mixed: list[tuple[PromptSet, list[Completion]]] = []
    uniform: list[tuple[PromptSet, list[Completion]]] = []
    seconds = {"rollout": 0.0, "reward": 0.0}
    rounds = 0
    while rounds == 0 or (len(mixed) < wanted and rounds < recipe.rollout.max_rounds):
        groups = [data.prompts(problem) for problem in data.take(position + rounds * wanted, wanted)]
        place = Place(recipe.seed, position + rounds * wanted)
        completions = _one_batch(recipe, groups, engine, judge, ranks, place, seconds)
        rounds += 1
        for number, members in groupby(completions, key=lambda completion: completion.group):
            group = (groups[number], list(members))
            keep = not recipe.rollout.dynamic_sampling or _is_mixed(group[1])
            (mixed if keep else uniform).append(group)
    kept = (mixed + uniform)[:wanted]
    numbered = [replace(c, group=number) for number, (_, members) in enumerate(kept) for c in members]
    rollout = Rollout(tuple(prompts for prompts, _ in kept), tuple(numbered), rounds, rounds * wanted, seconds)
    return rollout, rounds * wanted


def _one_batch(
    recipe: Recipe,
    groups: Sequence[PromptSet],
    engine: Engine,
    judge: Judge,
    ranks: Ranks,
    place: Place,
    seconds: dict[str, float],
) -> list[Completion]:
    """Every process generates and rewards its share, and gets the shares of the others."""
    started = time.perf_counter()
    planned = _plan(recipe, groups, place)
    mine = ranks.share(planned)
    responses = _generate(recipe, groups, engine, mine)
    generated = time.perf_counter()
    completions = [
        _completion(recipe, groups, engine, judge, slot, response)
        for slot, response in zip(mine, responses, strict=True)
    ]
    seconds["rollout"] += generated - started
    seconds["reward"] += time.perf_counter() - generated
    everything = ranks.gather(completions)
    failures = [completion.earned.error for completion in everything if completion.earned.error]
    refuse_many_failures(failures, len(everything), recipe.reward.max_failed)
    return everything


@dataclass(frozen=True, slots=True)
class _Slot:
    """A response that is to be generated."""

    group: int
    sample: int
    variant: int
    seed: int


def _plan(recipe: Recipe, groups: Sequence[PromptSet], place: Place) -> list[_Slot]:
    """Every response of a batch: under which prompt, and with which seed."""
    slots = []
    for number, group in enumerate(groups):
        for sample in range(recipe.rollout.samples):
            seed = seed_of(place.seed, "response", place.position + number, sample)
            variant = 0
            if recipe.rollout.prompts == "random_variant":
                variant = seed_of(seed, "variant") % len(group.prompts)
            slots.append(_Slot(number, sample, variant, seed))
    return slots


def _generate(recipe: Recipe, groups: Sequence[PromptSet], engine: Engine, slots: Sequence[_Slot]) -> list[Response]:
    """The responses of some slots; those that share a prompt are one request, so that it is read once."""
    order = sorted(range(len(slots)), key=lambda place: (slots[place].group, slots[place].variant))
    requests, places = [], []
    for (group, variant), members in groupby(order, key=lambda place: (slots[place].group, slots[place].variant)):
        inside = list(members)
        places.append(inside)
        requests.append(Request(groups[group].prompts[variant], tuple(slots[place].seed for place in inside)))
    rollout = recipe.rollout
    found = engine.generate(requests, Sampling(rollout.temperature, rollout.top_p, rollout.max_new_tokens))
    by_place = {
        place: response
        for inside, responses in zip(places, found, strict=True)
        for place, response in zip(inside, responses, strict=True)
    }
    return [by_place[place] for place in range(len(slots))]


def _completion(
    recipe: Recipe, groups: Sequence[PromptSet], engine: Engine, judge: Judge, slot: _Slot, response: Response
) -> Completion:
    earned = judge.earned(groups[slot.group].problem, engine.decode(response.token_ids))
    longest, settings = recipe.rollout.max_new_tokens, recipe.reward
    penalty = overlong_penalty(len(response.token_ids), longest, settings.overlong_buffer, settings.overlong_factor)
    token_ids = np.asarray(response.token_ids, dtype=np.int32)
    return Completion(slot.group, slot.sample, slot.variant, token_ids, response.stop, earned, earned.reward + penalty)


def _is_mixed(completions: Sequence[Completion]) -> bool:
    """Whether some answers are right and some are not; what a response earned for its length does not count."""
    return len({completion.earned.right for completion in completions}) > 1
