"""Bootstrap intervals over problems: whole problems are drawn anew, with all their responses and variants.

Every figure of a run is a ratio of two sums over problems (drift over tokens, contrast over problems that have the
kind), so that one array of numerators and one of denominators, [problem, figure], give all intervals in one pass, and
two figures, or two models on the same problems, are compared under the same draws.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
LEVEL = 0.95
_DRAWS_AT_ONCE = 1 << 21
"""How many problems are drawn in one block: memory stays flat whatever their number."""

Floats: TypeAlias = NDArray[np.float64]


def ratios(numerators: Floats, denominators: Floats) -> Floats:
    """sum over problems of the numerators over that of the denominators, a figure each; NaN where nothing counts."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(numerators.sum(axis=0) / denominators.sum(axis=0))


def ratio_intervals(
    numerators: Floats, denominators: Floats, *, resamples: int = RESAMPLES, seed: int = 0, level: float = LEVEL
) -> Floats:
    """Percentile intervals of `ratios`, as [figure, (low, high)].

    A draw that hits no problem in which a figure counts says nothing of it, and is left out for that figure. A single
    problem gives an interval of no width: it says nothing of other problems.

    Args:
        numerators: [problem, figure].
        denominators: [problem, figure], at least 0; 0 where a problem does not take part in a figure.
    """
    return _interval(_resampled(numerators, denominators, resamples, seed), level)


def paired_intervals(
    first: tuple[Floats, Floats],
    second: tuple[Floats, Floats],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = LEVEL,
) -> Floats:
    """Percentile intervals of the difference of two ratios on the same problems, second less first.

    Both sides, each numerators and denominators as in `ratio_intervals`, are drawn together, so that what makes a
    problem hard for both cancels.

    Raises:
        ValueError: the two sides have different numbers of problems or figures.
    """
    if first[0].shape != second[0].shape:
        raise ValueError(f"paired figures need the same problems: {first[0].shape} and {second[0].shape}")
    figures = first[0].shape[1]
    both = _resampled(np.hstack([first[0], second[0]]), np.hstack([first[1], second[1]]), resamples, seed)
    return _interval(both[:, figures:] - both[:, :figures], level)


def _resampled(numerators: Floats, denominators: Floats, resamples: int, seed: int) -> Floats:
    """The ratios under each draw, as [draw, figure]."""
    problems = len(numerators)
    generator = np.random.default_rng(seed)
    block = max(1, _DRAWS_AT_ONCE // max(1, problems))
    drawn = []
    for start in range(0, resamples, block):
        draws = min(block, resamples - start)
        # How often each problem was drawn: counting is one pass, and two products of matrices then sum every figure.
        picks = generator.integers(0, problems, (draws, problems)) + problems * np.arange(draws)[:, None]
        times = np.bincount(picks.ravel(), minlength=draws * problems).reshape(draws, problems).astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn.append((times @ numerators) / (times @ denominators))
    return np.concatenate(drawn)


def _interval(drawn: Floats, level: float) -> Floats:
    """The middle `level` of what was drawn, a row each figure; NaN where nothing was."""
    outside = (1 - level) / 2
    interval = np.full((drawn.shape[1], 2), np.nan)
    seen = ~np.isnan(drawn).all(axis=0)
    if seen.any():
        interval[seen] = np.nanquantile(drawn[:, seen], [outside, 1 - outside], axis=0).T
    return interval
