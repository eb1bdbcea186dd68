"""d-filtered decoding: one response read under the original prompt and all its variants, step by step in one batch.

At each step every row, the original's and the variants', has read the same response. The filter of
`semifactual.tensor.filtering` takes out the candidates that drift most between the rows; one token is drawn from what
is left, and every row goes on with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import torch
from torch import Tensor

from semifactual.errors import ConfigError
from semifactual.policy.batching import Shape, run_in_batches
from semifactual.policy.cache import CachedForward, State, reserve
from semifactual.policy.generation import Rows
from semifactual.policy.local import LocalPolicy
from semifactual.policy.policy import Request, Response, Sampling, TokenIds
from semifactual.policy.sampling import Streams, draw_tokens, response_seed, token_logprobs
from semifactual.tensor.filtering import Filtered, d_filter, mean_drift

CAP = 0.8
"""The most probability that a step may mask, as in the paper."""

_ROOM = 128
"""Tokens for which room is made in the caches at a time."""


@dataclass(frozen=True, slots=True)
class FilteredRequest:
    """One problem to continue, once for each seed."""

    prompts: tuple[TokenIds, ...]
    """One a variant; `prompts[0]` is the original. Without any other there is nothing to filter by."""
    seeds: tuple[int, ...]
    """Each decides its own response. Plain generation draws the same proposals from the same seed."""


@dataclass(frozen=True, slots=True)
class FilteredResponse:
    """A response, and what the filter did to it."""

    response: Response
    rejected: int
    """At how many of its tokens the clean policy proposed a masked one, so that another was drawn."""
    masked_mass: float
    """The clean policy's probability of masked tokens, averaged over its tokens: the expected share of rejections."""


def generate_filtered(
    policy: LocalPolicy, requests: Sequence[FilteredRequest], sampling: Sampling, *, cap: float = CAP
) -> list[list[FilteredResponse]]:
    """For each request, one response a seed, in order.

    The proposals are those of plain generation with the same seed: both give the same response up to the first token
    that the filter rejects (or that rounding decides). A rejected proposal is replaced by a draw from what is left, so
    tokens follow exactly the clean policy, after temperature and nucleus, renormalised over what is not masked.

    Raises:
        ConfigError: the temperature is 0, or a prompt and `max_new_tokens` exceed what the model can read.
    """
    if sampling.temperature == 0:
        raise ConfigError("d-filtered decoding draws tokens, so its temperature must be above 0")
    policy.check_fits([Request(prompt, ()) for request in requests for prompt in request.prompts], sampling)
    items = [_Item(number, request.prompts, seed) for number, request in enumerate(requests) for seed in request.seeds]
    filtered = [item for item in items if len(item.prompts) > 1]
    with policy.quiet():
        forward = CachedForward(policy.model, policy.capabilities, policy.context)
        found = run_in_batches(
            filtered,
            lambda item: Shape(len(item.prompts), max(map(len, item.prompts)) + sampling.max_new_tokens),
            lambda batch: _generate_batch(forward, batch, sampling, policy.stops, cap),
            policy.generation_budget,
        )
    responses = iter(found)
    plain = iter(_unfiltered(policy, [item for item in items if len(item.prompts) == 1], sampling))
    return [[next(responses if len(request.prompts) > 1 else plain) for _ in request.seeds] for request in requests]


@dataclass(frozen=True, slots=True)
class Layout:
    """Which rows of a batch belong to one sequence: its original prompt, and the variants of it."""

    sequence: Tensor
    """[row] the sequence of every row."""
    clean: Tensor
    """[sequence] the row of each sequence's original prompt."""
    variants: Tensor
    """[variant] the rows of all variants of all sequences."""

    @classmethod
    def of(cls, prompts: Sequence[int], device: torch.device) -> Layout:
        """The layout of sequences that follow each other, each with so many prompts, the original first."""
        sequence = torch.arange(len(prompts), device=device).repeat_interleave(torch.tensor(prompts, device=device))
        first = torch.ones_like(sequence, dtype=torch.bool)
        first[1:] = sequence[1:] != sequence[:-1]
        rows = torch.arange(len(sequence), device=device)
        return cls(sequence, rows[first], rows[~first])


def filter_step(logits: Tensor, layout: Layout, stops: Tensor, sampling: Sampling, cap: float) -> Filtered:
    """The filtered distribution of every sequence's next token, from the logits [row, vocab] of all rows.

    Drift is that between probabilities at the sampling temperature; a nucleus bounds the clean policy alone.
    """
    logps = (logits.float() / sampling.temperature).log_softmax(-1)
    moved = mean_drift(logps[layout.clean], logps[layout.variants], layout.sequence[layout.variants])
    end = torch.zeros(logits.shape[-1], dtype=torch.bool, device=logits.device)
    end[stops] = True
    return d_filter(token_logprobs(logits[layout.clean], sampling), moved, end, cap=cap)


class Redraws:
    """A random stream beside each response's own, for the tokens that replace rejected proposals."""

    def __init__(self, seeds: Sequence[int]) -> None:
        self._streams = Streams([response_seed(seed, "rejected", 0) for seed in seeds])

    def replace(self, proposals: Tensor, filtered: Filtered, present: Tensor) -> tuple[Tensor, Tensor]:
        """The proposals [sequence] with rejected ones drawn anew, and which were rejected.

        `present` [sequence] are the numbers of the sequences' streams.
        """
        rejected = filtered.masked.gather(1, proposals[:, None])[:, 0]
        if not bool(rejected.any()):
            return proposals, rejected
        uniforms = self._streams.draw(present[rejected].tolist(), 1)[:, 0].to(proposals.device)
        tokens = proposals.clone()
        tokens[rejected] = draw_tokens(filtered.logps[rejected], uniforms, Sampling())
        return tokens, rejected


@dataclass(frozen=True, slots=True)
class _Item:
    """One response to generate."""

    request: int
    prompts: tuple[TokenIds, ...]
    seed: int


def _unfiltered(policy: LocalPolicy, items: Sequence[_Item], sampling: Sampling) -> list[FilteredResponse]:
    found = policy.generate([Request(item.prompts[0], (item.seed,)) for item in items], sampling)
    return [FilteredResponse(response, 0, 0.0) for (response,) in found]


def _generate_batch(
    forward: CachedForward, batch: Sequence[_Item], sampling: Sampling, stops: frozenset[int], cap: float
) -> list[FilteredResponse]:
    """The responses of one batch of sequences; those of one request stand side by side."""
    logits, caches = _Caches.read(forward, batch, min(sampling.max_new_tokens, _ROOM))
    layout = Layout.of([len(item.prompts) for item in batch], logits.device)
    rows = Rows([item.seed for item in batch], sampling, stops, logits.device)
    redraws = Redraws([item.seed for item in batch])
    rejections = torch.zeros(len(batch), dtype=torch.long, device=logits.device)
    masses = torch.zeros(len(batch), dtype=torch.float64, device=logits.device)
    while True:
        filtered = filter_step(logits, layout, rows.stops, sampling, cap)
        tokens, rejected = redraws.replace(rows.propose(logits[layout.clean]), filtered, rows.present)
        going = rows.present[~rows.ended]
        rejections[going] += rejected[~rows.ended]
        masses[going] += filtered.masked_mass[~rows.ended].double()
        rows.take(tokens)
        if rows.finished:
            break
        kept = rows.drop_ended()
        if kept is not None:
            caches.select(torch.isin(layout.sequence, kept))
            tokens = tokens[kept]
            layout = Layout.of(layout.sequence.bincount()[kept].tolist(), logits.device)
        logits = caches.extend(tokens[layout.sequence])
    return [
        FilteredResponse(response, count, mass / len(response.token_ids))
        for response, count, mass in zip(rows.responses(), rejections.tolist(), masses.tolist(), strict=True)
    ]


class _Caches:
    """The states of all rows of a batch: one, or one for each length of prompt where the model cannot pad."""

    def __init__(self, forward: CachedForward, parts: list[tuple[State, Tensor]]) -> None:
        self._forward = forward
        self._parts = parts
        """Each state, and the numbers of its rows in the batch."""

    @classmethod
    def read(cls, forward: CachedForward, batch: Sequence[_Item], room: int) -> tuple[Tensor, _Caches]:
        """Read every prompt once, however many seeds it has, and return the logits [row, vocab] after each row."""
        prompts: list[TokenIds] = []
        sources: list[int] = []
        for _, group in groupby(batch, key=lambda item: item.request):
            same = list(group)
            numbers = range(len(prompts), len(prompts) + len(same[0].prompts))
            prompts += same[0].prompts
            sources += [number for _ in same for number in numbers]
        lengths = [0 if forward.capabilities.padding else len(prompt) for prompt in prompts]
        parts: list[tuple[State, Tensor]] = []
        outputs: list[Tensor] = []
        for length in dict.fromkeys(lengths):
            own = [number for number, other in enumerate(lengths) if other == length]
            logits, state = forward.prefill([prompts[number] for number in own])
            rows = [row for row, number in enumerate(sources) if lengths[number] == length]
            place = {number: place for place, number in enumerate(own)}
            index = torch.tensor([place[sources[row]] for row in rows], device=logits.device)
            state = state.select(index)
            reserve(state, room)
            parts.append((state, torch.tensor(rows, device=logits.device)))
            outputs.append(logits.index_select(0, index))
        caches = cls(forward, parts)
        return caches._in_order(outputs), caches

    def extend(self, tokens: Tensor) -> Tensor:
        """Continue every row by its token [row], and return the logits [row, vocab] behind it."""
        return self._in_order([self._forward.extend(state, tokens[rows, None])[:, -1] for state, rows in self._parts])

    def select(self, stays: Tensor) -> None:
        """Keep the rows where `stays` [row] is true; they close up."""
        number = stays.cumsum(0) - 1
        kept = [(state.select(stays[rows].nonzero()[:, 0]), number[rows[stays[rows]]]) for state, rows in self._parts]
        self._parts = [(state, rows) for state, rows in kept if len(rows)]

    def _in_order(self, outputs: list[Tensor]) -> Tensor:
        if len(outputs) == 1:
            return outputs[0]
        order = torch.cat([rows for _, rows in self._parts])
        return torch.cat(outputs).index_select(0, order.argsort())
