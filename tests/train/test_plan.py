from __future__ import annotations

import pytest

from semifactual.train.plan import plan_lines, plan_of, probe_cost
from semifactual.train.preflight import inspect, load_and_inspect
from semifactual.train.recipe_loading import load_recipe, shipped_recipes
from tests.train.conftest import MakeRecipe

HERE = {
    "qwen3-4b": ["data.source=builtin:word_problems?n=128", "eval.sets.aime.source=builtin:algebra?n=4"],
    "qwen3-1.7b": ["data.source=builtin:word_problems?n=128", "eval.sets.aime.source=builtin:algebra?n=4"],
}
"""In place of data that one builds first."""
SHORTER = ["data.source=builtin:word_problems?n=40&steps=1..2&max=20", "eval.sets.validation.limit=8"]


@pytest.mark.parametrize("name", shipped_recipes())
def test_every_shipped_recipe_is_dry_run(name: str) -> None:
    found = load_and_inspect(name, HERE.get(name, SHORTER), fetch=False)
    assert found.faults == []
    plan = plan_of(found, 1)
    assert plan["model"]["parameters"] > 0 and plan["memory"]["peak"] > 0
    assert plan["batches"]["rollouts"] == load_recipe(name).steps / 2
    assert (plan["probe"] is None) == (not found.recipe.credit.enabled)
    text = "\n".join(plan_lines(plan))
    for word in ("model", "data", "validation", "method", "batches", "memory", "probe"):
        assert f"\n{word} " in f"\n{text}"


@pytest.mark.parametrize(("name", "parameters"), [("qwen3-4b", 4_022_468_096), ("qwen3-1.7b", 1_720_574_976)])
def test_the_size_of_a_model_that_is_not_here(name: str, parameters: int) -> None:
    """As the model cards give them: 4.0 and 1.7 billion."""
    plan = plan_of(load_and_inspect(name, HERE[name], fetch=False), 8)
    assert plan["model"]["parameters"] == parameters
    assert plan["memory"]["weights"] == 4 * parameters
    assert plan["batches"]["responses_a_step"] == 512


def test_the_probes_cost_by_hand(make_recipe: MakeRecipe) -> None:
    # K = 4: the original, four variants and the identity are 6 passes, beside 1 to generate, 1 for the old log-probs
    # and 3 to update. Probed in 2 of 4 steps: 6/(6 + 5) of a probed step, 0.5*6/(0.5*6 + 5) of the run.
    found = inspect(make_recipe(), fetch=False)
    cost = probe_cost(found)
    assert cost is not None
    assert (cost["passes"], cost["other_passes"], cost["steps_probed"]) == (6, 5, 0.5)
    assert cost["share_probed"] == pytest.approx(6 / 11)
    assert cost["share_run"] == pytest.approx(3 / 8)


def test_the_method_is_stated(make_recipe: MakeRecipe) -> None:
    options = {"optim": {"lr": 5e-4}, "credit": {"lambda0": 0.1, "steps": 2}, "reward": {"function": None}}
    found = inspect(make_recipe(options), fetch=False)
    (line,) = [line for line in plan_lines(plan_of(found, 1)) if line.startswith("method")]
    assert "grpo advantages; credit scapo, lambda 0.1 in steps 1-2; lr 0.0005; reward: last boxed answer" in line
    off = plan_lines(plan_of(inspect(make_recipe({"credit": {"enabled": False}}), fetch=False), 1))
    assert any("; no credit;" in line for line in off)


def test_what_is_not_known_is_said(make_recipe: MakeRecipe) -> None:
    found = inspect(make_recipe({"model": {"name": "nobody/no-such-model"}, "credit": {"enabled": False}}), fetch=False)
    text = "\n".join(plan_lines(plan_of(found, 2)))
    assert "of unknown size" in text and "memory      unknown" in text
    assert "not measured" in text and "probe       none" in text and "2 processes" in text
