from __future__ import annotations

import json

import numpy as np

from semifactual.drift.scored import from_row, to_row
from semifactual.pipeline.records import to_json
from tests.drift.scored_problems import random_problem, scored


def test_a_journal_row_gives_back_every_bit() -> None:
    problem = random_problem(np.random.default_rng(0), "p", ("paraphrase", "typo_noise", "typo_noise"))
    back = from_row(json.loads(to_json(to_row(problem))))
    for one, other in zip(problem.responses, back.responses, strict=True):
        assert one.logps.tobytes() == other.logps.tobytes()
        assert other.logps.dtype == np.float32
        assert (one.tokens, one.categories, one.token_ids) == (other.tokens, other.categories, other.token_ids)
    assert to_json(to_row(back)) == to_json(to_row(problem))


def test_odd_floats_survive_the_journal() -> None:
    odd = [-0.0, -1e-45, -3.4e38, -np.inf, np.float32(-0.1)]
    problem = scored([[odd, odd, odd]], ["paraphrase"])
    back = from_row(json.loads(to_json(to_row(problem))))
    assert back.responses[0].logps.tobytes() == problem.responses[0].logps.tobytes()


def test_variants_are_named_and_counted_within_their_kind() -> None:
    problem = scored([[[-1.0]] * 5], ["typo_noise", "paraphrase", "typo_noise"])
    assert [(kind, number) for kind, number, _ in problem.variants()] == [
        ("original", 0),
        ("typo_noise", 0),
        ("paraphrase", 0),
        ("typo_noise", 1),
        ("identity", 0),
    ]
    assert [prompt for _, _, prompt in problem.variants()] == [*problem.prompts, problem.prompts[0]]
