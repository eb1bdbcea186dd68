"""Generating responses in batches: each prompt is read once, its rows step together, finished rows leave."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from semifactual.policy.batching import Shape, TokenBudget, run_in_batches
from semifactual.policy.cache import CachedForward, reserve
from semifactual.policy.policy import Request, Response, Sampling, StopReason
from semifactual.policy.sampling import Streams, draw_tokens

_LOOK_AHEAD = 128
"""Tokens for which room and random numbers are made at a time."""
_WORTH_DROPPING = 8
"""Finished rows are dropped once they are this fraction of the batch: dropping copies the cache of the others."""


def generate(
    forward: CachedForward,
    requests: Sequence[Request],
    sampling: Sampling,
    stops: frozenset[int],
    budget: TokenBudget,
) -> list[list[Response]]:
    """For each request, one response a seed, in order. What else is in its batch moves its logits by rounding alone.

    Args:
        forward: the model with its head, in evaluation mode.
        stops: the end-of-sequence tokens; the one that ends a response is part of it.
        budget: how many tokens a batch may hold, prompts and the longest responses together.
    """

    def shape(request: Request) -> Shape:
        return Shape(rows=len(request.seeds), width=len(request.prompt_ids) + sampling.max_new_tokens)

    def work(batch: list[Request]) -> list[list[Response]]:
        if len(batch) > 1:
            return generate_batch(forward, batch, sampling, stops)
        prompt, seeds, rows = batch[0].prompt_ids, batch[0].seeds, budget.rows_of(shape(batch[0]).width)
        parts = [Request(prompt, seeds[start : start + rows]) for start in range(0, len(seeds), rows)]
        return [[response for part in parts for response in generate_batch(forward, [part], sampling, stops)[0]]]

    found: dict[int, list[Response]] = {}
    for together in _may_share_batches(requests, padding=forward.capabilities.padding):
        # A prompt's pads are read once, while every batch more costs all the steps of a response.
        responses = run_in_batches([requests[index] for index in together], shape, work, budget, tightness=0)
        found |= zip(together, responses, strict=True)
    return [found[index] for index in range(len(requests))]


def _may_share_batches(requests: Sequence[Request], *, padding: bool) -> list[list[int]]:
    """The requests by number, apart where their prompts differ in length and padding is not exact."""
    groups: dict[int, list[int]] = {}
    for index, request in enumerate(requests):
        groups.setdefault(0 if padding else len(request.prompt_ids), []).append(index)
    return list(groups.values())


@torch.no_grad()
def generate_batch(
    forward: CachedForward, batch: Sequence[Request], sampling: Sampling, stops: frozenset[int]
) -> list[list[Response]]:
    """The responses of one batch: all prompts are read at once, then all rows step together."""
    logits, prompts = forward.prefill([request.prompt_ids for request in batch])
    copies = torch.tensor([len(request.seeds) for request in batch], device=logits.device)
    index = torch.arange(len(batch), device=logits.device).repeat_interleave(copies)
    state = prompts.select(index)
    rows = Rows([seed for work in batch for seed in work.seeds], sampling, stops, logits.device)
    logits = logits.index_select(0, index)
    reserve(state, min(sampling.max_new_tokens, _LOOK_AHEAD))
    while True:
        tokens = rows.accept(logits)
        if rows.finished:
            break
        kept = rows.drop_ended()
        if kept is not None:
            state, tokens = state.select(kept), tokens.index_select(0, kept)
        logits = forward.extend(state, tokens[:, None])[:, -1]
    responses = iter(rows.responses())
    return [[next(responses) for _ in request.seeds] for request in batch]


class Rows:
    """The rows of one batch: what each has drawn, which have ended, and which still take part."""

    def __init__(self, seeds: Sequence[int], sampling: Sampling, stops: frozenset[int], device: torch.device) -> None:
        self.sampling = sampling
        self.device = device
        self.stops = torch.tensor(sorted(stops), device=device)
        self.streams = Streams(seeds)
        self.step = 0
        self.present = torch.arange(len(seeds), device=device)
        """Which rows still take part, by their number at the start."""
        self.ended = torch.zeros(len(seeds), dtype=torch.bool, device=device)
        """Of those present."""
        self.lengths = torch.full((len(seeds),), sampling.max_new_tokens, device=device)
        self.by_eos = torch.zeros(len(seeds), dtype=torch.bool, device=device)
        self.drawn: list[tuple[Tensor, Tensor]] = []
        self.uniforms = torch.empty(0)
        self.open = len(seeds)

    @property
    def finished(self) -> bool:
        return self.open == 0 or self.step == self.sampling.max_new_tokens

    def accept(self, logits: Tensor) -> Tensor:
        """Draw one token a row that is present, and note which rows it ends."""
        tokens = self.propose(logits)
        self.take(tokens)
        return tokens

    def propose(self, logits: Tensor) -> Tensor:
        """Draw one token a row that is present. Called once a step."""
        return draw_tokens(logits, self._next_uniforms(), self.sampling)

    def take(self, tokens: Tensor) -> None:
        """Append one token a row that is present, and note which rows it ends."""
        self.drawn.append((self.present, tokens))
        self.step += 1
        ends = torch.isin(tokens, self.stops) & ~self.ended
        count = int(ends.sum())
        if count:
            done = self.present[ends]
            self.lengths[done] = self.step
            self.by_eos[done] = True
            self.ended |= ends
            self.open -= count

    def drop_ended(self) -> Tensor | None:
        """The places of the rows that stay, when enough have ended to be worth it; None otherwise."""
        present = len(self.present)
        if (present - self.open) * _WORTH_DROPPING < present:
            return None
        kept = (~self.ended).nonzero()[:, 0]
        self.present, self.uniforms = self.present[kept], self.uniforms.index_select(0, kept)
        self.ended = torch.zeros_like(kept, dtype=torch.bool)
        return kept

    def responses(self) -> list[Response]:
        tokens = torch.zeros((len(self.lengths), self.step), dtype=torch.long, device=self.device)
        for step, (present, drawn) in enumerate(self.drawn):
            tokens[present, step] = drawn
        ids, lengths, by_eos = tokens.tolist(), self.lengths.tolist(), self.by_eos.tolist()
        return [
            Response(tuple(row[:length]), StopReason.EOS if eos else StopReason.LENGTH)
            for row, length, eos in zip(ids, lengths, by_eos, strict=True)
        ]

    def _next_uniforms(self) -> Tensor:
        column = self.step % _LOOK_AHEAD
        if self.sampling.temperature == 0:
            self.uniforms = torch.zeros((len(self.present), 1), dtype=torch.float64, device=self.device)
            return self.uniforms[:, 0]
        if column == 0:
            # A row draws its own numbers in order, whichever rows are still there.
            count = min(_LOOK_AHEAD, self.sampling.max_new_tokens - self.step)
            self.uniforms = self.streams.draw(self.present.tolist(), count).to(self.device)
        return self.uniforms[:, column]
