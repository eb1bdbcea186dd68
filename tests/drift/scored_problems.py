"""Scored problems made up for tests: no model, but every shape that one gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semifactual.drift.scored import ScoredProblem, ScoredResponse
from semifactual.drift.taxonomy import categorise

TEXTS = ("Wait", " and", " apples", ".", "\\frac", "12", "\n", "<|im_end|>", " =", " so")


def scored(
    rows: Sequence[Sequence[Sequence[float]]],
    kinds: Sequence[str],
    *,
    id: str = "p",
    correct: Sequence[bool] | None = None,
    stops: Sequence[str | None] | None = None,
) -> ScoredProblem:
    """A problem of which `rows[response][variant][token]` are the log-probs: the original first, the identity last."""
    return ScoredProblem(
        id=id,
        text=f"problem {id}",
        answer="1",
        kinds=tuple(kinds),
        rewrites=tuple(f"{kind} of {id}" for kind in kinds),
        prompts=tuple((1, 2, number) for number in range(len(kinds) + 1)),
        responses=tuple(
            _response(number, logps, correct, stops) for number, logps in enumerate(np.array(one) for one in rows)
        ),
    )


def _response(
    number: int, logps: np.ndarray, correct: Sequence[bool] | None, stops: Sequence[str | None] | None
) -> ScoredResponse:
    tokens = tuple(TEXTS[(number + place) % len(TEXTS)] for place in range(logps.shape[1]))
    return ScoredResponse(
        sample=number,
        seed=number,
        text="".join(tokens),
        token_ids=tuple(range(logps.shape[1])),
        stop=None if stops is None else stops[number],
        answer=None,
        correct=bool(correct[number]) if correct is not None else False,
        tokens=tokens,
        categories=tuple(map(categorise, tokens)),
        logps=logps.astype(np.float32),
    )


def random_problem(rng: np.random.Generator, id: str, kinds: Sequence[str]) -> ScoredProblem:
    """Some responses of some lengths under these kinds; a part of the tokens does not move."""
    rows = []
    for _ in range(int(rng.integers(1, 4))):
        length = int(rng.integers(1, 9))
        original = -rng.exponential(1.0, length)
        moves = rng.normal(0, 1, (len(kinds), length)) * (rng.random((len(kinds), length)) > 0.3)
        identity = original + rng.normal(0, 1e-6, length)
        rows.append([original, *(original + move for move in moves), identity])
    return scored(rows, kinds, id=id, correct=[bool(rng.random() > 0.5) for _ in rows])
