"""What a response earns: the verifier's word on its boxed answer, or a function of the user's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from semifactual.answers import Outcome, Verifier
from semifactual.errors import SemifactualError
from semifactual.pipeline.variants import VariantProblem
from semifactual.train.functions import load_function
from semifactual.train.recipe import RewardRecipe

RIGHT_ABOVE = 0.5
"""A reward above this counts as a right answer, in the accuracy that is logged and where uniform groups are told."""


class RewardFunction(Protocol):
    """A reward of the user's own."""

    def __call__(self, problem: VariantProblem, response: str, /) -> float:
        """The reward of a response to a problem, which has an `id`, `text`, `answer` and `metadata`.

        A result that is not finite, or an exception, leaves the response out of its group and of the loss.
        """


class RewardError(SemifactualError):
    """So many rewards failed that something must be wrong with the function."""


@dataclass(frozen=True, slots=True)
class Earned:
    """What one response earned."""

    reward: float
    """NaN where there is none: the response stays out of its group and of the loss."""
    right: bool = False
    """Whether the answer counts as right, before any penalty."""
    timed_out: bool = False
    """The verifier did not decide before its deadline; that earns nothing."""
    error: str = ""
    """Why there is no reward."""


class Judge:
    """Rewards responses; used as a context, so that the verifier's workers end with it."""

    def __init__(self, recipe: RewardRecipe) -> None:
        self._recipe = recipe
        self._verifier = Verifier(deadline=recipe.deadline)
        self._function: RewardFunction | None = None
        if recipe.function is not None:
            self._function = load_function(recipe.function, "reward.function")

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *raised: object) -> None:
        self._verifier.close()

    def earned(self, problem: VariantProblem, response: str) -> Earned:
        """The reward of a response, before any penalty."""
        if self._function is not None:
            return _earned_from(self._function, problem, response)
        return self.by_answer(problem.answer, response)

    def by_answer(self, answer: str, response: str) -> Earned:
        """1 where the response's last boxed answer is the reference answer, else 0."""
        outcome = self._verifier.grade(answer, response).verdict.outcome
        right = outcome is Outcome.EQUAL
        return Earned(float(right), right, outcome is Outcome.TIMED_OUT)


def overlong_penalty(tokens: int, longest: int, buffer: int, factor: float) -> float:
    """DAPO's soft overlong penalty: 0 up to longest - buffer tokens, then falling to -factor at the longest.

    >>> [overlong_penalty(tokens, 100, 20, 1.0) for tokens in (80, 90, 100)]
    [0.0, -0.5, -1.0]
    """
    if not buffer:
        return 0.0
    return factor * max(min((longest - buffer - tokens) / buffer, 0.0), -1.0)


def refuse_many_failures(failures: list[str], responses: int, most: float) -> None:
    """Check that no more than a share `most` of a rollout's rewards failed.

    Raises:
        RewardError: more did. Nothing was learnt from this rollout.
    """
    if len(failures) > most * responses:
        raise RewardError(
            f"{len(failures):,} of {responses:,} rewards failed, the first with {failures[0]}",
            hint="mend the reward function and run the same command again: it goes on from the last checkpoint",
        )


def _earned_from(function: Callable[..., float], problem: VariantProblem, response: str) -> Earned:
    """A user's function may raise anything: that is one failed reward, counted and shown, not the end of a run."""
    try:
        reward = float(function(problem, response))
    except Exception as error:
        return Earned(math.nan, error=f"{type(error).__name__}: {error}")
    if not math.isfinite(reward):
        return Earned(math.nan, error=f"the reward {reward}")
    return Earned(reward, reward > RIGHT_ABOVE)
