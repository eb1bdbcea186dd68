"""The reward function of verl, by path or by module: ``reward.custom_reward_function.path`` is this file.

verl loads the file on its own, outside its package, so it imports this package by its full name.
"""

from __future__ import annotations

from typing import Any

from semifactual.answers import Outcome
from semifactual.integrations.rewards import graded


def compute_score(
    data_source: str, solution_str: str, ground_truth: str, extra_info: Any = None, **options: Any
) -> dict[str, float]:
    r"""What verl calls for a response. It logs every entry beside the score.

    >>> compute_score("semifactual/words", r"So \boxed{7}.", "7")
    {'score': 1.0, 'acc': 1.0, 'timed_out': 0.0}
    """
    outcome = graded(solution_str, ground_truth)
    right = float(outcome is Outcome.EQUAL)
    return {"score": right, "acc": right, "timed_out": float(outcome is Outcome.TIMED_OUT)}
