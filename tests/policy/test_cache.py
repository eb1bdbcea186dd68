"""Reading prompts once and continuing them gives what reading everything at once gives, for every family."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from semifactual.policy.cache import CachedForward, Capabilities, reserve
from semifactual.policy.capabilities import find_capabilities
from tests.policy.models import FAMILIES, OTHERS, VOCABULARY, tiny_model

PLAIN = Capabilities(padding=False, stepping=False, continuation=False, shifting=False)


def ids(rows: int, tokens: int, seed: int = 1) -> Tensor:
    return torch.randint(2, VOCABULARY, (rows, tokens), generator=torch.Generator().manual_seed(seed))


def whole(model: Any, row: list[int]) -> Tensor:
    """Logits [token, vocab] of one row read at once, without padding, mask or cache."""
    logits: Tensor = model(input_ids=torch.tensor([row]), use_cache=False).logits[0]
    return logits


@pytest.fixture(params=[*FAMILIES, *OTHERS])
def model(request: pytest.FixtureRequest) -> Any:
    return tiny_model(request.param)


@pytest.fixture(autouse=True)
def _no_gradient() -> Any:
    with torch.no_grad():
        yield


def batches(forward: CachedForward, prompts: list[list[int]]) -> list[list[int]]:
    """Numbers of the prompts that may share a batch."""
    return [list(range(len(prompts)))] if forward.capabilities.padding else [[row] for row in range(len(prompts))]


def test_prompts_of_many_lengths_are_continued_exactly(model: Any) -> None:
    forward = CachedForward(model, find_capabilities(model, VOCABULARY), 256)
    prompts = [ids(1, length, seed=length)[0].tolist() for length in (17, 5, 11)]
    new = ids(6, 9)
    for batch in batches(forward, prompts):
        last, state = forward.prefill([prompts[row] for row in batch])
        rows = torch.arange(len(batch)).repeat_interleave(2)
        state = state.select(rows)
        outputs = forward.extend(state, new[: len(rows)])
        for place, row in enumerate(rows.tolist()):
            expected = whole(model, prompts[batch[row]] + new[place].tolist())
            start = len(prompts[batch[row]])
            torch.testing.assert_close(last[row], expected[start - 1], atol=2e-5, rtol=1e-4)
            torch.testing.assert_close(outputs[place], expected[start:], atol=2e-5, rtol=1e-4)


def test_steps_on_rows_that_are_copied_and_dropped(model: Any) -> None:
    forward = CachedForward(model, find_capabilities(model, VOCABULARY), 256)
    prompt, new = ids(1, 12)[0].tolist(), ids(4, 8, seed=2)
    _, state = forward.prefill([prompt])
    state = state.select(torch.tensor([0, 0, 0, 0]))
    reserve(state, 3)  # less than is needed, so that the room must grow
    rows = [0, 1, 2, 3]
    for token in range(8):
        if token == 4:
            state, rows = state.select(torch.tensor([3, 1])), [3, 1]
        output = forward.extend(state, new[rows, token : token + 1])[:, 0]
        expected = torch.stack([whole(model, prompt + new[row, : token + 1].tolist())[-1] for row in rows])
        torch.testing.assert_close(output, expected, atol=2e-5, rtol=1e-4)


def test_a_selected_state_is_a_copy(model: Any) -> None:
    forward = CachedForward(model, find_capabilities(model, VOCABULARY), 256)
    prompt, new = ids(1, 12)[0].tolist(), ids(1, 3)
    _, state = forward.prefill([prompt])
    for _ in range(2):
        copied = state.select(torch.tensor([0, 0]))
        reserve(copied, 8)
        for token in range(3):
            output = forward.extend(copied, new[:, token : token + 1].expand(2, 1))
        torch.testing.assert_close(output[1, 0], whole(model, prompt + new[0].tolist())[-1], atol=2e-5, rtol=1e-4)
    assert state.width == 12


@pytest.mark.parametrize("family", FAMILIES)
def test_without_any_capability_everything_is_read_again(family: str) -> None:
    model = tiny_model(family)
    forward = CachedForward(model, PLAIN)
    prompt, new = ids(1, 6)[0].tolist(), ids(2, 5)
    _, state = forward.prefill([prompt])
    assert state.cache is None
    state = state.select(torch.tensor([0, 0]))
    forward.extend(state, new[:, :1])
    outputs = forward.extend(state, new[:, 1:])
    for row in range(2):
        torch.testing.assert_close(outputs[row], whole(model, prompt + new[row].tolist())[7:], atol=2e-5, rtol=1e-4)


def test_more_padding_than_needed_changes_nothing() -> None:
    model = tiny_model("qwen3")
    prompt, new = ids(1, 6)[0].tolist(), ids(1, 4)
    forward = CachedForward(model)
    narrow, _ = forward.prefill([prompt])
    wide, state = forward.prefill([prompt], width=20)
    torch.testing.assert_close(wide, narrow, atol=1e-5, rtol=1e-5)
    assert state.width == 20
    outputs = forward.extend(state, new)
    torch.testing.assert_close(outputs[0], whole(model, prompt + new[0].tolist())[6:], atol=2e-5, rtol=1e-4)


def test_a_short_row_beside_a_long_one_stays_within_the_positions() -> None:
    # Learned positions end at 16; 12 + 6 columns of the first row would not fit, though its real tokens do.
    model = tiny_model("gpt2", n_positions=16)
    forward = CachedForward(model, context=16)
    long, short = ids(1, 12)[0].tolist(), ids(1, 4)[0].tolist()
    _, state = forward.prefill([long, short])
    outputs = forward.extend(state, ids(2, 6))
    expected = whole(model, short + ids(2, 6)[1].tolist())[4:]
    torch.testing.assert_close(outputs[1], expected, atol=2e-5, rtol=1e-4)


def test_the_body_gives_hidden_states() -> None:
    model = tiny_model("qwen3")
    last, state = CachedForward(model.base_model).prefill([[5, 6, 7]])
    assert last.shape == (1, 32)
    assert CachedForward(model.base_model).extend(state, torch.tensor([[8, 9]])).shape == (1, 2, 32)
