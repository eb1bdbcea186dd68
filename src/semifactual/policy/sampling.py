"""Drawing tokens: temperature, nucleus, and a random stream for each response that its seed alone decides."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from semifactual.errors import SemifactualError
from semifactual.policy.policy import Sampling

_BLOCK = 64
"""Tokens of the vocabulary whose probabilities are summed first, so that no running sum spans the whole vocabulary."""
_FIRST_LOOK = 64
"""The most probable tokens that a nucleus is looked for in first; the search widens where they do not hold it."""


def response_seed(seed: int, problem_id: str, sample: int) -> int:
    """The seed of one response: the first 8 bytes of the SHA-256 of ``[seed, problem_id, sample]`` as JSON.

    It depends on nothing else, neither on the order of the problems nor on how many samples there are.

    >>> response_seed(0, "p-1", 0) == response_seed(0, "p-1", 0) != response_seed(0, "p-1", 1)
    True
    """
    text = json.dumps([seed, problem_id, sample], separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


class Streams:
    """Uniform numbers in [0, 1) for each row, from a Philox generator that the row's seed starts."""

    def __init__(self, seeds: Sequence[int]) -> None:
        self._generators = [np.random.Generator(np.random.Philox(seed)) for seed in seeds]

    def draw(self, rows: Sequence[int], count: int) -> Tensor:
        """The next `count` numbers of each of the rows named, [row, count] in float64."""
        return torch.from_numpy(np.stack([self._generators[row].random(count) for row in rows]))


def draw_tokens(logits: Tensor, uniforms: Tensor, sampling: Sampling) -> Tensor:
    """One token a row, by inverting the cumulative distribution at the row's uniform number.

    A row's token depends on its own logits and its own number alone. With logits that differ by rounding, as they do
    between batch shapes, the token differs only where the number lies within rounding of a border between two tokens.

    Args:
        logits: [row, vocab]
        uniforms: [row] in [0, 1), float64; not looked at where the temperature is 0.

    Returns:
        [row] token ids; at temperature 0 the most probable ones.

    Raises:
        SemifactualError: the logits of a row are not numbers.
    """
    if sampling.temperature == 0:
        return logits.argmax(dim=-1)
    scaled = logits.float()
    weights = (scaled - scaled.amax(dim=-1, keepdim=True)).div_(sampling.temperature).exp_()
    if sampling.top_p < 1:
        weights = _keep_nucleus(weights, sampling.top_p)
    return _invert(weights, uniforms.to(weights.device))


def token_logprobs(logits: Tensor, sampling: Sampling) -> Tensor:
    """[row, vocab] log-probs of what `draw_tokens` draws from, in fp32; minus infinity outside the nucleus.

    The temperature must be above 0.
    """
    logps = (logits.float() / sampling.temperature).log_softmax(dim=-1)
    if sampling.top_p < 1:
        outside = _keep_nucleus(logps.exp(), sampling.top_p) == 0
        logps = logps.masked_fill(outside, -torch.inf).log_softmax(dim=-1)
    return logps


def _keep_nucleus(weights: Tensor, top_p: float) -> Tensor:
    """Zero outside the smallest set of tokens that holds `top_p` of the weight; ties at its border all stay."""
    enough = top_p * weights.sum(dim=-1, keepdim=True, dtype=torch.float64)
    border = torch.empty_like(weights[:, :1])
    rows = torch.arange(len(weights), device=weights.device)
    vocabulary, look = weights.shape[-1], _FIRST_LOOK
    while len(rows):
        # Close to the whole vocabulary, one more look costs as much as all of it.
        look = vocabulary if 2 * look >= vocabulary else look
        top = weights[rows].topk(look).values
        short = top.cumsum(dim=-1, dtype=torch.float64) < enough[rows]
        border[rows] = top.gather(1, short.sum(dim=-1, keepdim=True).clamp(max=look - 1))
        rows = rows[short[:, -1]] if look < vocabulary else rows[:0]
        look *= 8
    return weights.masked_fill(weights < border, 0)


def _invert(weights: Tensor, uniforms: Tensor) -> Tensor:
    """The first token whose cumulative weight exceeds `uniforms` times the whole; weights need not sum to one.

    First the block of tokens is found, then the token in it, in float64, so that the last tokens of a large vocabulary
    keep their exact share.
    """
    rows, vocabulary = weights.shape
    blocks = -(-vocabulary // _BLOCK)
    whole = weights[:, : vocabulary // _BLOCK * _BLOCK].view(rows, -1, _BLOCK).sum(dim=-1)
    rest = weights[:, vocabulary // _BLOCK * _BLOCK :].sum(dim=-1, keepdim=True)
    running = torch.cat([whole, rest], dim=1)[:, :blocks].cumsum(dim=1, dtype=torch.float64)
    total = running[:, -1:]
    if not bool(total.isfinite().all()):
        raise SemifactualError(
            "the model's logits are not numbers, so no token can be drawn",
            hint="look at its weights; in 16 bits, try float32",
        )
    target = torch.minimum(uniforms[:, None] * total, total * (1 - 2**-50))
    block = torch.searchsorted(running, target, right=True)
    before = torch.where(block > 0, running.gather(1, (block - 1).clamp(min=0)), 0)
    places = block * _BLOCK + torch.arange(_BLOCK, device=weights.device)
    inner = weights.gather(1, places.clamp(max=vocabulary - 1)).masked_fill_(places >= vocabulary, 0)
    inner_running = inner.cumsum(dim=1, dtype=torch.float64)
    # The two ways of summing a block may differ by rounding; the bound keeps the number inside the block.
    inside = torch.minimum(target - before, inner_running[:, -1:] * (1 - 2**-50))
    return (block * _BLOCK + torch.searchsorted(inner_running, inside, right=True))[:, 0]
