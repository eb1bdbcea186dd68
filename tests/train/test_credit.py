from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from semifactual.errors import ConfigError
from semifactual.train.credit import Credited, token_credit
from semifactual.train.probe import Probed
from semifactual.train.recipe import CreditRecipe
from semifactual.train.rollout import Rollout
from tests.train.rollouts import completion, rollout


def probed(original: Sequence[float], *variants: Sequence[float], kinds: Sequence[str], noise: float = 0.0) -> Probed:
    """A response by its probabilities under each prompt."""
    logps = np.log(np.array([original, *variants], dtype=np.float32))
    return Probed(tuple(kinds), logps, logps[0] + np.float32(noise))


def hand_worked() -> tuple[Rollout, list[Probed]]:
    """One group of two responses of three tokens; the kind "b" is the same as "a" but for the first token."""
    kinds = ("a", "b")
    first = probed([0.5, 0.5, 0.5], [0.25, 0.5, 0.5], [0.5, 0.5, 0.5], kinds=kinds)
    second = probed([0.5, 0.5, 0.5], [0.5, 0.5, 0.25], [0.5, 0.5, 0.25], kinds=kinds)
    return rollout([[1.0, 0.0]], kinds=kinds), [first, second]


def credit(recipe: dict[str, Any], made: Rollout, found: Sequence[Probed], seed: int = 0) -> Credited:
    return token_credit(CreditRecipe.model_validate(recipe), made, found, seed)


def flat(found: Credited) -> np.ndarray:
    return np.concatenate([np.asarray(u) for u in found.u])


def test_the_published_credit_by_hand() -> None:
    # d = |p0 - pk| / mean(p0, pk) = 0.25/0.375 = 2/3 where it moves: kind a moves tokens 1 and 6, kind b token 6 alone.
    # zscore(-d_a): the mean is -2/9; -4/9 twice and 2/9 four times depart from it; std sqrt((2*16 + 4*4)/(6*81)) =
    # 0.31427; so -1.41421 and 0.70711. zscore(-d_b): the mean is -1/9; -5/9 once and 1/9 five times; std
    # sqrt((25 + 5)/(6*81)) = 0.24845; so -2.23607 and 0.44721. Mean over kinds: token 1 -0.48350, token 6 -1.82514, the
    # others 0.57716. Its mean is 0, its variance (0.48350^2 + 1.82514^2 + 4*0.57716^2)/6 = 0.81623, std 0.90346, so
    # u^- is -0.53517 for token 1, -2.02018 for token 6 and 0 for the others.
    made, found = hand_worked()
    u = flat(credit({}, made, found))
    np.testing.assert_allclose(u, [-0.53517, 0, 0, 0, 0, -2.02018], atol=2e-5)


def test_the_signed_credit_by_hand() -> None:
    # ds = (p0 - pk)/mean = 2/3 where p0 > pk; averaged over the kinds, without z-scores.
    made, found = hand_worked()
    u = flat(credit({"form": "signed"}, made, found))
    np.testing.assert_allclose(u, [-1 / 3, 0, 0, 0, 0, -2 / 3], atol=1e-6)
    risen = [replace(found[0], logps=found[0].logps[[1, 0, 2]]), found[1]]  # p0 < pk costs nothing
    assert flat(credit({"form": "signed"}, made, risen))[0] == 0.0


def test_drift_and_noise_are_told_by_kind() -> None:
    made, found = hand_worked()
    noisy = [replace(entry, identity=entry.logps[0] + np.float32(0.25)) for entry in found]
    metrics = credit({}, made, noisy).metrics
    floor = 2 * np.tanh(0.125)
    assert metrics["drift/mean"] == pytest.approx((1 / 3 + 2 / 3) / 6, abs=1e-6)
    assert metrics["drift/kind/a"] == pytest.approx(2 / 9, abs=1e-6)
    assert metrics["drift/kind/b"] == pytest.approx(1 / 9, abs=1e-6)
    assert metrics["drift/noise/a"] == metrics["drift/noise/b"] == pytest.approx(floor, abs=1e-6)
    assert metrics["drift/zero"] == pytest.approx(4 / 6)
    assert metrics["credit/share"] == pytest.approx(2 / 6)
    assert metrics["credit/mass"] == pytest.approx((0.53517 + 2.02018) / 6, abs=1e-5)
    assert credit({}, made, noisy).idle == ("a", "b")
    assert credit({}, made, found).idle == ()


def test_an_idle_kind_loses_its_vote_below_the_floor() -> None:
    made, found = hand_worked()
    silent = [replace(entry, logps=entry.logps[[0, 1, 0]]) for entry in found]  # kind b moves nothing
    alone = [Probed(("a",), entry.logps[:2], entry.identity) for entry in found]
    noise = np.array([[1e-4, -1e-4, 0.0], [0.0, 1e-4, -1e-4]], dtype=np.float32)
    noisy = []
    for entry, moved in zip(silent, noise, strict=True):
        logps = entry.logps.copy()
        logps[2] += moved
        noisy.append(replace(entry, logps=logps))
    expected = flat(credit({}, rollout([[1.0, 0.0]], kinds=("a",)), alone))
    floored = flat(credit({"drift_floor": 1e-3}, made, noisy))
    np.testing.assert_allclose(floored, expected, atol=1e-5)
    assert np.abs(flat(credit({}, made, noisy)) - expected).max() > 0.1  # without it rounding has half of the votes


@pytest.mark.parametrize("form", ["scapo", "signed"])
def test_the_automatic_floor_leaves_an_idle_kind_no_vote(form: str) -> None:
    """The rounding of an idle kind is above its mean on half of the tokens; none of them may count."""
    made, found = hand_worked()
    noise = np.array([[3e-4, -1e-4, 0.0], [0.0, 1e-4, 3e-4]], dtype=np.float32)
    noisy = []
    for entry, moved in zip(found, noise, strict=True):
        idle = entry.logps[0] - moved  # kind b moves by what the original itself does
        noisy.append(replace(entry, logps=np.stack([*entry.logps[:2], idle]), identity=entry.logps[0] + moved))
    told = credit({"form": form, "drift_floor": "auto"}, made, noisy)
    silent = [replace(entry, logps=entry.logps[[0, 1, 0]]) for entry in noisy]
    np.testing.assert_allclose(flat(told), flat(credit({"form": form}, made, silent)), atol=1e-6)
    assert told.idle == ("b",)
    assert np.abs(flat(credit({"form": form}, made, noisy)) - flat(told)).max() > 1e-5


def test_several_rewrites_of_a_kind_are_averaged_before_the_kinds() -> None:
    made, found = hand_worked()
    twice = [Probed(("a", "b", "b"), entry.logps[[0, 1, 2, 2]], entry.identity) for entry in found]
    np.testing.assert_allclose(flat(credit({}, made, twice)), flat(credit({}, made, found)), atol=1e-6)


def test_a_missing_kind_is_left_out_of_the_mean() -> None:
    kinds = ("a", "b")
    first = probed([0.5, 0.5, 0.5], [0.25, 0.5, 0.5], kinds=("a",))
    second = probed([0.5, 0.5, 0.5], [0.5, 0.5, 0.25], [0.5, 0.25, 0.5], kinds=kinds)
    made = rollout([[1.0], [0.0]], kinds=kinds)
    u = flat(credit({"form": "signed"}, made, [first, second]))
    np.testing.assert_allclose(u, [-2 / 3, 0, 0, 0, -1 / 3, -1 / 3], atol=1e-6)


def test_the_shuffled_control_keeps_each_responses_credits() -> None:
    made, found = hand_worked()
    plain, shuffled = credit({}, made, found), credit({"source": "shuffle"}, made, found, seed=1)
    for one, other in zip(plain.u, shuffled.u, strict=True):
        np.testing.assert_array_equal(np.sort(np.asarray(one)), np.sort(np.asarray(other)))
    assert not np.array_equal(flat(plain), flat(shuffled))
    np.testing.assert_array_equal(flat(shuffled), flat(credit({"source": "shuffle"}, made, found, seed=1)))


@pytest.mark.parametrize(("choice", "charged"), [("keep", True), ("drop", False)])
def test_groups_with_equal_rewards(choice: str, charged: bool) -> None:
    _, found = hand_worked()
    u = flat(credit({"on_uniform_groups": choice}, rollout([[1.0, 1.0]]), found))
    assert bool(np.any(u)) is charged


def test_truncated_unrewarded_and_empty_responses_stay_out() -> None:
    made, found = hand_worked()
    others = (
        completion(0, 2, 1.0, truncated=True),
        completion(0, 3, float("nan")),
        completion(0, 4, 0.0, tokens=0),
    )
    more = replace(made, completions=(*made.completions, *others))
    wild = probed([0.9, 0.9, 0.9], [0.1, 0.1, 0.1], [0.1, 0.1, 0.1], kinds=("a", "b"))
    empty = Probed(("a", "b"), np.zeros((3, 0), dtype=np.float32), np.zeros(0, dtype=np.float32))
    result = credit({}, more, [*found, wild, wild, empty])
    assert result.u[2:] == [None, None, None]
    np.testing.assert_array_equal(np.concatenate(result.u[:2]), flat(credit({}, made, found)))
    assert credit({"truncated": "include"}, more, [*found, wild, wild, empty]).u[2] is not None


def test_a_rollout_without_variants_has_no_credit() -> None:
    made = rollout([[1.0, 0.0]], kinds=())
    result = credit({}, made, [probed([0.5, 0.5, 0.5], kinds=()) for _ in range(2)])
    assert (result.u, result.metrics) == ([None, None], {})


def half(**given: torch.Tensor) -> torch.Tensor:
    """A credit of one's own: -1/2 for every token of the first response."""
    assert given["present"].shape == given["logp_variants"].shape
    assert given["rewards"].tolist() == [1.0, 0.0]
    assert given["group"].tolist() == [0] * 6
    return torch.where(given["response"] == 0, -0.5, 0.0)


def wrong(**given: torch.Tensor) -> torch.Tensor:
    """A credit of one's own that forgets a token."""
    return given["logp_original"][1:]


def test_a_credit_of_ones_own() -> None:
    made, found = hand_worked()
    u = flat(credit({"function": "tests.train.test_credit:half"}, made, found))
    np.testing.assert_array_equal(u, [-0.5, -0.5, -0.5, 0, 0, 0])


def test_a_credit_of_ones_own_must_fit() -> None:
    made, found = hand_worked()
    with pytest.raises(ConfigError, match="one finite number for each of 6 tokens"):
        credit({"function": "tests.train.test_credit:wrong"}, made, found)
