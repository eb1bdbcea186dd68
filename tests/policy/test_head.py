"""The head that is read off a model gives the model's own logits."""

from __future__ import annotations

import pytest
import torch

from semifactual.errors import ConfigError
from semifactual.policy.head import body_of, head_of
from tests.policy.models import FAMILIES, OTHERS, tiny_model

IDS = torch.tensor([[5, 9, 11, 200, 7]])


@pytest.mark.parametrize("family", [*FAMILIES, *OTHERS])
@torch.no_grad()
def test_logits_are_the_models(family: str) -> None:
    model = tiny_model(family)
    hidden = body_of(model)(input_ids=IDS).last_hidden_state
    torch.testing.assert_close(head_of(model).logits(hidden), model(input_ids=IDS).logits, atol=1e-5, rtol=1e-4)


def test_scale_and_softcap_are_found() -> None:
    assert (head_of(tiny_model("cohere")).scale, head_of(tiny_model("gemma2")).softcap) == (0.25, 3.0)


def test_the_weight_is_the_live_one() -> None:
    model = tiny_model("qwen3")
    assert head_of(model).weight is model.get_output_embeddings().weight


def test_the_mode_of_the_model_stays() -> None:
    model = tiny_model("qwen3").train()
    head_of(model)
    assert model.training and body_of(model).training


def test_a_head_of_another_form_is_refused() -> None:
    model = tiny_model("qwen3")
    inner = model.forward
    model.forward = lambda **given: type("Output", (), {"logits": inner(**given).logits.square()})
    with pytest.raises(ConfigError, match="not one linear map"):
        head_of(model)
