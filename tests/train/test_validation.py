from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from semifactual.pipeline.variants import AnsweredVariant, VariantProblem
from semifactual.policy.policy import Request, Response, Sampling, StopReason
from semifactual.train.distributed import Ranks
from semifactual.train.recipe import RewardRecipe
from semifactual.train.recipe_outputs import EvalSet
from semifactual.train.reward import Judge
from semifactual.train.validation import Validated, ValidationSet, validate


class Scripted:
    """Knows some prompts always, some half of the time, others never; the half by the order of the seeds."""

    def __init__(self, knows: dict[str, str]) -> None:
        self.knows = knows
        self.samplings: list[Sampling] = []
        self.seeds: list[tuple[int, ...]] = []

    def generate(self, requests: Sequence[Request], sampling: Sampling) -> list[list[Response]]:
        self.samplings.append(sampling)
        self.seeds += [request.seeds for request in requests]
        return [[self._response(request, place) for place in range(len(request.seeds))] for request in requests]

    def decode(self, token_ids: Sequence[int]) -> str:
        return bytes(token_ids).decode()

    def _response(self, request: Request, place: int) -> Response:
        text = bytes(request.prompt_ids).decode()
        answer = self.knows.get(text.removesuffix("/2"))
        if answer is None or (text.endswith("/2") and place % 2):
            return Response((63,), StopReason.LENGTH)
        return Response(tuple(rf"\boxed{{{answer}}}".encode()), StopReason.EOS)


def encode(text: str) -> tuple[int, ...]:
    return tuple(text.encode())


PROBLEMS = (
    VariantProblem(
        "a", "one", "1", {}, (("typo_noise", "onne"), ("paraphrase", "uno")), (AnsweredVariant("noop", "o", "7"),)
    ),
    VariantProblem("b", "two/2", "2", {}, (("typo_noise", "twwo"),)),
)
KNOWS = {"one": "1", "two": "2", "onne": "1", "o": "7"}


def measured(engine: Scripted, ranks: Ranks, **settings: object) -> dict[str, float]:
    chosen = EvalSet.model_validate({"source": "x", **settings})
    of = ValidationSet("v", chosen, PROBLEMS, frozenset({"typo_noise"}))
    with Judge(RewardRecipe()) as judge:
        return validate(of, engine, encode, judge, ranks, 99).metrics


def test_accuracy_by_kind_and_on_sealed_kinds() -> None:
    # one: always right; two: 2 of 4. typo_noise: onne right, twwo not. paraphrase: never. noop: right, as it wants it.
    found = measured(Scripted(KNOWS), Ranks(), samples=4, pass_at=[1, 2])
    assert found["v/accuracy"] == pytest.approx((1 + 0.5) / 2)
    assert found["v/accuracy/typo_noise"] == pytest.approx(0.5)
    assert found["v/accuracy/paraphrase"] == 0.0
    assert found["v/accuracy/noop"] == 1.0
    assert found["v/variants"] == pytest.approx((0.5 + 0 + 1) / 3)
    assert found["v/sealed"] == pytest.approx((0 + 1) / 2)
    # pass@2 of 2 right ones among 4: 1 - C(2, 2)/C(4, 2) = 5/6
    assert found["v/pass@1"] == pytest.approx(0.75)
    assert found["v/pass@2"] == pytest.approx((1 + 5 / 6) / 2)
    assert found["v/truncated"] == pytest.approx(2 / 8)
    assert found["v/problems"] == 2


def test_the_sets_own_sampling_is_used_and_every_prompt_has_seeds_of_its_own() -> None:
    engine = Scripted(KNOWS)
    measured(engine, Ranks(), samples=3, temperature=0.3, top_p=0.5)
    assert engine.samplings == [Sampling(0.3, 0.5, 99)]
    assert len({seed for seeds in engine.seeds for seed in seeds}) == 6 * 3
    again = Scripted(KNOWS)
    measured(again, Ranks(), samples=3, temperature=0.3, top_p=0.5, max_new_tokens=7)
    assert again.seeds == engine.seeds
    assert again.samplings[0].max_new_tokens == 7


def test_a_reward_that_raises_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def reward(problem: VariantProblem, response: str) -> float:
        if problem.text in raises:
            raise KeyError(problem.id)
        return 1.0

    monkeypatch.setattr("semifactual.train.reward.load_function", lambda path, what: reward)
    of = ValidationSet("v", EvalSet(source="x"), PROBLEMS, frozenset({"typo_noise"}))

    def found() -> Validated:
        with Judge(RewardRecipe(function="mine:reward")) as judge:
            return validate(of, Scripted(KNOWS), encode, judge, Ranks(), 99)

    raises = {"one", "onne", "twwo"}
    metrics = found().metrics
    assert metrics["v/accuracy"] == 0.5
    assert math.isnan(metrics["v/accuracy/typo_noise"])
    assert metrics["v/failed"] == 3 / 6
    assert found().warning.startswith("validation on v: 3 of 6 rewards failed, the first with KeyError")
    raises = set()
    assert found().warning == ""
    assert "v/failed" not in found().metrics


def test_shares_of_the_work_come_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    of = ValidationSet("v", EvalSet(source="x", samples=2), PROBLEMS, frozenset({"typo_noise"}))
    gathered: list[object] = []

    def gather(self: Ranks, items: Sequence[object]) -> list[object]:
        """Of two processes, the second of which comes later."""
        gathered.extend(items)
        return gathered

    with Judge(RewardRecipe()) as judge:
        whole = validate(of, Scripted(KNOWS), encode, judge, Ranks(), 99)
        monkeypatch.setattr(Ranks, "gather", gather)
        for rank in (0, 1):
            found = validate(of, Scripted(KNOWS), encode, judge, Ranks(rank, 2), 99)
    assert found == whole


def test_every_prompt_has_a_row() -> None:
    of = ValidationSet("v", EvalSet(source="x"), PROBLEMS, frozenset())
    with Judge(RewardRecipe()) as judge:
        rows = validate(of, Scripted(KNOWS), encode, judge, Ranks(), 99).rows
    assert [(row["problem_id"], row["number"], row["kind"]) for row in rows] == [
        ("a", 0, "original"),
        ("a", 1, "typo_noise"),
        ("a", 2, "paraphrase"),
        ("a", 3, "noop"),
        ("b", 0, "original"),
        ("b", 1, "typo_noise"),
    ]
