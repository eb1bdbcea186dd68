"""The measures of a run, added up problem by problem: drift, one-sided POSIX, contrast, noise floor, categories.

Averages run over the kinds that a problem has, and a kind that occurs several times in a problem counts once: its
rewrites are averaged first. Drift is averaged over tokens, as the paper does; POSIX and contrast, which are properties
of responses, first over the responses of a problem and then over problems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from semifactual.drift.bootstrap import ratio_intervals, ratios
from semifactual.drift.distribution import Distribution
from semifactual.drift.scored import ScoredProblem, concatenated
from semifactual.drift.taxonomy import CATEGORIES
from semifactual.drift.top_tokens import TopTokens
from semifactual.tensor.drift import drift, signed_contrast

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ProblemDrift:
    """Drift of the tokens of all responses to one problem, end to end."""

    kinds: tuple[str, ...]
    """The kinds that the problem has, each once."""
    by_kind: Floats
    """[kind, token]: d (eq. 1, 6), averaged over the rewrites of a kind."""
    mean: Floats
    """[token]: averaged over the kinds."""
    noise: Floats
    """[token]: between the original and the identity, where only arithmetic differs."""
    contrast: Floats
    """[kind, response]: mean_t (log p0 - log pk), averaged over the rewrites of a kind."""
    posix: Floats
    """[kind, response]: |mean_t (log p0 - log pk)|, averaged likewise."""
    response: Ints
    """[token]: the number of its response."""


def problem_drift(problem: ScoredProblem) -> ProblemDrift:
    """The drift of a scored problem, from log-probs in float32 that are compared in float64."""
    logps, response = concatenated(problem.responses)
    tensor = torch.from_numpy(logps).double()
    original, variants, identity = tensor[0], tensor[1:-1], tensor[-1]
    contrast = signed_contrast(original, variants, torch.from_numpy(response), len(problem.responses))
    kinds = tuple(dict.fromkeys(problem.kinds))
    by_kind = _by_kind(drift(original, variants).numpy(), problem.kinds, kinds)
    return ProblemDrift(
        kinds=kinds,
        by_kind=by_kind,
        mean=by_kind.mean(axis=0),
        noise=drift(original, identity).numpy(),
        contrast=_by_kind(contrast.numpy(), problem.kinds, kinds),
        posix=_by_kind(contrast.abs().numpy(), problem.kinds, kinds),
        response=response,
    )


def _by_kind(values: Floats, of_variant: Sequence[str], kinds: Sequence[str]) -> Floats:
    """From rows a variant to rows a kind, the mean of its variants."""
    rows = ([number for number, one in enumerate(of_variant) if one == kind] for kind in kinds)
    return np.stack([values[row].mean(axis=0) for row in rows])


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean with its bootstrap interval over problems; NaN where there is none."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Figures:
    """All that has an interval. Lists go by kind or by category, in the order of `Measures`."""

    drift: Figure
    posix: Figure
    accuracy: Figure
    kind_drift: tuple[Figure, ...]
    kind_posix: tuple[Figure, ...]
    kind_contrast: tuple[Figure, ...]
    category_drift: tuple[Figure, ...]


class Measures:
    """Sums over the problems that were added, in memory that grows with the problems but not with their tokens."""

    def __init__(self, kinds: Sequence[str]) -> None:
        self.kinds = tuple(kinds)
        self.drift = Distribution()
        self.noise = Distribution()
        self.noise_sum = self.noise_max = 0.0
        self.by_kind = {kind: Distribution() for kind in self.kinds}
        self.kind_noise = np.zeros(len(self.kinds))
        """[kind]: noise summed over the tokens whose problems have the kind."""
        self.kind_problems = np.zeros(len(self.kinds), dtype=np.int64)
        self.kind_responses = np.zeros(len(self.kinds), dtype=np.int64)
        self.category_tokens = np.zeros((len(self.kinds), len(CATEGORIES)), dtype=np.int64)
        self.category_drift = np.zeros((len(self.kinds), len(CATEGORIES)))
        """[kind, category]: tokens, and drift summed over them."""
        self.of_category = np.zeros(len(CATEGORIES), dtype=np.int64)
        """[category]: tokens."""
        self.problems = self.responses = 0
        self.stops: dict[str | None, int] = {}
        self.top = TopTokens()
        self._sums: list[tuple[Floats, Floats]] = []

    def add(self, problem: ScoredProblem, found: ProblemDrift) -> None:
        """Count a problem, of which `found` is the drift."""
        number = {kind: self.kinds.index(kind) for kind in found.kinds}
        rows = list(number.values())
        categories = np.array([CATEGORIES.index(one) for response in problem.responses for one in response.categories])
        self.of_category += np.bincount(categories, minlength=len(CATEGORIES))
        self.problems += 1
        self.responses += len(problem.responses)
        for response in problem.responses:
            self.stops[response.stop] = self.stops.get(response.stop, 0) + 1
        self.drift.add(found.mean)
        self.noise.add(found.noise)
        self.noise_sum += float(found.noise.sum())
        self.noise_max = max(self.noise_max, float(found.noise.max()))
        self.kind_noise[rows] += found.noise.sum()
        self.kind_problems[rows] += 1
        self.kind_responses[rows] += len(problem.responses)
        for kind, of_kind in zip(found.kinds, found.by_kind, strict=True):
            self.by_kind[kind].add(of_kind)
            self.category_tokens[number[kind]] += np.bincount(categories, minlength=len(CATEGORIES))
            self.category_drift[number[kind]] += np.bincount(categories, of_kind, len(CATEGORIES))
        self.top.add(problem, found.mean, found.response, dict(zip(found.kinds, found.by_kind, strict=True)))
        self._sums.append(self._figures_of(problem, found, rows, categories))

    def _figures_of(
        self, problem: ScoredProblem, found: ProblemDrift, rows: list[int], categories: Ints
    ) -> tuple[Floats, Floats]:
        """A problem's numerators and denominators, in the order in which `figures` takes them apart."""
        tokens, absent = len(found.mean), np.zeros(len(self.kinds))
        per_kind = []
        for sums, weight in (
            (found.by_kind.sum(axis=1), tokens),
            (found.posix.mean(axis=1), 1),
            (found.contrast.mean(axis=1), 1),
        ):
            numerator, denominator = absent.copy(), absent.copy()
            numerator[rows], denominator[rows] = sums, weight
            per_kind.append((numerator, denominator))
        by_category = (
            np.bincount(categories, found.mean, len(CATEGORIES)),
            np.bincount(categories, minlength=len(CATEGORIES)).astype(np.float64),
        )
        single = (
            np.array([found.mean.sum(), found.posix.mean(), np.mean([one.correct for one in problem.responses])]),
            np.array([tokens, 1.0, 1.0]),
        )
        numerators, denominators = zip(single, *per_kind, by_category, strict=True)
        return np.concatenate(numerators), np.concatenate(denominators)

    def figures(self, *, resamples: int, seed: int) -> Figures:
        """Every mean with its interval, which a figure that fewer than two problems have has not."""
        numerators, denominators = (np.stack(side) for side in zip(*self._sums, strict=True))
        values = ratios(numerators, denominators)
        intervals = ratio_intervals(numerators, denominators, resamples=resamples, seed=seed)
        intervals[(denominators > 0).sum(axis=0) < 2] = np.nan
        found = [
            Figure(float(value), float(low), float(high)) for value, (low, high) in zip(values, intervals, strict=True)
        ]
        kinds = len(self.kinds)
        ends = [3, 3 + kinds, 3 + 2 * kinds, 3 + 3 * kinds]
        return Figures(
            drift=found[0],
            posix=found[1],
            accuracy=found[2],
            kind_drift=tuple(found[ends[0] : ends[1]]),
            kind_posix=tuple(found[ends[1] : ends[2]]),
            kind_contrast=tuple(found[ends[2] : ends[3]]),
            category_drift=tuple(found[ends[3] :]),
        )

    def noise_floor(self, kind: int) -> float:
        """The mean drift between the original and itself, over the tokens whose problems have the kind."""
        tokens = self.by_kind[self.kinds[kind]].tokens
        return float(self.kind_noise[kind]) / tokens if tokens else 0.0
