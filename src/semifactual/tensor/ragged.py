"""Between padded tensors [response, token] with a mask and the flat form [token] that this room computes on.

In the flat form there are only valid tokens, and integers say whose they are: ``response[token]``, ``group[token]``.
So a masked token cannot reach a result, whatever stands in its place, and neither can its gradient.
"""

from __future__ import annotations

from jaxtyping import Bool, Int, Shaped
from torch import Tensor, arange


def flatten(
    padded: Shaped[Tensor, "*variant response position"], mask: Bool[Tensor, "response position"]
) -> Shaped[Tensor, "*variant token"]:
    """The valid tokens, response by response, in order; gradients flow back to them alone.

    >>> import torch
    >>> flatten(torch.tensor([[1.0, 2.0], [3.0, torch.nan]]), torch.tensor([[True, True], [True, False]]))
    tensor([1., 2., 3.])
    """
    return padded[..., mask]


def unflatten(
    values: Shaped[Tensor, "*variant token"], mask: Bool[Tensor, "response position"]
) -> Shaped[Tensor, "*variant response position"]:
    """The inverse of `flatten`, with zeros at masked positions."""
    padded = values.new_zeros(*values.shape[:-1], *mask.shape)
    padded[..., mask] = values
    return padded


def token_owners(owner: Int[Tensor, " response"], mask: Bool[Tensor, "response position"]) -> Int[Tensor, " token"]:
    """For every valid token what `owner` says of its response: its group, or its number among the responses.

    >>> import torch
    >>> mask = torch.tensor([[True, True, False], [True, False, False]])
    >>> token_owners(torch.tensor([7, 4]), mask)
    tensor([7, 7, 4])
    """
    return owner.unsqueeze(1).expand(mask.shape)[mask]


def response_numbers(mask: Bool[Tensor, "response position"]) -> Int[Tensor, " token"]:
    """For every valid token the number of its response, counted from 0."""
    return token_owners(arange(mask.shape[0], device=mask.device), mask)
