from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest

from semifactual.drift.measures import Figure, Measures, problem_drift
from semifactual.drift.scored import ScoredProblem
from semifactual.drift.taxonomy import CATEGORIES
from tests.drift.scored_problems import random_problem, scored

KINDS = ("paraphrase", "typo_noise", "scenario_wrap")
LN2, LN3 = math.log(2), math.log(3)


def measured(problems: list[ScoredProblem], kinds: tuple[str, ...] = KINDS) -> Measures:
    measures = Measures(kinds)
    for problem in problems:
        measures.add(problem, problem_drift(problem))
    return measures


def random_problems() -> list[ScoredProblem]:
    rng = np.random.default_rng(7)
    sets = [KINDS, KINDS[:2], ("typo_noise", "typo_noise", "paraphrase"), ("scenario_wrap",), KINDS * 2, KINDS]
    return [random_problem(rng, f"p{number}", kinds) for number, kinds in enumerate(sets)]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


class Naive:
    """All measures by plain loops over problems, responses, tokens and variants."""

    def __init__(self, problems: list[ScoredProblem]) -> None:
        self.drift: list[float] = []
        self.noise: list[float] = []
        self.of_kind: dict[str, list[float]] = defaultdict(list)
        self.noise_of_kind: dict[str, list[float]] = defaultdict(list)
        self.of_category: dict[str, list[float]] = defaultdict(list)
        self.of_both: dict[tuple[str, str], list[float]] = defaultdict(list)
        self.posix: list[float] = []
        self.posix_of_kind: dict[str, list[float]] = defaultdict(list)
        self.contrast_of_kind: dict[str, list[float]] = defaultdict(list)
        for problem in problems:
            self.add(problem)

    def add(self, problem: ScoredProblem) -> None:
        kinds = sorted(set(problem.kinds))
        moves: dict[str, list[float]] = defaultdict(list)
        sizes: dict[str, list[float]] = defaultdict(list)
        for response in problem.responses:
            table = [[float(value) for value in row] for row in response.logps]
            for place, category in enumerate(response.categories):
                by_kind = {}
                for kind in kinds:
                    values = [
                        2 * math.tanh(abs(table[0][place] - table[1 + number][place]) / 2)
                        for number, one in enumerate(problem.kinds)
                        if one == kind
                    ]
                    by_kind[kind] = mean(values)
                    self.of_kind[kind].append(by_kind[kind])
                    self.of_both[kind, category.value].append(by_kind[kind])
                noise = 2 * math.tanh(abs(table[0][place] - table[-1][place]) / 2)
                self.noise.append(noise)
                for kind in kinds:
                    self.noise_of_kind[kind].append(noise)
                self.drift.append(mean(list(by_kind.values())))
                self.of_category[category.value].append(self.drift[-1])
            for kind in kinds:
                shifts = [
                    mean([a - b for a, b in zip(table[0], table[1 + number], strict=True)])
                    for number, one in enumerate(problem.kinds)
                    if one == kind
                ]
                moves[kind].append(mean(shifts))
                sizes[kind].append(mean(list(map(abs, shifts))))
        for kind in kinds:
            self.posix_of_kind[kind].append(mean(sizes[kind]))
            self.contrast_of_kind[kind].append(mean(moves[kind]))
        self.posix.append(mean([mean(sizes[kind]) for kind in kinds]))


def test_every_measure_is_that_of_plain_loops() -> None:
    problems = random_problems()
    naive, measures = Naive(problems), measured(problems)
    figures = measures.figures(resamples=100, seed=0)
    assert figures.drift.value == pytest.approx(mean(naive.drift), rel=1e-12)
    assert figures.posix.value == pytest.approx(mean(naive.posix), rel=1e-12)
    assert measures.drift.tokens == len(naive.drift)
    assert measures.drift.zeros == sum(value == 0 for value in naive.drift)
    for number, kind in enumerate(KINDS):
        assert figures.kind_drift[number].value == pytest.approx(mean(naive.of_kind[kind]), rel=1e-12)
        assert figures.kind_posix[number].value == pytest.approx(mean(naive.posix_of_kind[kind]), rel=1e-12)
        assert figures.kind_contrast[number].value == pytest.approx(mean(naive.contrast_of_kind[kind]), rel=1e-12)
        assert measures.noise_floor(number) == pytest.approx(mean(naive.noise_of_kind[kind]), rel=1e-12)
        for place, category in enumerate(CATEGORIES):
            found = naive.of_both[kind, category.value]
            assert measures.category_tokens[number, place] == len(found)
            assert measures.category_drift[number, place] == pytest.approx(sum(found), rel=1e-12)
    for place, category in enumerate(CATEGORIES):
        found = naive.of_category[category.value]
        assert measures.of_category[place] == len(found)
        if found:
            assert figures.category_drift[place].value == pytest.approx(mean(found), rel=1e-12)
    assert measures.noise_sum / measures.noise.tokens == pytest.approx(mean(naive.noise), rel=1e-12)
    assert measures.noise_max == pytest.approx(max(naive.noise), rel=1e-12)


def test_drift_posix_and_contrast_by_hand() -> None:
    # One response of two tokens: the first is twice as probable under the rewrite, the second a third as probable.
    found = problem_drift(scored([[[-2.0, -1.0], [-2.0 + LN2, -1.0 - LN3], [-2.0, -1.0]]], ["typo_noise"]))
    np.testing.assert_allclose(found.by_kind, [[2 / 3, 1.0]], rtol=1e-6)  # (2 - 1) / 1.5 and (3 - 1) / 2
    np.testing.assert_allclose(found.contrast, [[(LN3 - LN2) / 2]], rtol=1e-6)
    np.testing.assert_allclose(found.posix, [[(LN3 - LN2) / 2]], rtol=1e-6)
    assert found.noise.tolist() == [0.0, 0.0]


def test_shifts_that_cancel_leave_posix_small_and_drift_large() -> None:
    found = problem_drift(scored([[[-2.0, -2.0], [-2.0 + LN2, -2.0 - LN2], [-2.0, -2.0]]], ["typo_noise"]))
    np.testing.assert_allclose(found.posix, [[0.0]], atol=1e-7)
    np.testing.assert_allclose(found.by_kind, [[2 / 3, 2 / 3]], rtol=1e-6)


def test_posix_takes_sizes_before_rewrites_and_kinds_are_averaged() -> None:
    up, down = [-1.0 + LN2], [-1.0 - LN2]
    twice = problem_drift(scored([[[-1.0], up, down, [-1.0]]], ["typo_noise", "typo_noise"]))
    np.testing.assert_allclose(twice.posix, [[LN2]], rtol=1e-6)
    np.testing.assert_allclose(twice.contrast, [[0.0]], atol=1e-7)


def test_a_kind_that_occurs_twice_counts_once() -> None:
    still, moved = [-1.0], [-1.0 + LN3]
    found = problem_drift(scored([[[-1.0], moved, moved, still, [-1.0]]], ["typo_noise", "typo_noise", "paraphrase"]))
    assert found.kinds == ("typo_noise", "paraphrase")
    np.testing.assert_allclose(found.mean, [0.5], rtol=1e-6)  # (1 + 0) / 2, not (1 + 1 + 0) / 3


def test_a_problem_without_a_kind_leaves_that_kind_alone() -> None:
    moved, still = scored([[[-1.0], [-1.0 + LN3], [-1.0]]], ["paraphrase"]), [[[-1.0], [-1.0], [-1.0]]]
    figures = measured([moved, scored(still, ["typo_noise"])]).figures(resamples=100, seed=0)
    assert figures.kind_drift[0].value == pytest.approx(1.0)
    assert figures.kind_drift[1].value == 0.0
    assert math.isnan(figures.kind_drift[2].value)
    assert figures.drift.value == pytest.approx(0.5)


def test_drift_is_averaged_over_tokens_and_posix_over_problems() -> None:
    long = scored([[[-1.0] * 9, [-1.0] * 9, [-1.0] * 9]], ["paraphrase"], id="long")
    short = scored([[[-1.0], [-1.0 + LN3], [-1.0]]], ["paraphrase"], id="short")
    figures = measured([long, short]).figures(resamples=100, seed=0)
    assert figures.drift.value == pytest.approx(0.1)
    assert figures.posix.value == pytest.approx(LN3 / 2)


def test_accuracy_is_a_mean_over_problems() -> None:
    still = [[-1.0], [-1.0], [-1.0]]
    problems = [
        scored([still] * 4, ["paraphrase"], id="a", correct=[True, False, False, False]),
        scored([still], ["paraphrase"], id="b", correct=[True]),
    ]
    assert measured(problems).figures(resamples=100, seed=0).accuracy.value == pytest.approx(0.625)


def test_one_problem_has_no_interval() -> None:
    figures = measured(random_problems()[:1]).figures(resamples=100, seed=0)
    assert math.isnan(figures.drift.low) and math.isnan(figures.drift.high)
    both = measured(random_problems()).figures(resamples=100, seed=0)
    assert isinstance(both.drift, Figure)
    assert both.drift.low < both.drift.value < both.drift.high


def test_the_most_drifting_tokens_come_first_with_their_context() -> None:
    rows = [[[-1.0, -1.0, -1.0], [-1.0, -1.0 + LN3, -1.0 + LN2], [-1.0, -1.0, -1.0]]]
    top = measured([scored(rows, ["typo_noise"])]).top.to_json()
    assert [(one["position"], one["token"]) for one in top] == [(1, " and"), (2, " apples")]
    first = top[0]
    assert (first["before"], first["after"], first["category"]) == ("Wait", " apples", "discourse connective")
    assert first["drift"] == pytest.approx(1.0)
    assert first["by_kind"] == pytest.approx({"typo_noise": 1.0})


def test_of_many_tokens_the_most_drifting_are_kept() -> None:
    rng = np.random.default_rng(1)
    problems = [random_problem(rng, f"p{number}", KINDS) for number in range(60)]
    top = [one["drift"] for one in measured(problems).top.to_json()]
    assert len(top) == 50
    np.testing.assert_allclose(top, sorted(Naive(problems).drift, reverse=True)[:50], rtol=1e-12)
