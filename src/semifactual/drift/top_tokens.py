"""The tokens that drift most in a run, each between its neighbours."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from itertools import count
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from semifactual.drift.scored import ScoredProblem

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

KEPT = 50
BEFORE, AFTER = 12, 6
"""Tokens of context on each side."""


class TopTokens:
    """Keeps the most drifting tokens of all that it has seen; of equals, the earlier."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._heap: list[tuple[float, int, dict[str, Any]]] = []
        self._order = count()

    def add(self, problem: ScoredProblem, mean: Floats, response: Ints, by_kind: Mapping[str, Floats]) -> None:
        """Look at the tokens of all responses to a problem, end to end; `response` numbers the response of each."""
        starts = np.searchsorted(response, np.arange(len(problem.responses)))
        for place in np.argsort(-mean, kind="stable")[: self._kept].tolist():
            full = len(self._heap) == self._kept
            if mean[place] <= (self._heap[0][0] if full else 0.0):
                return
            number = int(response[place])
            entry = _entry(problem, number, place - int(starts[number]), place, mean, by_kind)
            push = heapq.heappushpop if full else heapq.heappush
            push(self._heap, (float(mean[place]), -next(self._order), entry))

    def to_json(self) -> list[dict[str, Any]]:
        """The kept tokens, the most drifting first."""
        return [entry for _, _, entry in sorted(self._heap, key=lambda kept: kept[:2], reverse=True)]


def _entry(
    problem: ScoredProblem, number: int, position: int, place: int, mean: Floats, by_kind: Mapping[str, Floats]
) -> dict[str, Any]:
    response = problem.responses[number]
    return {
        "problem_id": problem.id,
        "sample": response.sample,
        "position": position,
        "token": response.tokens[position],
        "category": response.categories[position].value,
        "drift": float(mean[place]),
        "by_kind": {kind: float(drift[place]) for kind, drift in by_kind.items()},
        "before": "".join(response.tokens[max(0, position - BEFORE) : position]),
        "after": "".join(response.tokens[position + 1 : position + 1 + AFTER]),
    }
