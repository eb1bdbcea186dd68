from __future__ import annotations

from pathlib import Path

import pytest

from semifactual.train.model_facts import facts_of, load_tokenizer, memory_needed, model_facts
from semifactual.train.recipe import ModelRecipe, Recipe
from tests.policy.models import FAMILIES, tiny_model


@pytest.mark.parametrize("family", FAMILIES)
def test_parameters_are_counted_without_weights(family: str) -> None:
    model = tiny_model(family)
    facts = facts_of(model.config)
    assert facts.parameters == sum(parameter.numel() for parameter in model.parameters())
    assert (facts.layers, facts.width, facts.vocabulary) == (2, 32, 300)


def test_a_local_model_is_read_by_its_configuration_alone(tmp_path: Path) -> None:
    tiny_model("qwen3").config.save_pretrained(tmp_path)
    facts = model_facts(ModelRecipe(name=str(tmp_path)), fetch=False)
    assert facts is not None and facts.cache_width == 2 * 2 * 8
    assert load_tokenizer(ModelRecipe(name=str(tmp_path / "absent")), fetch=False) is None


def test_memory_by_hand() -> None:
    # Weights, gradients and two moments of 4 bytes a parameter; a cache of 2 layers x 32 numbers x 4 bytes a token for
    # the 3 rows of 10 + 6 tokens; activations of 16 x 32 + 4 x 48 numbers a layer, of 4 bytes, for 100 tokens.
    facts = facts_of(tiny_model("qwen3").config)
    recipe = Recipe.model_validate(
        {
            "data": {"source": "x"},
            "rollout": {"batch": 1, "samples": 3, "max_prompt_tokens": 10, "max_new_tokens": 6},
            "optim": {"minibatch": 1, "microbatch_tokens": 100},
        }
    )
    memory = memory_needed(recipe, facts)
    assert (memory.weights, memory.gradients, memory.optimizer) == (
        4 * facts.parameters,
        4 * facts.parameters,
        8 * facts.parameters,
    )
    assert memory.generation == 48 * 2 * 32 * 4
    assert memory.update == 100 * 2 * (16 * 32 + 4 * 48) * 4
    assert memory.peak == 16 * facts.parameters + memory.update
    saved = memory_needed(recipe.model_copy(update={"model": ModelRecipe(gradient_checkpointing=True)}), facts)
    assert saved.update < memory.update
