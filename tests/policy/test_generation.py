"""Responses are those of a token-by-token reference, whatever is generated beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from semifactual.errors import ConfigError
from semifactual.policy import generation
from semifactual.policy.local import LocalPolicy
from semifactual.policy.policy import Request, Response, Sampling, StopReason
from semifactual.policy.sampling import draw_tokens
from tests.policy.models import FAMILIES, VOCABULARY, byte_tokenizer, tiny_model

PROMPTS = tuple(
    tuple(torch.randint(2, VOCABULARY, (length,), generator=torch.Generator().manual_seed(length)).tolist())
    for length in (11, 4, 7)
)
REQUESTS = [Request(PROMPTS[0], (1, 2, 3)), Request(PROMPTS[1], (4,)), Request(PROMPTS[2], (5, 6))]


def policy(family: str = "qwen3", **options: Any) -> LocalPolicy:
    made = LocalPolicy(tiny_model(family), byte_tokenizer(), **options)
    made.stops = frozenset(range(1, 12))  # many, so that responses end early and at different times
    return made


@torch.no_grad()
def reference(made: LocalPolicy, prompt: tuple[int, ...], seed: int, sampling: Sampling) -> Response:
    """One whole forward a token, one row, no cache."""
    numbers = np.random.Generator(np.random.Philox(seed)).random(sampling.max_new_tokens)
    ids = list(prompt)
    for number in numbers:
        logits = made.model(input_ids=torch.tensor([ids]), use_cache=False).logits[:, -1]
        ids.append(int(draw_tokens(logits, torch.tensor([number]), sampling)))
        if ids[-1] in made.stops:
            return Response(tuple(ids[len(prompt) :]), StopReason.EOS)
    return Response(tuple(ids[len(prompt) :]), StopReason.LENGTH)


@torch.no_grad()
def is_a_tie(made: LocalPolicy, prompt: tuple[int, ...], seed: int, one: Response, other: Response) -> bool:
    """Whether two responses part where the random number is within rounding of the border between two tokens."""
    pairs = enumerate(zip(one.token_ids, other.token_ids, strict=False))
    place, tokens = next((place, sorted(tokens)) for place, tokens in pairs if tokens[0] != tokens[1])
    ids = [*prompt, *one.token_ids[:place]]
    logits = made.model(input_ids=torch.tensor([ids]), use_cache=False).logits[0, -1]
    border = float(logits.double().softmax(dim=0)[: tokens[0] + 1].sum())
    number = np.random.Generator(np.random.Philox(seed)).random(place + 1)[-1]
    return tokens[1] == tokens[0] + 1 and abs(border - number) < 1e-6


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("sampling", [Sampling(1.0, 1.0, 24), Sampling(0.7, 0.9, 24), Sampling(0.0, 1.0, 24)])
def test_responses_are_those_of_whole_forwards(family: str, sampling: Sampling) -> None:
    made = policy(family)
    found = made.generate(REQUESTS, sampling)
    for request, responses in zip(REQUESTS, found, strict=True):
        for seed, response in zip(request.seeds, responses, strict=True):
            expected = reference(made, request.prompt_ids, seed, sampling)
            assert response == expected or is_a_tie(made, request.prompt_ids, seed, response, expected)
    if sampling.temperature:
        assert {response.stop for row in found for response in row} == {StopReason.EOS, StopReason.LENGTH}


@pytest.mark.parametrize("tokens", [1, 60, 100_000])
def test_a_response_does_not_depend_on_its_company(tokens: int) -> None:
    sampling = Sampling(max_new_tokens=30)
    together = policy().generate(REQUESTS, sampling)
    alone = policy(tokens_per_batch=tokens)
    assert alone.generate(list(reversed(REQUESTS)), sampling) == list(reversed(together))
    assert alone.generate([Request(PROMPTS[0], (3,))], sampling) == [[together[0][2]]]


def test_more_tokens_than_are_looked_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    sampling = Sampling(max_new_tokens=40)
    expected = policy().generate(REQUESTS, sampling)
    monkeypatch.setattr(generation, "_LOOK_AHEAD", 7)
    assert policy().generate(REQUESTS, sampling) == expected


def test_without_a_way_to_pad_prompts_of_one_length_share_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    made = policy("qwen3")
    expected = made.generate(REQUESTS, Sampling(max_new_tokens=8))
    made.capabilities = type(made.capabilities)(padding=False)
    batches = []
    inner = generation.generate_batch
    monkeypatch.setattr(
        generation, "generate_batch", lambda *given: batches.append([r.prompt_ids for r in given[1]]) or inner(*given)
    )
    assert made.generate([*REQUESTS, Request(PROMPTS[1][::-1], (7,))], Sampling(max_new_tokens=8))[:3] == expected
    assert sorted(map(len, batches)) == [1, 1, 2]


def test_out_of_memory_halves_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = policy().generate(REQUESTS, Sampling(max_new_tokens=8))
    inner = generation.generate_batch
    sizes = []

    def small(forward: Any, batch: Any, sampling: Any, stops: Any) -> Any:
        sizes.append(sum(len(request.seeds) for request in batch))
        if sizes[-1] > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return inner(forward, batch, sampling, stops)

    monkeypatch.setattr(generation, "generate_batch", small)
    assert policy().generate(REQUESTS, Sampling(max_new_tokens=8)) == expected
    assert sizes[0] == 6 and max(sizes[-3:]) <= 2


def test_the_end_token_is_part_of_the_response() -> None:
    made = policy()
    made.stops = frozenset(range(VOCABULARY))
    [[response]] = made.generate([Request(PROMPTS[0], (1,))], Sampling(max_new_tokens=5))
    assert len(response.token_ids) == 1 and response.stop == StopReason.EOS


def test_an_end_at_the_last_token_is_an_end() -> None:
    made = policy()
    full = reference(made, PROMPTS[0], 1, Sampling(max_new_tokens=24))
    assert full.stop == StopReason.EOS
    [[response]] = made.generate([Request(PROMPTS[0], (1,))], Sampling(max_new_tokens=len(full.token_ids)))
    assert response == full


def test_nothing_to_generate_gives_nothing() -> None:
    assert policy().generate([], Sampling()) == []
    assert policy().generate([Request(PROMPTS[0], ())], Sampling()) == [[]]


def test_what_does_not_fit_is_said_before_any_work() -> None:
    made = LocalPolicy(tiny_model("gpt2", n_positions=20), byte_tokenizer())
    with pytest.raises(ConfigError, match="11 tokens, and with 10 new ones that is more than the 20") as caught:
        made.generate(REQUESTS, Sampling(max_new_tokens=10))
    assert caught.value.hint == "at most 9 new tokens fit"
    assert len(made.generate(REQUESTS, Sampling(max_new_tokens=9))) == 3
