from __future__ import annotations

from dataclasses import replace

import pytest

from semifactual.train.credit import Credited
from semifactual.train.reward import Earned
from semifactual.train.rollout import Rollout
from semifactual.train.telemetry import rollout_metrics, rollout_warnings
from tests.train.rollouts import completion, prompts, rollout


def test_a_rollout_by_hand() -> None:
    members = (
        completion(0, 0, 1.0, tokens=4),
        completion(0, 1, 0.0, tokens=8, truncated=True),
        completion(1, 0, 0.0, tokens=0),
        replace(completion(1, 1, float("nan"), tokens=4), earned=Earned(float("nan"), error="boom")),
        replace(completion(2, 0, 1.0, tokens=4), earned=Earned(1.0, True, timed_out=True), reward=0.5),
        completion(2, 1, 0.5, tokens=4),
    )
    made = Rollout(tuple(prompts(number) for number in range(3)), members, rounds=2, generated=6)
    found = rollout_metrics(made, dynamic=True)
    assert found["reward/mean"] == pytest.approx((1 + 0 + 0 + 0.5 + 0.5) / 5)
    assert found["reward/accuracy"] == pytest.approx(2 / 6)
    assert (found["reward/timeouts"], found["reward/failed"]) == (1, 1)
    assert found["group/uniform"] == pytest.approx(2 / 3)  # the second has one reward left, the third two equal ones
    assert (found["length/mean"], found["length/max"]) == (4.0, 8)
    assert found["length/truncated"] == found["length/empty"] == pytest.approx(1 / 6)
    assert (found["group/rounds"], found["group/kept"]) == (2, 0.5)
    assert "group/rounds" not in rollout_metrics(made, dynamic=False)


def test_warnings() -> None:
    made = rollout([[1.0, float("nan")]])
    idle = Credited([], [], {}, ("typo_noise",))
    assert rollout_warnings(rollout([[1.0, 0.0]]), None) == []
    (hard,) = rollout_warnings(rollout([[0.0, 0.0], [0.0, 0.0]]), None)
    assert hard.startswith("no response was right")
    said = rollout_warnings(made, idle)
    assert said[0] == "1 of 2 rewards failed, the first with no reward"
    assert said[1].startswith("the drift of typo_noise is within three times its noise floor")
