"""A live model and its tokenizer as a policy: what generates and scores leaves the model as it was."""

from __future__ import annotations

import torch

from semifactual.policy.local import LocalPolicy
from semifactual.policy.policy import Group, Policy, Request, Sampling
from tests.policy.models import byte_tokenizer, tiny_model


def test_it_is_a_policy_by_name() -> None:
    policy: Policy = LocalPolicy(tiny_model(), byte_tokenizer(), name="mine")
    assert policy.name == "mine"
    assert LocalPolicy(tiny_model(), byte_tokenizer()).name == "Qwen3ForCausalLM"


def test_a_model_in_training_stays_in_training() -> None:
    model = tiny_model("qwen3", attention_dropout=0.5)
    expected = LocalPolicy(model, byte_tokenizer()).generate([Request((5, 6), (1,))], Sampling(max_new_tokens=9))
    model.train()
    model.gradient_checkpointing_enable()
    frozen = model.model.layers[0]
    frozen.eval()
    modes = [module.training for module in model.modules()]
    policy = LocalPolicy(model, byte_tokenizer())
    # Dropout would change the tokens, and gradient checkpointing would switch the cache off.
    assert policy.generate([Request((5, 6), (1,))], Sampling(max_new_tokens=9)) == expected
    policy.logprobs([Group(((5, 6), (7, 5, 6)), ((8, 9),))])
    assert [module.training for module in model.modules()] == modes
    assert all(parameter.requires_grad and parameter.grad is None for parameter in model.parameters())
    model(input_ids=torch.tensor([[5, 6, 7]])).logits.sum().backward()
    assert model.lm_head.weight.grad is not None


def test_weights_that_move_are_seen_at_once() -> None:
    model = tiny_model()
    policy = LocalPolicy(model, byte_tokenizer())
    group = Group(((5, 6),), ((8, 9),))
    before = policy.logprobs([group])[0].variants[0][0]
    with torch.no_grad():
        model.lm_head.weight.mul_(0.5)
    assert abs(policy.logprobs([group])[0].variants[0][0] - before).max() > 1e-3


def test_text_goes_both_ways() -> None:
    policy = LocalPolicy(tiny_model(), byte_tokenizer())
    ids = policy.encode_response(" the ox")
    assert policy.decode(ids) == "".join(policy.token_texts(ids)) == " the ox"
    assert policy.encode_prompt(" the ox") == ids
