"""The reward function of EasyR1: ``worker.reward.reward_function`` is the path of this file and ``:compute_score``.

EasyR1 loads the file on its own, outside its package, so it imports this package by its full name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from semifactual.answers import Outcome
from semifactual.integrations.rewards import graded

REWARD_NAME = "semifactual"
REWARD_TYPE = "batch"
"""All responses of a batch in one call, which is EasyR1's default too."""


def compute_score(reward_inputs: Sequence[Mapping[str, Any]], **options: Any) -> list[dict[str, float]]:
    r"""What EasyR1 calls for a batch of responses. It logs every entry beside the overall one.

    >>> compute_score([{"response": r"So \boxed{7}.", "response_length": 5, "ground_truth": "7"}])
    [{'overall': 1.0, 'accuracy': 1.0, 'timed_out': 0.0}]
    """
    outcomes = [graded(one["response"], one["ground_truth"]) for one in reward_inputs]
    return [_score(outcome) for outcome in outcomes]


def _score(outcome: Outcome) -> dict[str, float]:
    right = float(outcome is Outcome.EQUAL)
    return {"overall": right, "accuracy": right, "timed_out": float(outcome is Outcome.TIMED_OUT)}
