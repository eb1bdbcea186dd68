"""Our loss and its gradient against TRL's, for its grpo, dapo and dr_grpo, with advantages that differ by token."""

from __future__ import annotations

from collections import defaultdict
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor

from semifactual.tensor.aggregation import constant_mean, sequence_mean, token_mean
from semifactual.tensor.loss import clipped_surrogate
from semifactual.tensor.ragged import flatten, response_numbers

pytest.importorskip("trl", reason="TRL lives in an environment of its own: make test-integrations")

from trl import GRPOTrainer

RESPONSES, LENGTH, LONGEST = 8, 11, 16


def trl_loss(
    loss_type: str, logp: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, *, delta: float | None, parts: int
) -> Tensor:
    """What TRL accumulates over `parts` micro-batches, by its own `_compute_loss` on a stand-in for the trainer."""
    total = torch.zeros((), dtype=logp.dtype)
    for rows in torch.arange(RESPONSES).chunk(parts):
        trainer = SimpleNamespace(
            loss_type=loss_type,
            model=SimpleNamespace(training=True),
            args=SimpleNamespace(delta=delta, use_bias_correction_kl=False, steps_per_generation=parts),
            accelerator=SimpleNamespace(
                num_processes=1, gather=lambda values: values, reduce=lambda values, reduction: values
            ),
            epsilon_low=0.20,
            epsilon_high=0.28,
            beta=0.0,
            importance_sampling_level="token",
            max_completion_length=LONGEST,
            current_gradient_accumulation_steps=parts,
            top_entropy_quantile=1.0,
            off_policy_mask_threshold=None,
            aux_loss_enabled=False,
            use_vllm=False,
            _entropy_bonus_enabled=False,
            _metrics={"train": defaultdict(list)},
            _get_per_token_logps_and_entropies=lambda *_, rows=rows, **__: (
                logp[rows],
                torch.zeros_like(logp[rows]),
                None,
            ),
        )
        inputs = {
            "prompt_ids": torch.zeros(len(rows), 1, dtype=torch.long),
            "prompt_mask": torch.ones(len(rows), 1, dtype=torch.long),
            "completion_ids": torch.zeros(len(rows), LENGTH, dtype=torch.long),
            "completion_mask": mask[rows].long(),
            "advantages": advantages[rows],
            "old_per_token_logps": old[rows],
            "num_items_in_batch": mask.sum(),
        }
        total = total + GRPOTrainer._compute_loss(trainer, trainer.model, inputs)
    return total


def our_loss(
    loss_type: str, logp: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, *, dual_clip: float | None
) -> Tensor:
    flat = (flatten(values, mask) for values in (logp, old, advantages))
    loss = clipped_surrogate(*flat, dual_clip=dual_clip).loss
    if loss_type == "grpo":
        return sequence_mean(loss, response_numbers(mask), RESPONSES, int(mask.any(1).sum()))
    if loss_type == "dapo":
        return token_mean(loss, int(mask.sum()))
    return constant_mean(loss, RESPONSES, LONGEST)


@pytest.mark.parametrize("dual_clip", [None, 10.0], ids=["", "dual clip"])
@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("loss_type", ["grpo", "dapo", "dr_grpo"])
def test_loss_and_gradient_equal(loss_type: str, parts: int, dual_clip: float | None) -> None:
    for seed in range(20):
        generator = torch.Generator().manual_seed(seed)
        logp = (-4 * torch.rand(RESPONSES, LENGTH, generator=generator, dtype=torch.float64)).requires_grad_()
        old = -4 * torch.rand(RESPONSES, LENGTH, generator=generator, dtype=torch.float64)
        advantages = torch.randn(RESPONSES, LENGTH, generator=generator, dtype=torch.float64)
        lengths = torch.randint(1, LENGTH + 1, (RESPONSES, 1), generator=generator)
        mask = torch.arange(LENGTH) < lengths

        theirs = trl_loss(loss_type, logp, old, advantages, mask, delta=dual_clip, parts=parts)
        ours = our_loss(loss_type, logp, old, advantages, mask, dual_clip=dual_clip)
        (their_gradient,) = torch.autograd.grad(theirs, logp)
        (our_gradient,) = torch.autograd.grad(ours, logp)

        assert our_gradient.abs().max() > 1e-3
        assert torch.allclose(ours, theirs, atol=1e-12)
        assert torch.allclose(our_gradient, their_gradient, atol=1e-12)
