"""What a model class can do exactly with padding and caches, found out by trying it on a few tokens."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from semifactual.errors import ConfigError
from semifactual.policy.cache import CachedForward, Capabilities, State

_PROMPTS = (13, 9, 6)
"""Lengths of the prompts tried. With a convolution of four tokens, each kind of leak shows within these."""
_RESPONSE = 7
_SHIFT = 11
_EXACT = 1e-3
"""The largest departure that counts as rounding, relative to the spread of the outputs, in float32 and wider. A leak of
pads or a lost state gives a departure of the order of one."""
_ROUGH = 0.1
"""The same in 16 bits, for the median over positions: in a mixture of experts, rounding sends some tokens elsewhere."""


@torch.no_grad()
def find_capabilities(body: nn.Module, vocabulary: int) -> Capabilities:
    """Compare padded, cached and copied ways of reading with plain ones, on made-up tokens.

    Args:
        body: a causal model or the body of one, in evaluation mode.
        vocabulary: how many token ids it knows.

    Raises:
        ConfigError: what stands to the right of a token changes the model's output there, so it is no causal model.
    """
    tried = _Trial(body, vocabulary)
    if not tried.right_padding():
        raise ConfigError(
            "the model reads ahead: later tokens change its output at earlier ones, so it is no causal language model",
            hint="take a model that predicts the next token, such as one of the Qwen3 family",
        )
    stepping = _holds(tried.stepping)
    padding = _holds(tried.padding) and (not stepping or _holds(tried.padded_stepping))
    continuation = stepping and _holds(tried.continuation) and (not padding or _holds(tried.padded_continuation))
    shifting = _holds(tried.shifting)
    return Capabilities(padding=padding, stepping=stepping, continuation=continuation, shifting=shifting)


def _holds(trial: Callable[[], bool]) -> bool:
    """Whether a trial succeeds. What a model class refuses, it refuses by any kind of exception: that is the answer."""
    try:
        return trial()
    except torch.OutOfMemoryError:
        raise
    except Exception:
        return False


class _Trial:
    """Made-up prompts and responses, and what the model makes of them when each is read alone."""

    def __init__(self, body: nn.Module, vocabulary: int) -> None:
        draw = torch.Generator().manual_seed(0)
        ids = torch.randint(0, vocabulary, (len(_PROMPTS), max(_PROMPTS) + _RESPONSE), generator=draw).tolist()
        self.prompts = [row[:length] for row, length in zip(ids, _PROMPTS, strict=True)]
        self.responses = torch.tensor([row[-_RESPONSE:] for row in ids], device=next(body.parameters()).device)
        self.forward = CachedForward(body)
        plain = CachedForward(body, Capabilities(padding=False, stepping=False, continuation=False))
        self.alone = []
        for row in range(len(self.prompts)):
            last, state = plain.prefill(self.prompts[row : row + 1])
            new = plain.extend(state, self.responses[row : row + 1])
            self.alone.append(torch.cat([last, new[0]]))
        self.plain = plain

    def right_padding(self) -> bool:
        _, state = self.plain.prefill(self.prompts[2:])
        new = self.plain.extend(state, torch.cat([self.responses[2:], self.responses[1:2]], dim=1))
        return self._same(new[:, :_RESPONSE], [2], start=1)

    def padding(self) -> bool:
        """A batch padded on the left, and one padded row alone."""
        batch, _ = self.forward.prefill(self.prompts)
        single, _ = self.forward.prefill(self.prompts[1:2], width=max(_PROMPTS))
        return self._same(batch[:, None], range(len(self.prompts))) and self._same(single[:, None], [1])

    def stepping(self) -> bool:
        _, state = self.forward.prefill(self.prompts[:1])
        return self._same(self._steps(state, [0, 0, 0], [0, 0]), [0, 0], start=1)

    def padded_stepping(self) -> bool:
        _, state = self.forward.prefill(self.prompts)
        return self._same(self._steps(state, [0, 1, 1, 2, 2], [4, 1]), [2, 1], start=1)

    def continuation(self) -> bool:
        _, state = self.forward.prefill(self.prompts[:1])
        state = state.select(self._index([0, 0]))
        return self._same(self.forward.extend(state, self.responses[[0, 0]]), [0, 0], start=1)

    def padded_continuation(self) -> bool:
        _, state = self.forward.prefill(self.prompts)
        state = state.select(self._index([0, 2, 2]))
        return self._same(self.forward.extend(state, self.responses[[0, 2, 2]]), [0, 2, 2], start=1)

    def shifting(self) -> bool:
        """Positions that count from elsewhere, where the model takes positions at all."""
        if "position_ids" not in inspect.signature(self.forward.module.forward).parameters:
            return False
        rows = torch.tensor([[*self.prompts[0], *self.responses[0].tolist()]], device=self.responses.device)
        positions = torch.arange(rows.shape[1], device=rows.device)[None] + _SHIFT
        outputs = self.forward.module(input_ids=rows, position_ids=positions, use_cache=False).last_hidden_state
        return self._same(outputs[:, len(self.prompts[0]) - 1 :], [0])

    def _steps(self, state: State, rows: list[int], later: list[int]) -> Tensor:
        """Outputs of stepping through the responses, on rows copied at first and picked again half way."""
        current = torch.tensor(rows)
        state = state.select(self._index(rows))
        outputs: list[Tensor] = []
        for token in range(_RESPONSE):
            if token == _RESPONSE // 2:
                state, current = state.select(self._index(later)), current[later]
                outputs = [output[later] for output in outputs]
            outputs.append(self.forward.extend(state, self.responses[current, token : token + 1]))
        return torch.cat(outputs, dim=1)

    def _index(self, rows: list[int]) -> Tensor:
        return torch.tensor(rows, device=self.responses.device)

    def _same(self, outputs: Tensor, rows: Sequence[int], start: int = 0) -> bool:
        """Whether outputs [row, token, output] are those of the rows when each is read alone, from token `start` on."""
        expected = torch.stack([self.alone[row][start : start + outputs.shape[1]] for row in rows])
        spread = expected.double().std().clamp(min=1e-30)
        departure = (outputs.double() - expected.double()).abs().amax(dim=-1) / spread
        if outputs.dtype.itemsize < 4:
            return bool(departure.median() < _ROUGH)
        return bool(departure.max() < _EXACT)
