from __future__ import annotations

import json
import math
from collections.abc import Iterator

import numpy as np
import pytest

from semifactual.answers import Verifier
from semifactual.drift.responses import FixedResponse
from semifactual.drift.scored import ScoredProblem, from_row
from semifactual.drift.scoring import Generation, Scorer
from semifactual.drift.taxonomy import Category
from semifactual.errors import SemifactualError
from semifactual.pipeline.records import to_json
from semifactual.pipeline.variants import VariantProblem
from semifactual.policy.policy import Sampling, StopReason
from semifactual.policy.sampling import response_seed
from tests.drift.fake_policy import FakePolicy, logp

TEMPLATE = "Q: {question}"
ADD = VariantProblem("add", "1+1?", "2", {}, (("typo_noise", "1 +1?"), ("paraphrase", "One plus one?")))
BARE = VariantProblem("bare", "7?", "7", {}, ())
HALF = VariantProblem("half", "1/2?", "1/2", {}, (("paraphrase", "A half?"),))


@pytest.fixture(scope="module")
def verifier() -> Iterator[Verifier]:
    with Verifier() as made:
        yield made


def scorer(verifier: Verifier, policy: FakePolicy, **options: object) -> Scorer:
    generation = Generation(seed=5, samples=3, sampling=Sampling(max_new_tokens=20))
    return Scorer(policy, TEMPLATE, verifier, generation, **options)


def scored(row: dict[str, object]) -> list[ScoredProblem]:
    return [from_row(one) for one in json.loads(to_json(row))["problems"]]


def test_each_sample_has_the_seed_of_its_problem_and_number(verifier: Verifier) -> None:
    policy = FakePolicy()
    add, half = scored(scorer(verifier, policy).chunk([ADD, BARE, HALF]))
    assert [request.seeds for request in policy.generated] == [
        tuple(response_seed(5, problem.id, sample) for sample in range(3)) for problem in (ADD, HALF)
    ]
    assert [response.seed for response in half.responses] == [response_seed(5, "half", sample) for sample in range(3)]
    assert [response.sample for response in add.responses] == [0, 1, 2]


def test_the_prompts_are_the_template_around_each_text(verifier: Verifier) -> None:
    policy = FakePolicy()
    (add,) = scored(scorer(verifier, policy).chunk([ADD]))
    assert [policy.decode(prompt) for prompt in add.prompts] == ["Q: 1+1?", "Q: 1 +1?", "Q: One plus one?"]
    assert policy.generated[0].prompt_ids == add.prompts[0]


def test_the_tensor_holds_the_original_the_rewrites_and_the_identity_in_order(verifier: Verifier) -> None:
    (add,) = scored(scorer(verifier, FakePolicy()).chunk([ADD]))
    for response in add.responses:
        for row, prompt in zip(response.logps, (*add.prompts, add.prompts[0]), strict=True):
            ids = response.token_ids
            expected = [logp(prompt, ids[: place + 1]) for place in range(len(ids))]
            np.testing.assert_array_equal(row, np.array(expected, dtype=np.float32))


def test_answers_are_graded_by_the_last_box_alone(verifier: Verifier) -> None:
    given = {"half": tuple(FixedResponse(number, text, tuple(map(ord, text)), None) for number, text in enumerate(
        [r"\boxed{\frac{1}{2}}", "The answer is 0.5", r"\boxed{0.5}", r"\boxed{2}", r"\boxed{0.5"]
    ))}  # fmt: skip
    (half,) = scored(scorer(verifier, FakePolicy(), given=given).chunk([HALF]))
    assert [response.correct for response in half.responses] == [True, False, True, False, False]
    assert [response.answer for response in half.responses] == [r"\frac{1}{2}", None, "0.5", "2", None]
    assert [response.seed for response in half.responses] == [None] * 5


def test_responses_say_why_they_end(verifier: Verifier) -> None:
    policy = FakePolicy()
    short = Scorer(policy, TEMPLATE, verifier, Generation(0, 1, Sampling(max_new_tokens=4)))
    (add,) = scored(short.chunk([ADD]))
    assert [(one.stop, one.text) for one in add.responses] == [(StopReason.LENGTH, "ok \\")]
    (whole,) = scored(scorer(verifier, policy).chunk([ADD]))
    assert {one.stop for one in whole.responses} == {StopReason.EOS}


def test_special_tokens_are_no_words(verifier: Verifier) -> None:
    (add,) = scored(scorer(verifier, FakePolicy()).chunk([ADD]))
    last = add.responses[0]
    assert (last.tokens[-1], last.categories[-1]) == ("<end>", Category.OTHER)
    assert "<end>" not in last.text
    assert last.categories[:3] == (Category.WORD, Category.WORD, Category.WHITESPACE)


def test_nothing_to_score_asks_the_model_nothing(verifier: Verifier) -> None:
    policy = FakePolicy()
    assert scorer(verifier, policy).chunk([BARE])["problems"] == []
    assert scorer(verifier, policy, given={"other": ()}).chunk([ADD])["problems"] == []
    assert (policy.generated, policy.scored) == ([], [])


@pytest.mark.parametrize("broken", [math.nan, -math.inf])
def test_log_probs_that_are_no_numbers_end_the_run(verifier: Verifier, broken: float) -> None:
    with pytest.raises(SemifactualError, match="log-probs for problem 'add' are not finite numbers"):
        scorer(verifier, FakePolicy(broken=broken)).chunk([ADD])
