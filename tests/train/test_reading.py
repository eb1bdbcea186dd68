from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from semifactual.policy.local import LocalPolicy
from semifactual.train.reading import Bare, Reader, micro_batches, silence_dropout
from semifactual.train.recipe import Recipe
from tests.policy.models import FAMILIES, byte_tokenizer, tiny_model

PROMPTS = ((2, 3, 4, 5, 6), (7, 8), (9,))
ROWS = [Bare(PROMPTS[place % 3], tuple(range(10 + place, 11 + 2 * place))) for place in range(7)]


def reader(model: Any, *, shared: bool, **model_options: Any) -> Reader:
    options = {"data": {"source": "x"}, "optim": {"shared_prompts": shared}, "model": model_options}
    return Reader(Recipe.model_validate(options), LocalPolicy(model, byte_tokenizer()))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_prompt_read_once_gives_what_whole_rows_give(family: str) -> None:
    """Log-probs, entropy and gradient, on models that can be continued and on those that cannot."""
    model = tiny_model(family)
    found = []
    for shared in (False, True):
        model.zero_grad(set_to_none=True)
        read = reader(model, shared=shared).read(ROWS, with_entropy=True)
        read.logps.exp().sum().backward()
        gradient = torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])
        found.append((read.logps.detach(), read.entropy, gradient))
    (plain, entropy, gradient), (logps, other_entropy, other) = found
    torch.testing.assert_close(logps, plain, atol=1e-5, rtol=1e-5)
    assert entropy is not None and other_entropy is not None
    torch.testing.assert_close(other_entropy, entropy, atol=1e-5, rtol=1e-5)
    assert (other - gradient).norm() <= 1e-5 * gradient.norm()


def test_prompts_are_shared_where_that_is_exact_and_nothing_is_recomputed() -> None:
    model = tiny_model("qwen3")
    assert reader(model, shared=True).shares_prompts
    assert not reader(model, shared=False).shares_prompts
    assert not reader(model, shared=True, gradient_checkpointing=True).shares_prompts
    assert not reader(tiny_model("qwen3_next"), shared=True).shares_prompts


def test_responses_of_one_token_need_no_more_than_the_prompts() -> None:
    model = tiny_model("qwen3")
    rows = [Bare(PROMPTS[0], (11,)), Bare(PROMPTS[1], (12,))]
    one, other = (reader(model, shared=shared).read(rows).logps for shared in (False, True))
    torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    ("family", "options"),
    [("gpt2", {"resid_pdrop": 0.5, "embd_pdrop": 0.5, "attn_pdrop": 0.5}), ("qwen3", {"attention_dropout": 0.5})],
)
def test_dropout_is_silenced_for_training_mode(family: str, options: dict[str, float]) -> None:
    model = tiny_model(family, **options)
    read = reader(model, shared=False).read
    expected = read(ROWS).logps
    model.train()
    assert not torch.allclose(read(ROWS).logps, expected, atol=1e-3)
    silence_dropout(model)
    torch.testing.assert_close(read(ROWS).logps, expected, atol=1e-5, rtol=1e-5)


def test_micro_batches_by_hand() -> None:
    rows = [Bare((1,), (2,)), Bare((1, 1, 1, 1), (2,) * 5), Bare((1,), (2, 2))]
    # whole rows: widths 2, 9, 3; the widest alone fills more than 6 tokens, the other two fit as 2 x 3
    assert list(micro_batches(rows, 6, shared=False)) == [[1], [2, 0]]
    # shared: rows 0 and 2 have one prompt of one token, and 2 x 2 tokens of response: 5
    assert list(micro_batches(rows, 5, shared=True)) == [[1], [2, 0]]
    assert list(micro_batches(rows, 4, shared=True)) == [[1], [2], [0]]


LENGTHS = st.tuples(st.integers(0, 3), st.integers(1, 20))


@given(st.lists(LENGTHS, max_size=30), st.integers(1, 100), st.booleans())
def test_micro_batches_hold_every_row_once_and_keep_to_the_budget(
    lengths: list[tuple[int, int]], tokens: int, shared: bool
) -> None:
    rows = [Bare((prompt,) * (3 * prompt + 1), (1,) * response) for prompt, response in lengths]
    batches = list(micro_batches(rows, tokens, shared=shared))
    assert sorted(row for batch in batches for row in batch) == list(range(len(rows)))
    for inside in ([rows[row] for row in batch] for batch in batches if len(batch) > 1):
        prompts = {row.prompt_ids for row in inside}
        if shared:
            padded = len(prompts) * max(map(len, prompts)) + len(inside) * max(len(row.token_ids) for row in inside)
        else:
            padded = len(inside) * max(len(row.prompt_ids) + len(row.token_ids) for row in inside)
        assert padded <= tokens
