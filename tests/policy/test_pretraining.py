"""Pretraining in the small: batches, loss and average by hand, and a run of a few steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from semifactual.policy.policy import Request, Response, Sampling, StopReason
from semifactual.policy.pretraining import (
    Batch,
    Recipe,
    follow,
    make_optimizers,
    make_tokenizer,
    measure,
    new_model,
    padded,
    pretrain,
    save,
    train_step,
    training_batches,
    weighted_loss,
)
from semifactual.policy.tiny_corpus import draw_problems
from semifactual.types import Problem

SMALL = Recipe(
    problems=60,
    held_out=4,
    test=4,
    vocabulary=400,
    hidden=32,
    layers=2,
    heads=2,
    key_value_heads=1,
    feed_forward=48,
    context=512,
    batch=8,
    target=0.5,
    check_every=2,
    most_steps=4,
)


@cache
def problems() -> list[Problem]:
    return draw_problems(SMALL.source, SMALL.seed, SMALL.problems)


@cache
def tokenizer() -> Any:
    return make_tokenizer(problems(), SMALL)


def test_a_few_steps_reduce_the_loss() -> None:
    model = new_model(SMALL, tokenizer())
    optimizers = make_optimizers(model, SMALL)
    batches = training_batches(problems(), tokenizer(), SMALL)
    losses = [train_step(model, optimizers, next(batches)) for _ in range(20)]
    assert losses[0] == pytest.approx(math.log(SMALL.vocabulary), rel=0.05)
    assert losses[-1] < 0.9 * losses[0]


def test_every_weight_belongs_to_one_optimizer() -> None:
    model = new_model(SMALL, tokenizer())
    held = [
        id(weight)
        for each in make_optimizers(model, SMALL)
        for group in each.param_groups
        for weight in group["params"]
    ]
    assert sorted(held) == sorted(id(weight) for weight in model.parameters())


def test_padding_stands_on_the_right_and_weighs_nothing() -> None:
    batch = padded([([5, 6, 7], [0.1, 1.0, 0.5]), ([8], [1.0])], padding=1)
    assert batch.token_ids.tolist() == [[5, 6, 7], [8, 1, 1]]
    torch.testing.assert_close(batch.weights, torch.tensor([[0.1, 1.0, 0.5], [1.0, 0.0, 0.0]]))


def test_a_batch_weighs_prompts_digits_and_words_as_the_recipe_says() -> None:
    batch = next(training_batches(problems(), tokenizer(), SMALL))
    assert batch.token_ids.shape == batch.weights.shape
    for ids, weights in zip(batch.token_ids.tolist(), batch.weights.tolist(), strict=True):
        end = ids.index(tokenizer().eos_token_id)
        start = next(place for place, weight in enumerate(weights) if weight != pytest.approx(SMALL.prompt_weight))
        for token, weight in zip(ids[start : end + 1], weights[start : end + 1], strict=True):
            digit = tokenizer().decode([token]).isdigit()
            assert weight == pytest.approx(SMALL.digit_weight if digit else 1.0)
        assert set(ids[end + 1 :]) <= {tokenizer().pad_token_id}
        assert not any(weights[end + 1 :])
        assert "\\boxed{" in tokenizer().decode(ids[start:end])


def test_the_loss_is_a_weighted_mean() -> None:
    """Two tokens are predicted, with probabilities 1/2 and 1/4 and weights 1 and 3: (ln 2 + 3 ln 4) / 4 = 7/4 ln 2."""
    probabilities = torch.tensor([[[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]]])

    def model(input_ids: torch.Tensor, use_cache: bool) -> SimpleNamespace:
        assert input_ids.tolist() == [[2, 0]]
        return SimpleNamespace(logits=probabilities.log())

    batch = Batch(torch.tensor([[2, 0, 1]]), torch.tensor([[9.0, 1.0, 3.0]]))
    assert weighted_loss(model, batch).item() == pytest.approx(1.75 * math.log(2))


def test_the_average_keeps_its_share() -> None:
    average, model = new_model(SMALL, tokenizer()), new_model(replace(SMALL, seed=7), tokenizer())
    before, new = average.lm_head.weight.clone(), model.lm_head.weight.clone()
    follow(average, model, 0.75)
    torch.testing.assert_close(average.lm_head.weight, 0.75 * before + 0.25 * new)
    torch.testing.assert_close(model.lm_head.weight, new, rtol=0, atol=0)


def test_the_same_recipe_gives_the_same_weights_and_another_seed_others() -> None:
    unchecked = replace(SMALL, most_steps=3, check_every=10)
    first, second, other = (pretrain(replace(unchecked, seed=seed), report=str)[0] for seed in (1, 1, 9))
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    assert not torch.equal(first.lm_head.weight, other.lm_head.weight)


def test_training_stops_at_the_target() -> None:
    lines: list[str] = []
    pretrain(replace(SMALL, target=0.0), report=lines.append)
    assert [line.partition(",")[0] for line in lines[1:]] == ["step 2"]


def test_what_is_saved_loads_as_it_was(tmp_path: Path) -> None:
    model = new_model(SMALL, tokenizer()).bfloat16()
    save(model, tokenizer(), tmp_path)
    loaded = AutoModelForCausalLM.from_pretrained(tmp_path)
    assert loaded.dtype == torch.bfloat16
    assert torch.equal(loaded.model.embed_tokens.weight, model.model.embed_tokens.weight)
    text = "Zoë buys 12 pens\n\tand 3 more…"
    assert AutoTokenizer.from_pretrained(tmp_path).encode(text) == tokenizer().encode(text)
    assert all(file.stat().st_mode & 0o044 == 0o044 for file in tmp_path.iterdir())


@dataclass
class Scripted:
    """A policy that says what it is told to say; a token is a character."""

    answers: list[tuple[str, StopReason]]
    name: str = "scripted"

    def encode_prompt(self, text: str) -> tuple[int, ...]:
        return tuple(map(ord, text))

    def decode(self, token_ids: Sequence[int]) -> str:
        return "".join(map(chr, token_ids))

    def generate(self, requests: Sequence[Request], sampling: Sampling) -> list[list[Response]]:
        assert all(len(request.seeds) == 1 for request in requests)
        assert sampling.temperature == 0.5
        return [[Response(tuple(map(ord, text)), stop)] for text, stop in self.answers]


def test_a_score_counts_right_boxed_and_ended_responses() -> None:
    policy = Scripted(
        [
            ("\\boxed{3}", StopReason.EOS),
            ("\\boxed{03.0}", StopReason.EOS),
            ("\\boxed{4}", StopReason.LENGTH),
            ("three", StopReason.EOS),
        ]
    )
    three = Problem("p", "How many?", "3", "made up", {})
    score = measure(policy, [three] * 4, temperature=0.5)
    assert (score.accuracy, score.boxed, score.ended) == (0.5, 0.75, 0.75)
    assert score.tokens == (9 + 12 + 9 + 5) / 4
    assert str(score) == "50.0% right, 75.0% boxed, 75.0% ended, 8.8 tokens each"
