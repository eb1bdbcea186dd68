from __future__ import annotations

import copy
import math
from typing import Any

import pytest
import torch

from semifactual.policy.local import LocalPolicy
from semifactual.tensor.loss import clipped_surrogate
from semifactual.train.distributed import Ranks
from semifactual.train.reading import Bare, Reader
from semifactual.train.recipe import OptimRecipe, Recipe
from semifactual.train.recipe_loading import merged
from semifactual.train.update import (
    Denominators,
    Row,
    accumulate,
    apply_gradients,
    learning_rate,
    make_optimizer,
    old_logprobs,
)
from tests.policy.models import byte_tokenizer, tiny_model

BASE: dict[str, Any] = {"data": {"source": "x"}, "rollout": {"max_new_tokens": 9}}
LENGTHS = (5, 1, 9, 3, 4)


def recipe(options: dict[str, Any] | None = None) -> Recipe:
    return Recipe.model_validate(merged(BASE, options or {}))


def reader(model: Any, options: dict[str, Any] | None = None) -> Reader:
    return Reader(recipe(options), LocalPolicy(model, byte_tokenizer()))


def rows(model: Any, *, dtype: torch.dtype = torch.float32) -> list[Row]:
    """Five ragged responses to two prompts with advantages of both signs, and old log-probs a little off."""
    generator = torch.Generator().manual_seed(0)
    pairs = [
        Bare(tuple(range(2, 5 + number % 2)), tuple(torch.randint(2, 300, (length,), generator=generator).tolist()))
        for number, length in enumerate(LENGTHS)
    ]
    made = []
    for pair, old in zip(pairs, old_logprobs(reader(model), pairs), strict=True):
        advantages = torch.randn(len(pair.token_ids), generator=generator, dtype=dtype)
        moved = 0.3 * torch.randn(len(pair.token_ids), generator=generator)
        made.append(Row(pair.prompt_ids, pair.token_ids, advantages, old.logps + moved))
    return made


def gradient(model: Any, options: dict[str, Any], made: list[Row]) -> torch.Tensor:
    model.zero_grad(set_to_none=True)
    accumulate(recipe(options), reader(model, options), made, Denominators.of(len(row.token_ids) for row in made))
    return torch.cat([parameter.grad.flatten() for parameter in model.parameters()])


@pytest.fixture(scope="module")
def model() -> Any:
    return tiny_model("qwen3")


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("aggregation", ["token-mean", "seq-mean", "constant"])
def test_micro_batches_do_not_change_the_gradient(model: Any, aggregation: str, shared: bool) -> None:
    made = rows(model)
    whole = gradient(model, {"loss": {"aggregation": aggregation}, "optim": {"shared_prompts": False}}, made)
    for tokens in (1, 20, 30, 10_000):
        cutting = {"microbatch_tokens": tokens, "shared_prompts": shared}
        options = {"loss": {"aggregation": aggregation}, "optim": cutting}
        cut = gradient(model, options, made)
        assert (cut - whole).norm() <= 1e-6 * whole.norm()
    assert whole.norm() > 0


@pytest.mark.parametrize(("aggregation", "by_hand"), [("token-mean", 0), ("seq-mean", 1), ("constant", 2)])
def test_the_loss_is_that_of_the_formula_in_float64(aggregation: str, by_hand: int) -> None:
    """Against whole logits, one row at a time, and the three averages written out."""
    model = tiny_model("qwen3", dtype=torch.float64)
    made = rows(model, dtype=torch.float64)
    losses = []
    for row in made:
        logits = model(torch.tensor([[*row.prompt_ids, *row.token_ids]])).logits[0]
        logps = torch.log_softmax(logits[len(row.prompt_ids) - 1 : -1], dim=-1)
        chosen = logps[torch.arange(len(row.token_ids)), torch.tensor(row.token_ids)]
        ratio = (chosen - row.old.double()).exp()
        advantages = row.advantages
        surrogate = torch.minimum(ratio * advantages, ratio.clamp(0.8, 1.28) * advantages)
        losses.append(-torch.where(advantages < 0, torch.maximum(surrogate, 10 * advantages), surrogate))
    tokens = torch.cat(losses)
    expected = (
        tokens.mean(),
        torch.stack([loss.mean() for loss in losses]).mean(),
        tokens.sum() / (len(losses) * 9),
    )[by_hand]
    model.zero_grad(set_to_none=True)
    expected.backward()
    wanted = torch.cat([parameter.grad.flatten() for parameter in model.parameters()])
    found = gradient(model, {"loss": {"aggregation": aggregation}, "optim": {"microbatch_tokens": 30}}, made)
    assert (found - wanted).norm() <= 1e-6 * wanted.norm()


def test_rows_without_an_advantage_count_in_the_denominator_and_nowhere_else(model: Any) -> None:
    made = rows(model)
    idle = [Row(row.prompt_ids, row.token_ids, torch.zeros_like(row.advantages), row.old) for row in made]
    half = gradient(model, {}, [*made, *idle])
    whole = gradient(model, {}, made)
    torch.testing.assert_close(half, whole / 2, atol=1e-8, rtol=1e-5)
    tally = accumulate(recipe(), reader(model), [*made, *idle], Denominators(1, 1))
    assert tally.tokens == sum(LENGTHS)


def test_the_tally_is_that_of_the_tokens(model: Any) -> None:
    made = rows(model)
    model.zero_grad(set_to_none=True)
    options = {"optim": {"microbatch_tokens": 20}}
    tally = accumulate(recipe(options), reader(model, options), made, Denominators(sum(LENGTHS), 5))
    new = old_logprobs(reader(model), made)
    logps = torch.cat([scored.logps for scored in new])
    old, advantages = torch.cat([row.old for row in made]), torch.cat([row.advantages for row in made])
    expected = clipped_surrogate(logps, old, advantages)
    metrics = tally.metrics()
    assert metrics["loss"] == pytest.approx(expected.loss.mean().item(), abs=1e-5)
    assert metrics["ratio/max"] == pytest.approx(expected.ratio.max().item(), rel=1e-4)
    assert metrics["policy/kl"] == pytest.approx((old - logps).mean().item(), abs=1e-5)
    assert metrics["clip/low"] == pytest.approx(expected.clipped_low.float().mean().item())
    assert metrics["clip/high"] == pytest.approx(expected.clipped_high.float().mean().item())


def test_old_logprobs_are_at_the_sampling_temperature(model: Any) -> None:
    (cold,) = old_logprobs(reader(model, {"rollout": {"temperature": 0.5}}), [Bare((2, 3), (4, 5))])
    logits = model(torch.tensor([[2, 3, 4, 5]])).logits[0, 1:3] / 0.5
    expected = torch.log_softmax(logits, dim=-1)
    torch.testing.assert_close(cold.logps, expected[[0, 1], [4, 5]].detach(), atol=1e-5, rtol=1e-5)
    entropy = -(expected.exp() * expected).sum().item()
    assert cold.entropy == pytest.approx(entropy, rel=1e-4)


def test_a_gradient_that_is_not_finite_changes_nothing() -> None:
    model = tiny_model("qwen3")
    before = copy.deepcopy(model.state_dict())
    optimizer = make_optimizer(OptimRecipe(), model)
    for parameter in model.parameters():
        parameter.grad = torch.full_like(parameter, math.nan)
    metrics = apply_gradients(OptimRecipe(), optimizer, Ranks(), 1)
    assert not math.isfinite(metrics["optim/grad_norm"])
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_moments_fade_in_a_step_without_an_advantage_as_with_a_gradient_of_zero() -> None:
    """As in a process of several: one without a row adds zero there."""
    settings = OptimRecipe(lr=0.5)
    after = []
    for gradient in (None, torch.zeros(1, 2)):
        layer = torch.nn.Linear(2, 1, bias=False)
        torch.nn.init.ones_(layer.weight)
        optimizer = make_optimizer(settings, layer)
        for given in (torch.tensor([[3.0, 4.0]]), gradient):
            layer.weight.grad = given
            apply_gradients(settings, optimizer, Ranks(), 1)
        after.append((layer.weight.detach().clone(), optimizer.state[layer.weight]["exp_avg"].clone()))
    for one, other in zip(*after, strict=True):
        assert torch.equal(one, other)


def test_the_gradient_is_clipped_and_its_norm_told() -> None:
    layer = torch.nn.Linear(2, 1, bias=False)
    layer.weight.grad = torch.tensor([[3.0, 4.0]])
    settings = OptimRecipe(lr=0.5, betas=(0.0, 0.0), eps=1e-12, weight_decay=0.0, clip_norm=1.0)
    before = layer.weight.detach().clone()
    metrics = apply_gradients(settings, make_optimizer(settings, layer), Ranks(), 1)
    assert metrics == {"optim/lr": 0.5, "optim/grad_norm": pytest.approx(5.0)}
    torch.testing.assert_close(layer.weight.detach(), before - 0.5)  # with no moments AdamW steps by the sign


def test_the_learning_rate_warms_up() -> None:
    assert [learning_rate(OptimRecipe(lr=3.0, warmup=3), step) for step in (1, 2, 3, 9)] == [1.0, 2.0, 3.0, 3.0]
    assert learning_rate(OptimRecipe(lr=3.0), 1) == 3.0
