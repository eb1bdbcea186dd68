"""pass@k: the chance that at least one of k samples is right, estimated without bias from more than k samples."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor


def pass_at_k(right: Int[Tensor, " group"], samples: Int[Tensor, " group"], k: int) -> Float[Tensor, " group"]:
    """1 - C(n - c, k) / C(n, k) for each problem with c right ones among n samples, in fp64.

    Raises:
        ValueError: k is below 1, a problem has fewer than k samples, or more right ones than samples.

    >>> pass_at_k(torch.tensor([0, 1, 3, 4]), torch.tensor([4, 4, 4, 4]), 2)
    tensor([0.0000, 0.5000, 1.0000, 1.0000], dtype=torch.float64)
    """
    if k < 1 or bool((samples < k).any()):
        raise ValueError(f"pass@{k} needs at least one sample to draw, and {max(k, 1)} samples of every problem")
    if bool(((right < 0) | (right > samples)).any()):
        raise ValueError("a problem cannot have more right samples than samples")
    n, wrong = samples.double(), (samples - right).double()
    enough = wrong >= k
    drawable = wrong.where(enough, k)
    log_none = _log_choose(drawable, k) - _log_choose(n, k)
    return torch.where(enough, 1 - log_none.exp(), 1.0)


def _log_choose(n: Float[Tensor, " group"], k: int) -> Float[Tensor, " group"]:
    """ln C(n, k), without the part that depends on k alone."""
    return torch.lgamma(n + 1) - torch.lgamma(n - k + 1)
