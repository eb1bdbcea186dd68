from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from semifactual.pipeline.variants import VariantProblem
from semifactual.policy.policy import Request, Response, Sampling, StopReason
from semifactual.train.data import TrainingData
from semifactual.train.distributed import Ranks
from semifactual.train.recipe import Recipe
from semifactual.train.recipe_loading import merged
from semifactual.train.reward import Judge, RewardError
from semifactual.train.rollout import Rollout, collect

BASE: dict[str, Any] = {
    "data": {"source": "x"},
    "rollout": {"batch": 2, "samples": 3, "max_new_tokens": 8},
    "reward": {"function": "tests.train.test_rollout:tens"},
    "optim": {"minibatch": 1},
}


class Echo:
    """Generates the prompt's last token and numbers that the seed decides; remembers what it was asked."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def generate(self, requests: Sequence[Request], sampling: Sampling) -> list[list[Response]]:
        self.requests += requests
        return [[self._response(request.prompt_ids[-1], seed) for seed in request.seeds] for request in requests]

    def decode(self, token_ids: Sequence[int]) -> str:
        return " ".join(map(str, token_ids))

    def _response(self, last: int, seed: int) -> Response:
        return Response((last, *(seed >> shift & 15 for shift in range(seed % 5))), StopReason.EOS)


def tens(problem: VariantProblem, response: str) -> float:
    """Problems with an even number are always right, the others sometimes."""
    return float(int(problem.id) % 2 == 0 or "7" in response.split()[1:])


def broken(problem: VariantProblem, response: str) -> float:
    raise ValueError("no judge")


def data() -> TrainingData:
    rewrites = (("paraphrase", "b"), ("typo_noise", "c"))
    problems = [VariantProblem(str(number), "a", "1", {}, rewrites) for number in range(6)]
    return TrainingData(problems, lambda text: (1, ord(text)), seed=0, shuffle=False)


def collected(options: dict[str, Any], engine: Echo | None = None, position: int = 0) -> tuple[Rollout, int]:
    recipe = Recipe.model_validate(merged(BASE, options))
    with Judge(recipe.reward) as judge:
        return collect(recipe, data(), engine or Echo(), judge, Ranks(), position)


def test_every_problem_gets_a_group_and_its_prompt_is_read_once() -> None:
    engine = Echo()
    rollout, taken = collected({}, engine)
    assert taken == 2
    assert [(c.group, c.sample) for c in rollout.completions] == [(g, s) for g in range(2) for s in range(3)]
    assert [(request.prompt_ids, len(request.seeds)) for request in engine.requests] == [((1, ord("a")), 3)] * 2
    assert all(rollout.kind_of(c) == "original" for c in rollout.completions)


def test_what_is_drawn_depends_on_the_place_alone() -> None:
    first, _ = collected({}, position=4)
    again, _ = collected({"rollout": {"batch": 1}}, position=5)
    for one, other in zip(first.completions[3:], again.completions, strict=True):
        np.testing.assert_array_equal(one.token_ids, other.token_ids)
    elsewhere, _ = collected({}, position=10)
    assert any(
        not np.array_equal(one.token_ids, other.token_ids)
        for one, other in zip(first.completions, elsewhere.completions, strict=True)
    )


def test_random_variants_are_drawn_response_by_response() -> None:
    rollout, _ = collected({"rollout": {"prompts": "random_variant", "samples": 60}})
    counts = np.bincount([completion.variant for completion in rollout.completions], minlength=3)
    assert counts.min() > 20
    for completion in rollout.completions:
        sampled = rollout.prompt_of(completion, sampled=True)
        assert completion.token_ids[0] == sampled[-1] == ord("abc"[completion.variant])
        assert rollout.prompt_of(completion, sampled=False)[-1] == ord("a")


def test_dynamic_sampling_leaves_out_groups_without_a_difference() -> None:
    rollout, taken = collected({"rollout": {"dynamic_sampling": True, "samples": 6}})
    assert taken == rollout.rounds * 2 > 2
    assert rollout.generated == taken
    for number in range(2):
        answers = {c.earned.right for c in rollout.completions if c.group == number}
        assert answers == {True, False}
        assert int(rollout.groups[number].problem.id) % 2 == 1


def test_dynamic_sampling_gives_up_after_its_last_round() -> None:
    options = {"dynamic_sampling": True, "max_rounds": 2, "samples": 2}
    rollout, taken = collected({"rollout": options, "reward": {"function": "tests.train.rewards:equal"}})
    assert (taken, rollout.rounds, len(rollout.groups)) == (4, 2, 2)


def test_long_responses_are_charged_in_the_reward_and_not_in_the_accuracy() -> None:
    rollout, _ = collected({"reward": {"overlong_buffer": 8}})
    charged = [c for c in rollout.completions if c.reward != c.earned.reward]
    assert charged
    for completion in rollout.completions:
        assert completion.reward == completion.earned.reward - len(completion.token_ids) / 8
        assert completion.earned.right == (completion.earned.reward > 0.5)


def test_a_broken_reward_ends_the_rollout() -> None:
    with pytest.raises(RewardError, match="6 of 6 rewards failed, the first with ValueError: no judge"):
        collected({"reward": {"function": "tests.train.test_rollout:broken"}})
