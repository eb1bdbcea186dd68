from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from semifactual.policy.local import LocalPolicy
from semifactual.policy.policy import Request, Response, Sampling, StopReason
from semifactual.train import records
from semifactual.train.loop import Ended
from semifactual.train.recipe_loading import merged
from semifactual.train.reward import RewardError
from semifactual.train.watching import Nobody
from tests.train.conftest import Done, RunRecipe

OFF = {"credit": {"enabled": False}}


def weights(done: Done, step: int = 4) -> bytes:
    return (done.out / "checkpoints" / f"step-{step}" / "model.safetensors").read_bytes()


def test_a_run_writes_a_line_a_step_and_a_checkpoint_at_the_end(run_recipe: RunRecipe) -> None:
    done = run_recipe()
    assert done.ended is Ended.DONE
    assert [(line["step"], line["rollout"]) for line in done.metrics] == [(1, 0), (2, 0), (3, 1), (4, 1)]
    assert ["drift/mean" in line for line in done.metrics] == [True, False, False, False]
    assert [line["credit/lambda"] for line in done.metrics] == [0.01, 0.01, 0.0, 0.0]
    assert [path.name for path in (done.out / "checkpoints").iterdir()] == ["step-4"]
    assert json.dumps(done.metrics, allow_nan=False)


def test_every_key_that_is_written_is_documented(run_recipe: RunRecipe) -> None:
    options = {
        "rollout": {"dynamic_sampling": True, "max_rounds": 2},
        "reward": {"function": "tests.train.rewards:nan_for_short"},
    }
    done = run_recipe({**options, "reward": {"function": "tests.train.rewards:nan_for_short", "max_failed": 1.0}})
    documented = records.__doc__ or ""
    written = {key for line in done.metrics for key in line}
    for key in written:
        general = (
            key.rpartition("/")[0] + "/KIND" if key.startswith(("drift/kind/", "drift/noise/", "drift/idle/")) else key
        )
        last = f"``/{key.rpartition('/')[2]}``"
        assert f"``{general}``" in documented or last in documented, key
    assert {"group/rounds", "reward/failed", "warnings", "drift/idle/paraphrase"} <= written


def test_no_credit_and_lambda_zero_are_the_same_run_bit_for_bit(run_recipe: RunRecipe) -> None:
    off = run_recipe(OFF, out="off")
    zero = run_recipe({"credit": {"lambda0": 0.0}}, out="zero")
    never = run_recipe({"credit": {"steps": 0, "lambda0": 1.0}}, out="never")
    assert weights(off) == weights(zero) == weights(never)
    assert off.comparable == zero.comparable == never.comparable
    assert weights(run_recipe({"credit": {"lambda0": 0.5}}, out="credited")) != weights(off)


def test_after_its_steps_a_credited_run_costs_nothing(run_recipe: RunRecipe, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    logprobs = LocalPolicy.logprobs

    def counted(self: LocalPolicy, groups: Any, **how: Any) -> Any:
        calls.append(len(groups))
        return logprobs(self, groups, **how)

    monkeypatch.setattr(LocalPolicy, "logprobs", counted)
    run_recipe({"credit": {"steps": 3}, "steps": 8})
    assert calls == [4, 4]  # rollouts one and two, the second for its first step alone


@pytest.mark.parametrize("function", ["nan_for_short", "raising_for_short"])
def test_a_failed_reward_leaves_its_response_out(run_recipe: RunRecipe, function: str) -> None:
    done = run_recipe({"reward": {"function": f"tests.train.rewards:{function}", "max_failed": 0.9}, "steps": 2})
    (line, second) = done.metrics
    failed = line["reward/failed"]
    assert 0 < failed < 12
    assert line["tokens"] + second["tokens"] == 6 * (12 - failed)
    assert line["warnings"][0].startswith(f"{failed} of 12 rewards failed, the first with ")
    assert all(math.isfinite(value) for value in line.values() if isinstance(value, float))


def test_a_broken_reward_ends_the_run_and_the_last_checkpoint_stands(
    run_recipe: RunRecipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run_recipe({"steps": 8, "checkpoint": {"every": 2}}, out="whole")

    class Breaking(Nobody):
        def step(self, metrics: Any, steps: int) -> None:
            if metrics["step"] == 4:
                monkeypatch.setattr("tests.train.rewards.BROKEN", True)

    with pytest.raises(RewardError, match="12 of 12 rewards failed, the first with RuntimeError"):
        run_recipe({"steps": 8, "checkpoint": {"every": 2}}, watcher=Breaking())
    monkeypatch.undo()
    again = run_recipe({"steps": 8, "checkpoint": {"every": 2}})
    assert again.comparable == whole.comparable
    assert weights(again, 8) == weights(whole, 8)


def test_empty_responses_are_harmless(run_recipe: RunRecipe, monkeypatch: pytest.MonkeyPatch) -> None:
    generate = LocalPolicy.generate

    def some_empty(self: LocalPolicy, requests: Sequence[Request], sampling: Sampling) -> list[list[Response]]:
        found = generate(self, requests, sampling)
        return [[Response((), StopReason.EOS), *responses[1:]] for responses in found]

    monkeypatch.setattr(LocalPolicy, "generate", some_empty)
    done = run_recipe()
    assert done.metrics[0]["length/empty"] == pytest.approx(1 / 3)
    assert done.metrics[0]["tokens"] == 2 * 2 * 6
    assert "drift/mean" in done.metrics[0]


def test_a_rollout_without_a_difference_changes_no_weight_but_for_decay(run_recipe: RunRecipe) -> None:
    options = {**OFF, "reward": {"function": "tests.train.rewards:equal"}, "optim": {"weight_decay": 0.0}}
    done = run_recipe(options)
    assert [line["group/uniform"] for line in done.metrics if "group/uniform" in line] == [1.0, 1.0]
    assert [(line["tokens"], line["tokens/learnt"], line["optim/grad_norm"]) for line in done.metrics] == [
        (36, 0, 0.0)
    ] * 4


def test_a_group_of_which_one_reward_is_left_has_no_advantage(run_recipe: RunRecipe) -> None:
    options = {"reward": {"function": "tests.train.rewards:only_once", "max_failed": 1.0}, "steps": 2}
    done = run_recipe(merged(OFF, options))
    assert all(line["advantage/abs"] == 0.0 for line in done.metrics if "advantage/abs" in line)


def test_masked_responses_leave_a_step_without_a_token(run_recipe: RunRecipe) -> None:
    done = run_recipe({"loss": {"mask_truncated": True}, "credit": {"truncated": "exclude"}})
    assert [line["tokens"] for line in done.metrics] == [0] * 4
    assert "advantage/mean" not in done.metrics[0]


def test_completions_hold_the_credit_of_every_token(run_recipe: RunRecipe) -> None:
    done = run_recipe({"log": {"completions_every": 2, "completions": 2}, "credit": {"lambda0": 0.5}})
    first, later = (
        pq.read_table(done.out / "completions" / f"step-00000{step}.parquet").to_pylist() for step in (1, 3)
    )
    assert len(first) == len(later) == 2 * 3
    for row in first:
        tokens = len(row["tokens"])
        assert [len(row[name]) for name in ("logps", "drift", "u", "credit")] == [tokens] * 4
        assert row["credit"] == pytest.approx([0.5 * u for u in row["u"]])
        assert max(row["u"]) <= 0 <= min(row["drift"])
        assert row["kind"] == "original" and row["prompt"].endswith(r"\boxed{}.")
    assert [row["credit"] for row in later] == [None] * 6


@pytest.mark.parametrize(
    "options",
    [
        {"credit": {"form": "signed"}},
        {"credit": {"source": "shuffle", "schedule": "cosine"}},
        {"credit": {"source": "counterfactual"}, "data": {"counterfactuals": 2}},
        {"credit": {"drift_floor": "auto", "aggregate": "magnitude", "sign": "all"}},
        {"rollout": {"prompts": "random_variant"}, "loss": {"prompt": "sampled"}},
        {"loss": {"advantage": "rloo", "aggregation": "seq-mean"}},
        {"loss": {"advantage": "dr_grpo", "aggregation": "constant"}},
        {"model": {"gradient_checkpointing": True}},
        {"model": {"autocast": "bfloat16"}},
        {"model": {"dtype": "bfloat16"}},
    ],
    ids=str,
)
def test_every_choice_trains(run_recipe: RunRecipe, options: dict[str, Any]) -> None:
    done = run_recipe(options)
    assert done.ended is Ended.DONE
    assert all(math.isfinite(line["loss"]) and math.isfinite(line["optim/grad_norm"]) for line in done.metrics)
    assert any(line["optim/grad_norm"] > 0 for line in done.metrics)


def test_gradient_checkpointing_changes_no_more_than_rounding(run_recipe: RunRecipe) -> None:
    plain = run_recipe(OFF, out="plain")
    saved = run_recipe(merged(OFF, {"model": {"gradient_checkpointing": True}}), out="saved")
    for one, other in zip(plain.comparable, saved.comparable, strict=True):
        assert one == pytest.approx(other, rel=1e-3, abs=1e-5)


def test_the_recipe_is_kept_resolved(run_recipe: RunRecipe, tmp_path: Path) -> None:
    done = run_recipe({"credit": {"form": "signed"}})
    text = (done.out / "recipe.yaml").read_text()
    assert "lambda0: 2.0" in text and "clip_high: 0.28" in text
