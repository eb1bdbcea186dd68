from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random

import pytest

from semifactual.errors import SemifactualError
from semifactual.interventions.registry import Rewriter
from semifactual.pipeline.config import AnswerBar
from semifactual.pipeline.rewriting import MAX_DRAFTS, Plan, rewrite_problem, row, seeded_random
from semifactual.text.document import Document
from semifactual.types import Draft, Problem


def test_two_of_four_drafts_are_valid_and_the_others_rejected_with_reasons(exclaim_kind: str, problem: Problem) -> None:
    attempts = rewrite_problem(problem, Plan((exclaim_kind,), per_kind=3, seed=0))
    assert sorted(entry["text"] for entry in attempts.accepted) == [problem.text + "!", problem.text + "!!"]
    assert {r["outcome"]: r["checks"] for r in attempts.rejected} == {
        "unsure": [{"name": "calm", "passed": None, "evidence": "three marks"}],
        "invalid": [{"name": "calm", "passed": False, "evidence": "4 marks"}],
    }
    assert attempts.missing == {"exclaim": 1}


def test_params_say_how_a_rewrite_was_made(exclaim_kind: str, problem: Problem) -> None:
    attempts = rewrite_problem(problem, Plan((exclaim_kind,), per_kind=2, seed=4))
    for index, entry in enumerate(attempts.accepted):
        marks = entry["text"].count("!")
        assert json.loads(entry["params"]) == {"marks": marks, "index": index, "seed": 4, "templates": {}}
        assert entry["checks"] == ["extends", "calm"]
        assert (entry["engine"], entry["answer_check"]) == ("rule", "unknown")


def test_a_row_repeats_itself_and_follows_its_seed(exclaim_kind: str) -> None:
    problems = [Problem(f"p:{n}", "Why?", "1", "hand") for n in range(30)]
    first, again, other = (
        [row(problem, Plan((exclaim_kind,), per_kind=1, seed=seed)) for problem in problems] for seed in (0, 0, 1)
    )
    assert first == again
    assert first != other


def test_the_seed_of_a_rewrite_is_fixed_for_ever() -> None:
    """A changed number here means that every dataset built before is built differently from now on."""
    assert seeded_random(0, "gsm8k:0", "typo_noise", 0).getrandbits(32) == 2067302952
    assert seeded_random(0, "a", "b", 0).random() != seeded_random(0, "a", "b", 1).random()


def test_an_answer_bar_that_is_not_met_is_a_named_failure(exclaim_kind: str, problem: Problem) -> None:
    attempts = rewrite_problem(problem, Plan((exclaim_kind,), per_kind=1, seed=0, bar=AnswerBar.REDERIVED))
    assert attempts.accepted == []
    assert all(r["checks"][-1]["name"] == "answer_check" for r in attempts.rejected)
    assert attempts.missing == {"exclaim": 1}


def test_a_rewriter_without_end_is_given_up(register: Callable[[Rewriter], str], problem: Problem) -> None:
    made = 0

    def endless(original: Document, rng: Random) -> Iterator[Draft]:
        nonlocal made
        while True:
            made += 1
            yield Draft("!" * (5 + made))

    attempts = rewrite_problem(problem, Plan((register(endless),), per_kind=1, seed=0))
    assert (made, len(attempts.rejected)) == (MAX_DRAFTS, MAX_DRAFTS)


def test_a_failing_rewriter_is_named_with_its_problem(register: Callable[[Rewriter], str], problem: Problem) -> None:
    def broken(original: Document, rng: Random) -> Iterator[Draft]:
        yield Draft(original.text[rng.randrange(1) + 10_000])

    with pytest.raises(SemifactualError, match="the kind 'broken' failed on problem 'p:1': IndexError"):
        rewrite_problem(problem, Plan((register(broken),), per_kind=1, seed=0))
