"""How drift is spread over tokens: shares, quantiles and a histogram, counted in one pass in flat memory."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

TAILS = (0.1, 0.5, 1.0)
QUANTILES = (0.5, 0.9, 0.99)
EDGES = (0.0, *(float(f"{10 ** (quarter / 4):.4g}") for quarter in range(-28, 2)), 2.0)
"""Edges of the histogram: below 1e-7 one bin, then four to each power of ten, up to the most that drift can be."""

_DROPPED_BITS = 12
"""Of a float32's 23 bits of mantissa. Positive floats are ordered as their bits are, so counting them by their upper
bits gives every quantile to one part in 4,096, whatever the number of tokens."""
_CELLS = (int(np.float32(2.0).view(np.uint32)) >> _DROPPED_BITS) + 1


class Distribution:
    """Counts of drift values in [0, 2]."""

    def __init__(self) -> None:
        self.tokens = 0
        self.zeros = 0
        self._beyond = np.zeros(len(TAILS), dtype=np.int64)
        self._histogram = np.zeros(len(EDGES) - 1, dtype=np.int64)
        self._cells = np.zeros(_CELLS, dtype=np.int64)

    def add(self, drift: Floats) -> None:
        """Count the drift of some tokens."""
        self.tokens += drift.size
        self.zeros += int((drift == 0).sum())
        self._beyond += (drift[:, None] > np.array(TAILS)).sum(axis=0)
        self._histogram += np.histogram(drift, EDGES)[0]
        cells = drift.astype(np.float32).view(np.uint32) >> _DROPPED_BITS
        self._cells += np.bincount(cells, minlength=_CELLS)

    def quantile(self, share: float) -> float:
        """The smallest counted value that at least this share of the tokens does not exceed, to one part in 4,096."""
        reached = np.cumsum(self._cells)
        cell = int(np.searchsorted(reached, max(share * self.tokens, 1)))
        ends = np.array([cell << _DROPPED_BITS, (cell + 1) << _DROPPED_BITS], dtype=np.uint32).view(np.float32)
        return min(float(ends.mean()), 2.0) if cell else 0.0

    def to_json(self) -> dict[str, Any]:
        """Shares and counts; of no tokens, none."""
        known = self.tokens > 0
        return {
            "share_zero": self.zeros / self.tokens if known else None,
            "tail": {
                f"{tail:g}" if tail % 1 else f"{tail:.1f}": int(count) / self.tokens if known else None
                for tail, count in zip(TAILS, self._beyond, strict=True)
            },
            "quantiles": {f"{share:g}": self.quantile(share) if known else None for share in QUANTILES},
            "histogram": {"edges": list(EDGES), "counts": self._histogram.tolist()},
        }
