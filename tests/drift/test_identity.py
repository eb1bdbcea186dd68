from __future__ import annotations

import torch
from torch import nn

from semifactual.drift.identity import weights_fingerprint


def layer(seed: int, *, outputs: int = 7) -> nn.Module:
    torch.manual_seed(seed)
    return nn.Linear(900, outputs)


def test_equal_weights_have_one_fingerprint_and_others_another() -> None:
    first = weights_fingerprint(layer(0))
    assert weights_fingerprint(layer(0)) == first
    assert len({first, weights_fingerprint(layer(1)), weights_fingerprint(layer(0, outputs=8))}) == 3
    assert weights_fingerprint(layer(0).bfloat16()) != first


def test_a_step_of_training_changes_the_fingerprint() -> None:
    model = layer(0)
    before = weights_fingerprint(model)
    model(torch.ones(1, 900)).sum().backward()
    torch.optim.SGD(model.parameters(), lr=1e-3).step()
    assert weights_fingerprint(model) != before
