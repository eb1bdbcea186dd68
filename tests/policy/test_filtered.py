"""d-filtered decoding: against a loop without caches, beside plain generation, in `generate`, and on every family."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from semifactual.errors import ConfigError
from semifactual.policy.filter_processor import DFilter
from semifactual.policy.filtered import FilteredRequest, FilteredResponse, generate_filtered
from semifactual.policy.local import LocalPolicy
from semifactual.policy.policy import Request, Response, Sampling, StopReason
from semifactual.policy.sampling import Streams, draw_tokens, response_seed
from semifactual.tensor.drift import drift
from semifactual.tensor.filtering import d_filter
from tests.policy.models import EOS, FAMILIES, byte_tokenizer, tiny_model

SAMPLING = Sampling(temperature=0.9, max_new_tokens=12)
REQUESTS = [
    FilteredRequest(((5, 6, 7), (5, 9, 6, 7), (5, 6, 7, 40, 41)), seeds=(11, 12, 13)),
    FilteredRequest(((30, 31, 32, 33), (30, 31)), seeds=(14,)),
    FilteredRequest(((8, 9),), seeds=(15, 16)),
]


def policy_of(family: str, *, tokens: int | None = None) -> LocalPolicy:
    return LocalPolicy(tiny_model(family), byte_tokenizer(), name="tiny", tokens_per_batch=tokens)


def naive(
    model: Any, prompts: tuple[tuple[int, ...], ...], seed: int, sampling: Sampling, cap: float
) -> FilteredResponse:
    """One response: whole unpadded forwards at every step, one row at a time."""
    own, other = Streams([seed]), Streams([response_seed(seed, "rejected", 0)])
    end = torch.zeros(model.config.vocab_size, dtype=torch.bool)
    end[EOS] = True
    tokens: list[int] = []
    rejected, mass = 0, 0.0
    while len(tokens) < sampling.max_new_tokens and EOS not in tokens:
        logits = [model(input_ids=torch.tensor([[*prompt, *tokens]])).logits[:, -1] for prompt in prompts]
        clean, *variants = [(row / sampling.temperature).log_softmax(-1) for row in logits]
        moved = torch.stack([drift(clean, variant) for variant in variants]).mean(0)
        filtered = d_filter(clean, moved, end, cap=cap)
        token = draw_tokens(logits[0], own.draw([0], 1)[:, 0], sampling)
        mass += filtered.masked_mass.item()
        if filtered.masked[0, token]:
            rejected += 1
            token = draw_tokens(filtered.logps, other.draw([0], 1)[:, 0], Sampling())
        tokens.append(int(token))
    stop = StopReason.EOS if EOS in tokens else StopReason.LENGTH
    return FilteredResponse(Response(tuple(tokens), stop), rejected, pytest.approx(mass / len(tokens), abs=1e-4))


@pytest.mark.parametrize("family", FAMILIES)
@torch.no_grad()
def test_equals_a_loop_without_caches(family: str) -> None:
    policy = policy_of(family)
    found = generate_filtered(policy, REQUESTS[:2], SAMPLING, cap=0.5)
    wanted = [
        [naive(policy.model, request.prompts, seed, SAMPLING, 0.5) for seed in request.seeds]
        for request in REQUESTS[:2]
    ]
    assert found == wanted
    assert sum(response.rejected for row in found for response in row) > 0


def test_batches_do_not_matter() -> None:
    alone = [
        [
            generate_filtered(policy_of("qwen3"), [FilteredRequest(request.prompts, (seed,))], SAMPLING)[0][0].response
            for seed in request.seeds
        ]
        for request in REQUESTS
    ]
    for tokens in (1, 60, None):
        found = generate_filtered(policy_of("qwen3", tokens=tokens), REQUESTS, SAMPLING)
        assert [[response.response for response in row] for row in found] == alone


def test_plain_generation_is_the_same_up_to_the_first_rejection() -> None:
    policy = policy_of("qwen3")
    request = FilteredRequest(REQUESTS[0].prompts, tuple(range(20)))
    (filtered,) = generate_filtered(policy, [request], SAMPLING)
    (plain,) = policy.generate([Request(request.prompts[0], request.seeds)], SAMPLING)
    for found, response in zip(filtered, plain, strict=True):
        assert (found.response == response) == (found.rejected == 0)
    assert any(found.rejected for found in filtered)
    (gentle,) = generate_filtered(policy, [request], SAMPLING, cap=0.0)
    assert [found.response for found in gentle] == plain
    assert all(found.rejected == found.masked_mass == 0 for found in gentle)


def test_without_variants_it_is_plain_generation() -> None:
    policy = policy_of("qwen3")
    (found,) = generate_filtered(policy, REQUESTS[2:], SAMPLING)
    (plain,) = policy.generate([Request((8, 9), (15, 16))], SAMPLING)
    assert found == [FilteredResponse(response, 0, 0.0) for response in plain]


def test_rejections_come_as_often_as_the_masked_mass_says() -> None:
    sampling = Sampling(max_new_tokens=20)
    (found,) = generate_filtered(
        policy_of("qwen3"), [FilteredRequest(REQUESTS[0].prompts, tuple(range(200)))], sampling, cap=0.5
    )
    tokens = sum(len(response.response.token_ids) for response in found)
    expected = sum(response.masked_mass * len(response.response.token_ids) for response in found)
    rejected = sum(response.rejected for response in found)
    assert abs(rejected - expected) < 4 * (0.25 * tokens) ** 0.5
    assert 0.1 < rejected / tokens < 0.5


def test_a_nucleus_bounds_what_can_be_drawn() -> None:
    """With a nucleus that holds one token, all decoding is greedy: it cannot be masked, its probability being 1."""
    policy = policy_of("qwen3")
    (found,) = generate_filtered(policy, REQUESTS[:1], Sampling(top_p=1e-6, max_new_tokens=8))
    (greedy,) = policy.generate([Request(REQUESTS[0].prompts[0], (0,))], Sampling(temperature=0, max_new_tokens=8))
    assert [response.response for response in found] == greedy * 3


def test_greedy_and_overlong_calls_are_refused() -> None:
    policy = policy_of("gpt2")
    with pytest.raises(ConfigError, match="above 0"):
        generate_filtered(policy, REQUESTS, Sampling(temperature=0))
    with pytest.raises(ConfigError, match="256"):
        generate_filtered(policy, REQUESTS, Sampling(max_new_tokens=252))


def test_the_processor_gives_the_same_in_transformers_generate() -> None:
    policy = policy_of("qwen3")
    wanted = [found for row in generate_filtered(policy, REQUESTS[:2], SAMPLING) for found in row]
    prompts = [prompt for request in REQUESTS[:2] for _ in request.seeds for prompt in request.prompts]
    width = max(map(len, prompts))
    ids = torch.tensor([[0] * (width - len(prompt)) + list(prompt) for prompt in prompts])
    mask = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts])
    processor = DFilter(prompts=[3, 3, 3, 2], stops=[EOS], seeds=[11, 12, 13, 14], temperature=0.9)
    rows = policy.model.generate(
        ids, attention_mask=mask, do_sample=False, max_new_tokens=12, logits_processor=[processor]
    )
    for found, first, count in zip(wanted, (0, 3, 6, 9), (3, 3, 3, 2), strict=True):
        length = len(found.response.token_ids)
        own = rows[first : first + count, width : width + length]
        assert own.tolist() == [list(found.response.token_ids)] * count
    assert processor.rejected == [found.rejected for found in wanted]


@pytest.mark.parametrize("options", [{"prompts": [1]}, {"seeds": [1, 2]}, {"temperature": 0.0}])
def test_the_processor_refuses_what_it_cannot_do(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="variant and a seed"):
        DFilter(**{"prompts": [2], "stops": [EOS], "seeds": [0], **options})


def test_the_processor_refuses_negative_seeds_and_another_batch_than_promised() -> None:
    with pytest.raises(ValueError, match="0 or more, not -1"):
        DFilter(prompts=[2], stops=[EOS], seeds=[-1])
    model = tiny_model("qwen3")
    ids = torch.tensor([[5, 6, 7], [5, 9, 7]])
    for promised, beams, came in (([3], 1, 2), ([2, 2], 1, 2), ([2], 2, 4)):
        processor = DFilter(prompts=promised, stops=[EOS], seeds=[0] * len(promised))
        with pytest.raises(ValueError, match=f"a batch of {sum(promised)} rows, and {came} came"):
            model.generate(ids, do_sample=False, num_beams=beams, max_new_tokens=3, logits_processor=[processor])
