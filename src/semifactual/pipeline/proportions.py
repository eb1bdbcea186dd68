"""A share that was counted, and how far from the true one it may be."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

Z_95 = 1.959964
"""The standard normal quantile that leaves 2.5 % above it."""


@dataclass(frozen=True, slots=True)
class Proportion:
    """So many of so many."""

    count: int
    of: int

    @property
    def share(self) -> float | None:
        """`count` of `of`; None where there is nothing to count."""
        return self.count / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson 95 % interval of the share."""
        return wilson(self.count, self.of)

    def to_json(self) -> dict[str, Any]:
        """Counts, share and interval; both are null where there is nothing to count."""
        interval = list(self.interval) if self.of else None
        return {"count": self.count, "of": self.of, "share": self.share, "interval": interval}


def wilson(successes: int, trials: int, z: float = Z_95) -> tuple[float, float]:
    """The Wilson score interval of a proportion, 95 % by default; all of [0, 1] without a trial.

    With p = successes / trials and n = trials, (p + z²/2n ± z √(p(1 - p)/n + z²/4n²)) / (1 + z²/n). It stays within
    [0, 1] and has a width where nothing, or everything, succeeded.

    >>> tuple(round(bound, 3) for bound in wilson(9, 10))
    (0.596, 0.982)
    """
    if not trials:
        return 0.0, 1.0
    share = successes / trials
    centre = share + z * z / (2 * trials)
    spread = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    low = (centre - spread) / scale if successes else 0.0
    high = (centre + spread) / scale if successes < trials else 1.0
    return low, high
