"""Flat and padded forms: there and back, and nothing passes from masked positions, neither value nor gradient."""

from __future__ import annotations

import torch

from semifactual.tensor.ragged import flatten, response_numbers, token_owners, unflatten

MASK = torch.tensor([[True, True, False], [False, False, False], [False, True, True]])


def test_there_and_back() -> None:
    padded = torch.arange(18.0).reshape(2, 3, 3)
    flat = flatten(padded, MASK)
    assert flat.tolist() == [[0, 1, 7, 8], [9, 10, 16, 17]]
    assert torch.equal(unflatten(flat, MASK), padded.where(MASK, 0))


def test_owners() -> None:
    assert response_numbers(MASK).tolist() == [0, 0, 2, 2]
    assert token_owners(torch.tensor([5, 6, 7]), MASK).tolist() == [5, 5, 7, 7]


def test_no_gradient_from_masked_positions() -> None:
    padded = torch.zeros(3, 3).masked_fill(~MASK, torch.nan).requires_grad_()
    flatten(padded, MASK).exp().sum().backward()
    assert torch.equal(padded.grad, MASK.float())
