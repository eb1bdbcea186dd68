"""How much the credit weighs at each step of the policy's optimisation: equation 11."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

Decay: TypeAlias = Literal["constant", "linear", "cosine"]


def credit_weight(step: int, lambda0: float, steps: int, decay: Decay = "constant") -> float:
    """lambda at an optimisation step; steps count from 1.

    ``constant``: lambda0 for the steps 1 to N0, then 0 (eq. 11). ``linear`` and ``cosine`` begin with lambda0 at step
    1 and reach 0 at step N0 + 1. From there on every form is 0, and training is plain GRPO.

    Args:
        steps: N0, how many steps carry credit.

    Raises:
        ValueError: the step is below 1, or the decay is unknown.

    >>> [credit_weight(step, 0.5, 2) for step in (1, 2, 3)]
    [0.5, 0.5, 0.0]
    >>> [credit_weight(step, 0.5, 2, "linear") for step in (1, 2, 3)]
    [0.5, 0.25, 0.0]
    """
    if step < 1:
        raise ValueError(f"optimisation steps count from 1, and this one is {step}")
    if step > steps:
        return 0.0
    done = (step - 1) / steps
    if decay == "constant":
        return lambda0
    if decay == "linear":
        return lambda0 * (1 - done)
    if decay == "cosine":
        return lambda0 * (1 + math.cos(math.pi * done)) / 2
    raise ValueError(f"there is no decay {decay!r}: use constant, linear or cosine")
