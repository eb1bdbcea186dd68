from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from semifactual.train.recipe import LAMBDA0, Recipe
from semifactual.train.recipe_outputs import EvalSet

DATA = {"data": {"source": "builtin:word_problems"}}


def test_the_defaults_are_the_papers() -> None:
    recipe = Recipe.model_validate(DATA)
    assert (recipe.rollout.batch, recipe.optim.minibatch, recipe.rollout.samples) == (128, 64, 8)
    assert recipe.steps_per_rollout == 2
    assert (recipe.loss.clip_low, recipe.loss.clip_high, recipe.loss.dual_clip) == (0.20, 0.28, 10.0)
    assert (recipe.loss.ddof, recipe.loss.eps, recipe.loss.aggregation) == (1, 1e-6, "token-mean")
    assert (recipe.credit.lambda0, recipe.credit.steps, recipe.credit.on_uniform_groups) == (0.01, 120, "keep")
    assert (recipe.optim.lr, recipe.optim.betas, recipe.optim.weight_decay) == (1e-6, (0.9, 0.999), 0.01)


@pytest.mark.parametrize("form", sorted(LAMBDA0))
def test_each_form_has_a_strength_of_its_own(form: str) -> None:
    recipe = Recipe.model_validate({**DATA, "credit": {"form": form}})
    assert recipe.credit.lambda0 == LAMBDA0[form]
    given = Recipe.model_validate({**DATA, "credit": {"form": form, "lambda0": 0.0}})
    assert given.credit.lambda0 == 0.0


def test_nothing_unknown_is_let_in() -> None:
    with pytest.raises(ValidationError, match="lamda"):
        Recipe.model_validate({**DATA, "credit": {"lamda": 1}})


def test_pass_at_k_needs_k_samples() -> None:
    with pytest.raises(ValidationError, match="asks for 4 samples, and samples is 2"):
        EvalSet(source="x", samples=2, pass_at=(1, 4))


def test_kinds_may_be_one_text_with_commas() -> None:
    recipe = Recipe.model_validate({"data": {"source": "x", "kinds": "paraphrase, typo_noise"}})
    assert recipe.data.kinds == ("paraphrase", "typo_noise")


def test_what_decides_no_number_may_change() -> None:
    one = Recipe.model_validate({**DATA, "steps": 4, "model": {"device": "cpu"}, "eval": {"every": 2}})
    other = Recipe.model_validate({**DATA, "steps": 8, "optim": {"microbatch_tokens": 7}, "log": {"completions": 1}})
    assert one.identity() == other.identity()
    assert one.identity() != Recipe.model_validate({**DATA, "seed": 1}).identity()
    assert json.loads(json.dumps(one.identity())) == one.identity()
