"""The trial of a model class finds what is wrong with it, and nothing wrong with one that is right."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch
from torch import nn

from semifactual.errors import ConfigError
from semifactual.policy.capabilities import find_capabilities
from tests.policy.models import FAMILIES, VOCABULARY, tiny_model


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_dense_model_can_do_everything(dtype: torch.dtype) -> None:
    found = find_capabilities(tiny_model("qwen3", dtype=dtype).base_model, VOCABULARY)
    assert found.padding and found.stepping and found.continuation


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_steps_from_a_cache(family: str) -> None:
    assert find_capabilities(tiny_model(family).base_model, VOCABULARY).stepping


class Broken(nn.Module):
    """A model around another one, whose calls a function spoils."""

    def __init__(self, spoil: Any, family: str) -> None:
        super().__init__()
        self.inner = tiny_model(family)
        self.spoil = spoil

    def forward(
        self,
        input_ids: Any,
        attention_mask: Any = None,
        position_ids: Any = None,
        past_key_values: Any = None,
        use_cache: bool = False,
    ) -> Any:
        name = "cache" if "cache" in inspect.signature(self.inner.forward).parameters else "past_key_values"
        given = {"input_ids": input_ids, "attention_mask": attention_mask, "position_ids": position_ids}
        output = self.inner(**self.spoil({**given, name: past_key_values, "use_cache": use_cache}, name))
        output.past_key_values = getattr(output, name)
        return output


def keep(given: dict[str, Any], _: str) -> dict[str, Any]:
    return given


def ignore_positions(given: dict[str, Any], _: str) -> dict[str, Any]:
    return {**given, "position_ids": None}


def ignore_padding(given: dict[str, Any], _: str) -> dict[str, Any]:
    return {**given, "attention_mask": None, "position_ids": None}


def forget(given: dict[str, Any], name: str) -> dict[str, Any]:
    fresh = given[name] is None
    return given if fresh else {**given, name: None, "attention_mask": None, "position_ids": None}


def refuse_many(given: dict[str, Any], name: str) -> dict[str, Any]:
    if given[name] is not None and given["input_ids"].shape[1] > 1:
        raise ValueError("one token at a time")
    return given


@pytest.mark.parametrize(
    ("family", "spoil", "padding", "stepping", "continuation"),
    [
        ("qwen3", keep, True, True, True),
        ("gpt2", keep, True, True, True),
        ("gpt2", ignore_positions, False, True, True),  # its positions are learned, so the pads must not count
        ("qwen3", ignore_padding, False, True, True),
        ("qwen3", forget, True, False, False),
        ("qwen3", refuse_many, True, True, False),
    ],
)
def test_what_is_broken_is_found(family: str, spoil: Any, padding: bool, stepping: bool, continuation: bool) -> None:
    found = find_capabilities(Broken(spoil, family).eval(), VOCABULARY)
    assert (found.padding, found.stepping, found.continuation) == (padding, stepping, continuation)


def test_a_model_that_reads_ahead_is_refused() -> None:
    class Ahead(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(VOCABULARY, 8)

        def forward(self, input_ids: Any, attention_mask: Any = None) -> Any:
            hidden = self.embedding(input_ids)
            return type("Output", (), {"last_hidden_state": hidden + hidden.mean(dim=1, keepdim=True)})

    with pytest.raises(ConfigError, match="reads ahead"):
        find_capabilities(Ahead(), VOCABULARY)
