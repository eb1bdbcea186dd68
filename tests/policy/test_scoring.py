"""Scoring against a naive reference: one unpadded forward a variant and response, all logits, in float64."""

from __future__ import annotations

import random
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from semifactual.errors import ConfigError, SemifactualError
from semifactual.policy import scoring
from semifactual.policy.batching import TokenBudget
from semifactual.policy.cache import CachedForward
from semifactual.policy.local import LocalPolicy
from semifactual.policy.policy import Group
from tests.policy.models import CHAT_TEMPLATE, EOS, FAMILIES, OTHERS, VOCABULARY, byte_tokenizer, tiny_model
from tests.tensor.memory import LargestTensor

EXACT = 1e-5


class Reference:
    """The definition, with the same weights in float64."""

    def __init__(self, model: Any) -> None:
        self.model = deepcopy(model).double()
        # The grouped matrix product of a mixture of experts knows no float64.
        self.model.set_experts_implementation("eager")

    @torch.no_grad()
    def logps(self, prompt: tuple[int, ...], response: tuple[int, ...]) -> np.ndarray:
        if not response:
            return np.zeros(0)
        logits = self.model(input_ids=torch.tensor([prompt + response])).logits[0].double()
        found = logits.log_softmax(-1)[len(prompt) - 1 : -1].gather(1, torch.tensor(response)[:, None])[:, 0]
        return found.numpy()


def policy_of(family: str, *, tokens: int | None = None, **options: Any) -> LocalPolicy:
    model = tiny_model(family, **options)
    if family == "mamba2":
        # With weights as large as these tests have, its recurrence alone brings float32 3e-5 away from float64.
        for parameter in model.parameters():
            parameter.data *= 0.5 if parameter.dim() > 1 else 1
    return LocalPolicy(model, byte_tokenizer(), name="tiny", tokens_per_batch=tokens)


def random_group(rng: random.Random, *, variants: int, responses: int, longest: int = 30) -> Group:
    def ids(shortest: int) -> tuple[int, ...]:
        return tuple(rng.randrange(VOCABULARY) for _ in range(rng.randint(shortest, longest)))

    return Group(tuple(ids(1) for _ in range(variants)), tuple(ids(0) for _ in range(responses)))


def random_groups(cases: int, seed: int = 0) -> list[Group]:
    """Groups of all sizes, K = 0 and G = 1 among them, with at least `cases` pairs of a variant and a response."""
    rng = random.Random(seed)
    groups: list[Group] = []
    while sum(len(group.prompts) * len(group.responses) for group in groups) < cases:
        groups.append(random_group(rng, variants=rng.randint(1, 5), responses=rng.randint(1, 5)))
    return groups


def departures(policy: LocalPolicy, groups: list[Group]) -> list[float]:
    """For each variant, the identity included, and each response: the largest departure from the reference."""
    reference = Reference(policy.model)
    found = []
    for group, scored in zip(groups, policy.logprobs(groups), strict=True):
        assert len(scored.variants) == len(group.prompts)
        for prompt, rows in [*zip(group.prompts, scored.variants, strict=True), (group.prompts[0], scored.identity)]:
            for response, ours in zip(group.responses, rows, strict=True):
                assert ours.dtype == np.float32 and ours.shape == (len(response),)
                found.append(float(np.abs(ours - reference.logps(prompt, response)).max(initial=0)))
    return found


def test_two_hundred_ragged_cases_are_exact():
    found = departures(policy_of("qwen3"), random_groups(200))
    assert len(found) >= 200 and max(found) <= EXACT


def test_a_temperature_divides_the_logits():
    policy, prompt, response = policy_of("qwen3"), (2, 3, 4), (5, 6)
    (scored,) = policy.logprobs([Group((prompt, (7, 8)), (response,))], temperature=0.5)
    logits = policy.model(torch.tensor([[*prompt, *response]])).logits[0, 2:4].detach() / 0.5
    expected = logits.log_softmax(-1)[[0, 1], list(response)].numpy()
    for found in (scored.variants[0][0], scored.identity[0]):
        np.testing.assert_allclose(found, expected, atol=EXACT)


@pytest.mark.parametrize("family", [*FAMILIES[1:], *OTHERS])
def test_every_family_is_exact(family):
    assert max(departures(policy_of(family), random_groups(24))) <= EXACT


@pytest.mark.parametrize("family", ["qwen3", "mamba2"])
@pytest.mark.parametrize("lacking", ["padding", "continuation", "shifting"])
def test_a_model_that_lacks_a_capability_is_scored_exactly_without_it(family, lacking):
    policy = policy_of(family)
    policy.capabilities = replace(policy.capabilities, **{lacking: False})
    assert max(departures(policy, random_groups(24))) <= EXACT


def test_drift_agrees_with_the_reference():
    policy, groups = policy_of("qwen3"), random_groups(40, seed=3)
    reference = Reference(policy.model)
    for group, scored in zip(groups, policy.logprobs(groups), strict=True):
        for prompt, rows in zip(group.prompts, scored.variants, strict=True):
            for i, response in enumerate(group.responses):
                ours = 2 * np.tanh(np.abs(rows[i] - scored.variants[0][i]) / 2)
                p0, pk = (np.exp(reference.logps(x, response)) for x in (group.prompts[0], prompt))
                assert np.abs(ours - np.abs(p0 - pk) / ((p0 + pk) / 2)).max(initial=0) <= 2 * EXACT


def test_a_chat_template_and_the_border_between_prompt_and_response():
    policy = LocalPolicy(tiny_model(), byte_tokenizer(chat_template=CHAT_TEMPLATE), name="tiny")
    prompts = tuple(policy.encode_prompt(text) for text in ("the fox", "the red fox", "a fox\n"))
    responses = tuple((*policy.encode_response(text), EOS) for text in (" the answer", "the", ""))
    assert prompts[0][-1] == policy.tokenizer.convert_tokens_to_ids("<|assistant|>")
    assert max(departures(policy, [Group(prompts, responses)])) <= EXACT


@pytest.mark.parametrize("family", ["qwen3", "olmo_hybrid"])
@pytest.mark.parametrize("tokens", [1, 60, 150, 700, 10_000])
def test_the_budget_changes_nothing_but_rounding(family, tokens):
    assert max(departures(policy_of(family, tokens=tokens), random_groups(30, seed=1))) <= EXACT


class Calls:
    """Counts what the body is given, and can run out of memory."""

    def __init__(self, policy: LocalPolicy, memory: int | None = None) -> None:
        self.shapes: list[tuple[int, int]] = []
        self.memory = memory
        self.failures = 0
        policy.capabilities  # noqa: B018  # tried before we listen
        scoring.head_of(policy.model)
        policy.model.base_model.register_forward_pre_hook(self._hear, with_kwargs=True)

    def _hear(self, module: Any, args: Any, kwargs: Any) -> None:
        rows, columns = kwargs["input_ids"].shape
        mask = kwargs.get("attention_mask")
        if self.memory is not None and rows * (columns if mask is None else mask.shape[1]) > self.memory:
            self.failures += 1
            raise torch.OutOfMemoryError("out of memory")
        self.shapes.append((rows, columns))


def test_each_prompt_is_read_once_for_all_responses():
    rng = random.Random(0)
    group = Group(
        tuple(tuple(rng.randrange(VOCABULARY) for _ in range(n)) for n in (40, 50, 45)),
        tuple(tuple(rng.randrange(VOCABULARY) for _ in range(n)) for n in (6, 6, 6, 6, 11, 1)),
    )
    policy = policy_of("qwen3", tokens=4 * 4 * 56)
    calls = Calls(policy)
    policy.logprobs([group])
    # Three variants and the identity, padded to 50; then the responses, without their last tokens: the longest with
    # those four of similar length that fit, and last the one of a single token, which the prompts alone decide.
    assert calls.shapes == [(4, 50), (12, 10), (12, 5)]


def test_all_variants_of_a_response_share_one_shape_when_they_are_split():
    group = random_group(random.Random(2), variants=4, responses=2, longest=20)
    width = max(map(len, group.prompts)) + max(map(len, group.responses))
    policy = policy_of("qwen3", tokens=2 * width)
    calls = Calls(policy)
    assert max(departures(policy, [group])) <= EXACT
    # Five rows go two by two, and the last is joined by a filler: three times the same batches.
    assert {rows for rows, _ in calls.shapes} == {2}
    assert calls.shapes == calls.shapes[: len(calls.shapes) // 3] * 3


def test_running_out_of_memory_halves_the_budget_and_goes_on():
    groups = random_groups(30, seed=5)
    policy = policy_of("qwen3")
    calls = Calls(policy, memory=500)
    assert max(departures(policy, groups)) <= EXACT
    assert calls.failures > 0
    assert policy.budget.tokens < 2 * 500
    calls.failures = 0
    policy.logprobs(groups)
    assert calls.failures == 0


def test_a_row_that_does_not_fit_is_a_clear_error():
    policy = policy_of("qwen3")
    Calls(policy, memory=10)
    with pytest.raises(SemifactualError, match="a single row of 44 tokens does not fit"):
        policy.logprobs([Group(((1,) * 40, (2,) * 3), ((3,) * 4,))])


def test_the_identity_shows_rounding_and_nothing_else():
    rng = random.Random(7)
    original = tuple(rng.randrange(VOCABULARY) for _ in range(20))
    responses = tuple(tuple(rng.randrange(VOCABULARY) for _ in range(25)) for _ in range(4))
    for prompts in ((original, (*original, 5, 6, 7)), (original, original[:10]), (original,)):
        for family in ("qwen3", "gpt2"):
            [scored] = policy_of(family).logprobs([Group(prompts, responses)])
            noise = np.abs(np.concatenate(scored.identity) - np.concatenate(scored.variants[0]))
            assert 0 < noise.max() <= 1e-5
            # A copy of the original among the variants is read in the same place, and is no measure of noise.
            [scored] = policy_of(family).logprobs([Group((*prompts, original), responses)])
            copy = np.abs(np.concatenate(scored.variants[-1]) - np.concatenate(scored.variants[0]))
            assert copy.max() <= noise.max()


def test_the_identity_shows_the_noise_that_variants_have_in_bf16():
    """The noise of a variant against that of the original, known here from float64, and what the identity says."""
    policy = policy_of("qwen3", dtype=torch.bfloat16, num_hidden_layers=4)
    reference = Reference(policy.model)
    groups = [random_group(random.Random(seed), variants=2, responses=4) for seed in range(8)]
    true, shown = [], []
    for group, scored in zip(groups, policy.logprobs(groups), strict=True):
        for i, response in enumerate(group.responses):
            exact = [reference.logps(prompt, response) for prompt in group.prompts]
            true.extend((scored.variants[1][i] - exact[1]) - (scored.variants[0][i] - exact[0]))
            shown.extend(scored.identity[i] - scored.variants[0][i])
    ratio = float(np.std(shown) / np.std(true))
    assert 0.5 < ratio < 1.5


def test_no_tensor_of_tokens_by_vocab_is_made():
    policy = policy_of("qwen3", vocab_size=20_000)
    groups = [random_group(random.Random(0), variants=2, responses=3, longest=30)]
    policy.capabilities  # noqa: B018
    scoring.head_of(policy.model)
    tokens = sum(map(len, groups[0].responses)) * 3
    weight = policy.model.lm_head.weight.numel()
    with LargestTensor() as largest:
        policy.logprobs(groups)
    assert largest.elements <= max(weight, 2**21) < tokens * 20_000


def test_small_groups_are_defined():
    policy = policy_of("qwen3")
    nothing, one = (), (EOS,)
    [alone, empty, none] = policy.logprobs(
        [Group(((4, 5),), (one,)), Group(((4, 5), (6,)), (nothing, one)), Group(((4,), (5,)), ())]
    )
    assert alone.variants[0][0] == pytest.approx(Reference(policy.model).logps((4, 5), one), abs=EXACT)
    assert [len(logps) for rows in (*empty.variants, empty.identity) for logps in rows] == [0, 1] * 3
    assert none.variants == ((), ()) and none.identity == ()
    assert policy.logprobs([]) == []


def test_what_cannot_be_scored_is_refused():
    policy = policy_of("gpt2")
    with pytest.raises(ConfigError, match="prompt is empty"):
        policy.logprobs([Group(((1, 2), ()), ((3,),))])
    with pytest.raises(ConfigError, match="have 260 tokens together, more than the 256"):
        policy.logprobs([Group(((1,) * 250, (2,)), ((3,) * 10,))])
    assert max(departures(policy, [Group(((1,) * 250, (2,)), ((3,) * 6, (4,)))])) <= EXACT


def test_forward_reads_positions_from_elsewhere():
    """What the identity rests on: shifted positions, through a prefill and through a continuation."""
    model = tiny_model()
    forward = CachedForward(model.base_model)
    ids = torch.tensor([[7, 8, 9], [7, 8, 9]])
    with torch.no_grad():
        _, state = forward.prefill([[4, 5], [4, 5]], shifts=[0, 30])
        plain, shifted = forward.extend(state, ids)
    assert not torch.equal(plain, shifted)
    torch.testing.assert_close(plain, shifted, rtol=0, atol=1e-4)


def test_a_budget_below_one_token_is_refused():
    with pytest.raises(ConfigError):
        TokenBudget(0)
