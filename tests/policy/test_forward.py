"""Log-probs with gradient, against whole logits and against the scorer."""

from __future__ import annotations

import random

import pytest
import torch

from semifactual.errors import ConfigError
from semifactual.policy.forward import response_logprobs
from semifactual.policy.local import LocalPolicy
from semifactual.policy.policy import Group
from tests.policy.models import FAMILIES, OTHERS, VOCABULARY, byte_tokenizer, tiny_model
from tests.tensor.memory import LargestTensor

TOLERANCE = {"mamba2": 3e-5}
"""By default 1e-6: norms compute in float32 even in a float64 model. Mamba's recurrence and its logits do as well."""

LENGTHS = ((3, 5), (9, 1), (1, 0), (6, 11))
"""Prompt and response of each row."""


def rows():
    rng = random.Random(0)
    drawn = [[[rng.randrange(VOCABULARY) for _ in range(n)] for n in pair] for pair in LENGTHS]
    return [prompt for prompt, _ in drawn], [response for _, response in drawn]


def plain(model, prompts, responses, temperature=1.0):
    """One unpadded forward a row, with all logits: log-probs and entropies, all rows one after the other."""
    logps, entropies = [], []
    for prompt, response in zip(prompts, responses, strict=True):
        z = model(input_ids=torch.tensor([prompt + response])).logits[0, len(prompt) - 1 : -1].double() / temperature
        distribution = z.log_softmax(-1)
        logps.append(distribution.gather(1, torch.tensor(response, dtype=torch.long)[:, None])[:, 0])
        entropies.append(-(distribution.exp() * distribution).sum(-1))
    return torch.cat(logps), torch.cat(entropies)


@pytest.mark.parametrize("family", [family for family in (*FAMILIES, *OTHERS) if family != "qwen3_next"])
@pytest.mark.parametrize("temperature", [1.0, 0.6])
def test_value_entropy_and_gradient_in_float64(family, temperature):
    model, (prompts, responses) = tiny_model(family, dtype=torch.float64), rows()
    tolerance = TOLERANCE.get(family, 1e-6)
    ours = response_logprobs(model, prompts, responses, temperature=temperature, with_entropy=True)
    assert ours.mask.sum(dim=1).tolist() == [response for _, response in LENGTHS]
    assert ours.logps.shape == ours.entropy.shape == ours.mask.shape == (4, 11)
    assert not ours.logps[~ours.mask].any() and not ours.entropy[~ours.mask].any()

    logps, entropies = plain(model, prompts, responses, temperature)
    torch.testing.assert_close(ours.logps[ours.mask], logps, rtol=0, atol=tolerance)
    torch.testing.assert_close(ours.entropy[ours.mask], entropies, rtol=0, atol=tolerance)
    upstream = torch.linspace(-1, 1, len(logps), dtype=torch.float64)
    parameters = list(model.parameters())
    found = torch.autograd.grad(ours.logps[ours.mask], parameters, upstream, allow_unused=True)
    for ours, theirs in zip(found, torch.autograd.grad(logps, parameters, upstream, allow_unused=True), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=tolerance * float(theirs.abs().max()))


def test_it_agrees_with_the_scorer():
    model, (prompts, responses) = tiny_model("qwen3_next"), rows()
    ours = response_logprobs(model, prompts, responses)
    policy = LocalPolicy(model, byte_tokenizer(), name="tiny")
    scored = policy.logprobs([Group((tuple(p),), (tuple(r),)) for p, r in zip(prompts, responses, strict=True)])
    for row, group in enumerate(scored):
        [[logps]] = group.variants
        torch.testing.assert_close(ours.logps[row, : len(logps)].detach(), torch.tensor(logps), rtol=0, atol=1e-5)


def test_gradient_checkpointing_changes_nothing():
    prompts, responses = rows()
    found = []
    for checkpointing in (False, True):
        model = tiny_model().train()
        if checkpointing:
            model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        response_logprobs(model, prompts, responses).logps.sum().backward()
        found.append([parameter.grad for parameter in model.parameters()])
    assert all(torch.equal(one, other) for one, other in zip(*found, strict=True))


def test_bf16_weights_have_an_fp32_head():
    model, (prompts, responses) = tiny_model(dtype=torch.bfloat16), rows()
    ours = response_logprobs(model, prompts, responses)
    assert ours.logps.dtype == torch.float32
    ours.logps.sum().backward()
    assert all(parameter.grad.dtype == torch.bfloat16 for parameter in model.parameters())


def test_no_tensor_of_tokens_by_vocab_is_made_forward_or_backward():
    model = tiny_model(vocab_size=20_000)
    prompts, responses = [[1, 2]] * 4, [[3] * 60] * 4
    response_logprobs(model, prompts[:1], responses[:1])
    with LargestTensor() as largest:
        response_logprobs(model, prompts, responses, with_entropy=True).logps.sum().backward()
    assert largest.elements <= 2**21 < 4 * 60 * 20_000


def test_a_common_width_and_nothing_to_score():
    model = tiny_model()
    assert response_logprobs(model, [[1], [2]], [[3], []], width=7).mask.sum(dim=1).tolist() == [1, 0]
    nothing = response_logprobs(model, [[1], [2]], [[], []], with_entropy=True)
    assert nothing.logps.shape == nothing.entropy.shape == (2, 0)
    with pytest.raises(ConfigError, match="prompt is empty"):
        response_logprobs(model, [[1], []], [[3], [4]])
