"""Reading prompts once and continuing them: what this package knows of the caches of transformers.

A `CachedForward` wraps a causal model, or its body without the head. It reads a batch of prompts (`prefill`), copies
and picks rows of what was read (`State.select`), and continues every row by one or by several tokens (`extend`). What a
model class cannot do exactly with a cache (see `semifactual.policy.capabilities`) is done by reading the whole rows
again, behind the same interface.

The shapes: ``row`` is one sequence, ``token`` its positions, ``output`` the vocabulary or the width of the body.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers.cache_utils import DynamicLayer

CACHE_NAMES = ("cache", "past_key_values", "cache_params")
"""What forward calls its cache: transformers from 5.2x on, attention models before it, state-space models before it."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a model computes exactly, up to rounding. What it does not is done without, more slowly."""

    padding: bool = True
    """Prompts of different lengths may share a batch, padded on the left. Otherwise a batch must be of one length."""
    stepping: bool = True
    """A cache, rows of it copied, picks up where it stopped, one token at a time."""
    continuation: bool = True
    """A cache may be continued by several tokens at once."""
    shifting: bool = True
    """Only the distances between tokens count: adding a number to every position of a row changes nothing."""


@dataclass(slots=True)
class State:
    """What a model has read of each row, ready to be continued."""

    cache: Any
    """The model's own cache object; None where the model has none that works."""
    ids: Tensor
    """[row, token] all tokens read, pads on the left."""
    pads: Tensor | None
    """[row] how many pads stand before each row; None where no row has any."""
    shifts: Tensor | None = None
    """[row] the position of each row's first token; None where all count from zero. Only where `pads` are given."""

    @property
    def rows(self) -> int:
        return self.ids.shape[0]

    @property
    def width(self) -> int:
        """Tokens a row that were read, pads included."""
        return self.ids.shape[1]

    def select(self, index: Tensor) -> State:
        """A new state of the rows `index` [row], in that order, as often as they are named; this one stays as it is."""
        pads = None if self.pads is None else self.pads.index_select(0, index)
        shifts = None if self.shifts is None else self.shifts.index_select(0, index)
        return State(_select_rows(self.cache, index, self.rows), self.ids.index_select(0, index), pads, shifts)


class CachedForward:
    """A causal model, or the body of one, that reads prompts once and continues them.

    Gradients flow or do not flow as the caller's context says; the module's mode is the caller's business too.
    """

    def __init__(self, module: nn.Module, capabilities: Capabilities | None = None, context: int | None = None) -> None:
        """`module` returns logits or a last hidden state; `context` is the longest sequence that it can position."""
        self.module = module
        self.capabilities = capabilities or Capabilities()
        self.context = context
        accepted = inspect.signature(module.forward).parameters
        self._cache_name = next((name for name in CACHE_NAMES if name in accepted), None)
        self._positions = "position_ids" in accepted
        self._keeps_logits = "logits_to_keep" in accepted
        self._says_use_cache = "use_cache" in accepted

    def prefill(
        self, prompts: Sequence[Sequence[int]], *, width: int | None = None, shifts: Sequence[int] = ()
    ) -> tuple[Tensor, State]:
        """Read prompts, padded on the left to the longest or to `width`.

        `shifts`, one a prompt, are the positions of the first tokens; without them each row counts from zero.

        Returns:
            The output [row, output] after the last token of each prompt, and the state to continue from.
        """
        longest = max(map(len, prompts))
        width = max(width or 0, longest)
        device = next(self.module.parameters()).device
        # The pads are masked; the row's own first token stands there, since a model may lack a padding token.
        rows = [[prompt[0]] * (width - len(prompt)) + list(prompt) for prompt in prompts]
        missing = [width - len(prompt) for prompt in prompts]
        pads = torch.tensor(missing, device=device) if any(missing) or any(shifts) else None
        state = State(None, torch.tensor(rows, device=device), pads)
        if any(shifts):
            state.shifts = torch.tensor(shifts, device=device)
        return self._read(state, state.ids, keep=1)[:, -1], state

    def extend(self, state: State, ids: Tensor) -> Tensor:
        """Continue each row by `ids` [row, token], and move `state` behind them.

        Rows may be padded on the right: what is read after a row's last token changes nothing before it.

        Returns:
            The output [row, token, output] after each of the new tokens.
        """
        count = ids.shape[1]
        state.ids = torch.cat([state.ids, ids], dim=1)
        able = self.capabilities.stepping if count == 1 else self.capabilities.continuation
        if able and state.cache is not None:
            return self._read(state, ids, keep=count)
        state.cache = None
        return self._read(state, state.ids, keep=count)[:, -count:]

    def _read(self, state: State, ids: Tensor, *, keep: int) -> Tensor:
        """Run the module on `ids`, the last columns of the state's, behind the state's cache."""
        caching = self._cache_name is not None and self.capabilities.stepping
        options: dict[str, Any] = {"use_cache": caching} if self._says_use_cache else {}
        if self._cache_name is not None:
            options[self._cache_name] = state.cache
        if self._keeps_logits:
            options["logits_to_keep"] = keep
        if state.pads is not None:
            options |= self._padding(state, ids.shape[1])
        output = self.module(input_ids=ids, **options)
        if caching:
            state.cache = getattr(output, self._cache_name or "", None)
        logits = getattr(output, "logits", None)
        result = output.last_hidden_state if logits is None else logits
        assert isinstance(result, Tensor)
        return result

    def _padding(self, state: State, count: int) -> dict[str, Tensor]:
        """The mask over everything read, and the positions of the last `count` columns, counted from the first token.

        Without the positions, a model counts the pads as tokens as soon as it has a cache.
        """
        assert state.pads is not None
        columns = torch.arange(state.width, device=state.ids.device)
        options = {"attention_mask": (columns[None] >= state.pads[:, None]).long()}
        if self._positions:
            # The upper bound can only concern pads on the right of a short row beside a long one.
            last = None if self.context is None else self.context - 1
            starts = state.pads if state.shifts is None else state.pads - state.shifts
            options["position_ids"] = (columns[None, -count:] - starts[:, None]).clamp(0, last)
        return options


def reserve(state: State, tokens: int) -> None:
    """Make room for `tokens` more tokens in the attention layers of a state, so that a step copies only what is new.

    Without it each step copies the whole cache. Layers that are not plain growing ones stay as they are.
    """
    layers = getattr(state.cache, "layers", None)
    if isinstance(layers, list):
        state.cache.layers = [_roomy(layer, tokens) for layer in layers]


def _roomy(layer: Any, room: int) -> Any:
    if type(layer) is not DynamicLayer or layer.keys is None or layer.values is None:
        return layer
    return _RoomyLayer(layer.keys, layer.values, room)


class _RoomyLayer(DynamicLayer):  # type: ignore[no-untyped-call]
    """Keys and values [row, head, token, width] as the front of a larger buffer, into which new ones are written."""

    def __init__(self, keys: Tensor, values: Tensor, room: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.dtype, self.device, self.is_initialized = keys.dtype, keys.device, True
        self._key_buffer, self._value_buffer = _with_room(keys, room), _with_room(values, room)
        self._show(keys.shape[-2])

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        start, end = self._length, self._length + key_states.shape[-2]
        if end > self._key_buffer.shape[-2]:
            # Half as much again each time, so that a long response is copied a few times and not at each step.
            room = end - start + start // 2
            self._key_buffer = _with_room(self._key_buffer[..., :start, :], room)
            self._value_buffer = _with_room(self._value_buffer[..., :start, :], room)
        self._key_buffer[..., start:end, :] = key_states
        self._value_buffer[..., start:end, :] = value_states
        return self._show(end)

    def select_rows(self, index: Tensor) -> _RoomyLayer:
        room = self._key_buffer.shape[-2] - self._length
        keys, values = (buffer[..., : self._length, :] for buffer in (self._key_buffer, self._value_buffer))
        return _RoomyLayer(keys.index_select(0, index), values.index_select(0, index), room)

    def _show(self, length: int) -> tuple[Tensor, Tensor]:
        self._length = length
        keys, values = self._key_buffer[..., :length, :], self._value_buffer[..., :length, :]
        self.keys, self.values = keys, values
        return keys, values


def _with_room(tensor: Tensor, room: int) -> Tensor:
    *outer, length, width = tensor.shape
    buffer = tensor.new_empty((*outer, length + room, width))
    buffer[..., :length, :] = tensor
    return buffer


def _select_rows(value: Any, index: Tensor, rows: int) -> Any:
    """A copy of a cache that holds the rows `index` of every tensor in it.

    The caches' own `reorder_cache` is not enough: some work in place, and one multiplies rows on its own when more
    are asked for than there are.
    """
    if isinstance(value, Tensor):
        batched = value.dim() > 0 and value.shape[0] == rows
        return value.index_select(0, index.to(value.device)) if batched else value
    if isinstance(value, dict):
        return {key: _select_rows(inner, index, rows) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_select_rows(inner, index, rows) for inner in value)
    if isinstance(value, _RoomyLayer):
        return value.select_rows(index)
    if type(value).__module__.startswith("transformers") and type(value).__name__.endswith(("Cache", "Layer")):
        chosen = copy(value)
        chosen.__dict__ = {name: _select_rows(inner, index, rows) for name, inner in vars(value).items()}
        return chosen
    return value
