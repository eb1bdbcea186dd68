from __future__ import annotations

import math

import pytest

from semifactual.answers import Outcome, Verdict, Verifier
from semifactual.errors import ConfigError
from semifactual.pipeline.variants import VariantProblem
from semifactual.train.recipe import RewardRecipe
from semifactual.train.reward import Judge, RewardError, overlong_penalty, refuse_many_failures

PROBLEM = VariantProblem("p", "How many?", r"\frac{1}{2}", {}, ())


@pytest.mark.parametrize(
    ("response", "reward"),
    [
        (r"so \boxed{0.5}", 1.0),
        (r"so \boxed{0.25}", 0.0),
        ("the answer is 0.5", 0.0),
        (r"\boxed{0.5} or \boxed{", 0.0),
        ("", 0.0),
    ],
)
def test_a_right_boxed_answer_earns_one(response: str, reward: float) -> None:
    with Judge(RewardRecipe()) as judge:
        earned = judge.earned(PROBLEM, response)
    assert (earned.reward, earned.right, earned.timed_out, earned.error) == (reward, reward == 1, False, "")


def test_what_the_verifier_cannot_decide_in_time_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(self: Verifier, gold: str, answer: str) -> Verdict:
        return Verdict(Outcome.TIMED_OUT, "policy", "late", gold, answer)  # type: ignore[arg-type]

    monkeypatch.setattr(Verifier, "equivalent", late)
    with Judge(RewardRecipe()) as judge:
        earned = judge.earned(PROBLEM, r"\boxed{1}")
    assert (earned.reward, earned.timed_out) == (0.0, True)


def test_a_reward_of_ones_own() -> None:
    with Judge(RewardRecipe(function="tests.train.rewards:vowels")) as judge:
        assert judge.earned(PROBLEM, "xyz").reward == 0.0
        assert judge.earned(PROBLEM, "xaz").right


@pytest.mark.parametrize(
    ("function", "error"), [("nan_for_short", "the reward nan"), ("raising_for_short", "RuntimeError: no such answer")]
)
def test_a_reward_that_fails_is_none_and_says_why(function: str, error: str) -> None:
    with Judge(RewardRecipe(function=f"tests.train.rewards:{function}")) as judge:
        earned = judge.earned(PROBLEM, "123456")
    assert math.isnan(earned.reward)
    assert (earned.right, earned.error) == (False, error)


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("rewards", "no import path"),
        ("tests.train.rewards:missing", "AttributeError"),
        ("tests.train.absent:vowels", "ModuleNotFoundError"),
        ("tests.train.rewards:math", "cannot be called"),
    ],
)
def test_an_import_path_that_leads_nowhere(path: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        Judge(RewardRecipe(function=path))


def test_the_overlong_penalty_grows_over_the_buffer() -> None:
    # 100 tokens at most, 20 of them buffer: nothing up to 80, half of the factor at 90, all of it at 100
    assert [overlong_penalty(n, 100, 20, 0.5) for n in (0, 80, 90, 95, 100)] == [0.0, 0.0, -0.25, -0.375, -0.5]
    assert overlong_penalty(100, 100, 0, 1.0) == 0.0


def test_a_few_failures_pass_and_many_do_not() -> None:
    refuse_many_failures(["boom"], 20, 0.05)
    with pytest.raises(RewardError, match="2 of 20 rewards failed, the first with boom"):
        refuse_many_failures(["boom", "bang"], 20, 0.05)
