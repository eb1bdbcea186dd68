from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from semifactual.errors import ConfigError
from semifactual.train.preflight import arithmetic_faults, inspect, load_and_inspect
from semifactual.train.recipe import Recipe
from semifactual.train.recipe_loading import merged
from tests.train.conftest import SMALL, MakeRecipe

PLAIN = "builtin:word_problems?n=12&steps=1..1&max=9"


def faults(options: dict[str, Any]) -> list[str]:
    return list(arithmetic_faults(Recipe.model_validate(merged(SMALL, options))))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            {"optim": {"minibatch": 3}},
            "rollout.batch 4 is no multiple of optim.minibatch 3: take a minibatch of 2 or 4",
        ),
        ({"optim": {"minibatch": 3}, "rollout": {"batch": 10}}, "a minibatch of 2 or 5, or a batch of 9 or 12"),
        ({"steps": 5}, "steps is 5, and each rollout serves 2 optimisation steps: take 4 or 6"),
        ({"checkpoint": {"every": 1}}, "checkpoint.every is 1, and each rollout serves 2 optimisation steps: take 2"),
        ({"eval": {"every": 3}}, "eval.every is 3"),
        ({"rollout": {"samples": 1}}, "a response alone in its group has no advantage"),
        ({"reward": {"overlong_buffer": 7}}, "reward.overlong_buffer 7 is more than rollout.max_new_tokens 6"),
        ({"loss": {"dual_clip": 1.1}}, "loss.dual_clip 1.1 is not above the clip"),
        ({"credit": {"form": "signed", "sign": "all"}}, "the signed credit has one sign"),
        ({"checkpoint": {"best": "v/accuracy"}}, "there is no validation set of that name: there is none"),
    ],
    ids=str,
)
def test_numbers_that_do_not_fit_come_with_the_nearest_that_do(options: dict[str, Any], complaint: str) -> None:
    (fault,) = faults(options)
    assert complaint in fault


def test_the_small_recipe_is_without_a_fault(make_recipe: MakeRecipe) -> None:
    found = inspect(make_recipe(), fetch=False)
    assert found.faults == []
    assert found.rewrites == {4: 12}
    assert found.longest_prompt is not None and found.mean_prompt is not None
    assert 100 < found.mean_prompt < found.longest_prompt < 600


def test_a_prompt_over_the_limit_is_a_fault_or_dropped(make_recipe: MakeRecipe) -> None:
    longest = inspect(make_recipe(), fetch=False).longest_prompt
    assert longest is not None
    limit = {"rollout": {"max_prompt_tokens": longest - 1}}
    (fault,) = inspect(make_recipe(limit), fetch=False).faults
    assert f"has {longest} tokens: set data.overlong=drop, or rollout.max_prompt_tokens={longest}" in fault
    dropped = inspect(make_recipe({**limit, "data": {"overlong": "drop"}}), fetch=False)
    (fault,) = inspect(make_recipe({"rollout": {"max_prompt_tokens": 20}}), fetch=False).faults
    assert "12 of 12 problems have a prompt over" in fault
    assert dropped.faults == []
    assert len(dropped.problems) < 12
    assert any("They are left out." in notice for notice in dropped.notices)


def test_a_dataset_without_semifactuals(make_recipe: MakeRecipe, tmp_path: Path) -> None:
    """A built dataset is taken as it is; the credit and the rival that samples under rewrites both need some."""
    found = inspect(make_recipe(), fetch=False)
    for problem in found.problems:
        object.__setattr__(problem, "semifactuals", ())
    from semifactual.train import preflight

    def bare(settings: Any) -> Any:
        return found.problems, []

    for options, what in (
        ({}, "credit"),
        ({"credit": {"enabled": False}, "rollout": {"prompts": "random_variant"}}, "ran"),
    ):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(preflight, "read_problems", bare)
            (fault,) = inspect(make_recipe(options), fetch=False).faults
        assert "the data has no semifactuals" in fault and what in fault
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(preflight, "read_problems", bare)
        assert inspect(make_recipe({"credit": {"enabled": False}}), fetch=False).faults == []


def test_a_control_needs_counterfactuals(make_recipe: MakeRecipe) -> None:
    (fault,) = inspect(make_recipe({"credit": {"source": "counterfactual"}}), fetch=False).faults
    assert "the data has no counterfactuals" in fault


def test_too_few_problems(make_recipe: MakeRecipe) -> None:
    (fault,) = inspect(make_recipe({"data": {"limit": 3}}), fetch=False).faults
    assert "rollout.batch is 4, and the data has 3 problems" in fault


def test_prompts_and_responses_must_fit_into_the_model(make_recipe: MakeRecipe) -> None:
    (fault,) = inspect(make_recipe({"rollout": {"max_new_tokens": 1000}}), fetch=False).faults
    assert "are more than the 1,024 that" in fault


def test_validation_leaves_out_what_is_trained_on(make_recipe: MakeRecipe) -> None:
    sets = {"same": {"source": PLAIN, "seed": 0}, "seen": {"source": PLAIN, "seed": 0, "unseen": False}}
    found = inspect(make_recipe({"eval": {"sets": sets}}), fetch=False)
    assert found.faults == ["eval.sets.same has no problem that is not trained on"]
    assert [chosen.name for chosen in found.sets] == ["seen"]


def test_kinds_that_training_lacks_are_sealed(make_recipe: MakeRecipe) -> None:
    options = {"data": {"kinds": ["paraphrase", "typo_noise"]}, "eval": {"sets": {"v": {"source": PLAIN}}}}
    (chosen,) = inspect(make_recipe(options), fetch=False).sets
    kinds = {kind for problem in chosen.problems for kind, _ in problem.semifactuals}
    assert kinds - chosen.trained_kinds == {"scenario_wrap", "irrelevant_context"}


def test_everything_is_said_on_one_page(tmp_path: Path, model_folder: Path) -> None:
    settings = [
        f"model.name={model_folder}",
        f"data.source={tmp_path / 'absent.jsonl'}",
        "reward.function=nowhere:reward",
        "optim.minibatch=3",
        "data.prompt=nothing",
        "eval.sets.validation.source=builtin:poems",
    ]
    found = load_and_inspect("tiny-cpu", settings, fetch=False)
    said = "\n".join(found.faults)
    for complaint in ("absent.jsonl", "nowhere:reward cannot be imported", "no multiple", "prompt template", "poems"):
        assert complaint in said
    assert len(found.faults) == 5


def test_a_broken_recipe_does_not_hide_broken_data() -> None:
    with pytest.raises(ConfigError) as caught:
        load_and_inspect("tiny-cpu", ["steps=many", "data.source=builtin:poems"], fetch=False)
    assert "steps is 'many'" in caught.value.message and "poems" in caught.value.message


def test_odd_pairs_are_noticed(make_recipe: MakeRecipe) -> None:
    options = {
        "rollout": {"top_p": 0.9, "dynamic_sampling": True},
        "loss": {"prompt": "sampled"},
        "model": {"dtype": "bfloat16"},
        "optim": {"lr": 1e-6},
        "eval": {"every": 2},
    }
    notices = "\n".join(inspect(make_recipe(options), fetch=False).notices)
    for words in (
        "top_p is below 1",
        "dynamic sampling",
        "loss.prompt: sampled",
        "bfloat16 weights",
        "eval.sets is empty",
    ):
        assert words in notices


def test_a_model_that_may_not_fit_is_noticed(make_recipe: MakeRecipe, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not any("GiB" in notice for notice in inspect(make_recipe(), fetch=False).notices)
    monkeypatch.setattr("semifactual.train.preflight.memory_here", lambda: (2**20, "this slide rule"))
    (notice,) = [notice for notice in inspect(make_recipe(), fetch=False).notices if "GiB" in notice]
    assert "this slide rule has 0.0" in notice


def test_an_absent_model_is_noticed_and_not_fetched(make_recipe: MakeRecipe) -> None:
    found = inspect(make_recipe({"model": {"name": "nobody/no-such-model"}}), fetch=False)
    assert found.faults == []
    assert found.longest_prompt is None and found.facts is None
    assert sum("is not here" in notice for notice in found.notices) == 2
