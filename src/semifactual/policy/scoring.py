"""Teacher forcing: the log-probs of a group's responses under every variant of its prompt.

**Layout.** The prompts of a group are read once, as rows padded on the left to one width, and every response continues
copies of those rows, one a variant. All variants of a response stand in one batch; where one batch would be too large
for memory, its variants are spread over batches of one and the same shape. A model that cannot do that exactly (see
`semifactual.policy.capabilities`) reads whole rows of prompt and response, padded on the right, again with all variants
of a response in one shape. Either way the body computes hidden states, and the head sees those alone that predict a
token of a response.

**Identity.** A variant's log-probs differ from the original's for two reasons: its words, and the rounding of every
operation on the way, since other words or other positions round differently. The identity row shows the second alone:
it is the original once more, in a row of its own in the same batch, whose tokens count their positions from where they
would end up behind the longest variant: its response stands at the positions at which the longest variant's response
stands (one further on, where the original is the longest itself, and as far as the model can count). In models with
rotary positions only distances count, so that mathematically nothing changes, while every key and query is rounded
differently, as it is for a real variant. A bit-for-bit copy in the same place would give zero; a row with the same
positions and a few more pads rounds almost as the original does, and shows only a fraction of what variants are exposed
to. Where positions count as such (learned ones) or there are none (state-space models), the identity rows are read in a
batch of their own, wider by as many columns as the longest variant is longer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from semifactual.errors import ConfigError
from semifactual.policy.batching import Shape, TokenBudget, in_batches, run_in_batches
from semifactual.policy.cache import CachedForward, Capabilities
from semifactual.policy.forward import hidden_before_responses
from semifactual.policy.head import body_of, head_of
from semifactual.policy.policy import Group, GroupLogprobs, TokenIds

if TYPE_CHECKING:
    from semifactual.policy.local import LocalPolicy
    from semifactual.policy.policy import TokenLogprobs


def score_groups(policy: LocalPolicy, groups: Sequence[Group], temperature: float = 1.0) -> list[GroupLogprobs]:
    """For each group, the log-probs of its responses under every variant of its prompt and under the identity.

    A response without tokens gives an empty array.

    Args:
        temperature: divides the logits.

    Raises:
        ConfigError: a prompt is empty, or a prompt and a response together exceed what the model can read.
        SemifactualError: a single row does not fit in memory.
    """
    _check(groups, policy.context)
    scorer = _Scorer(policy.model, policy.capabilities, policy.context, policy.budget, temperature)
    with torch.no_grad():
        return run_in_batches(groups, _shape, scorer.score, policy.budget)


def _check(groups: Sequence[Group], context: int | None) -> None:
    for group in groups:
        if not group.prompts or not all(map(len, group.prompts)):
            raise ConfigError("a prompt is empty: the first token of its response would follow nothing")
        longest = _width(group)
        if context is not None and longest > context:
            raise ConfigError(
                f"a prompt and its response have {longest:,} tokens together, more than the {context:,} that the model"
                " can read",
                hint="leave out the longest problems, or generate shorter responses",
            )


def _shape(group: Group) -> Shape:
    return Shape((len(group.prompts) + 1) * max(1, len(group.responses)), _width(group))


@dataclass(frozen=True, slots=True)
class _Row:
    """A prompt to be read once."""

    prompt: TokenIds
    shift: int = 0
    """The position of its first token."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Rows that are read together: `rows[g]` are those of group g."""

    rows: tuple[tuple[_Row, ...], ...]
    width: int
    """Columns for the prompts."""
    fillers: int = 0
    """How many of the last rows only give the part the shape of its siblings."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """A response under the rows of its group in a part."""

    group: int
    response: int
    tokens: TokenIds
    rows: range


Reader: TypeAlias = Callable[[Sequence[int], Sequence[TokenIds]], Tensor]
"""From rows of a part, each with a response, to the hidden states that predict the responses' tokens, in order."""


class _Scorer:
    """Scores batches of groups with one model."""

    def __init__(
        self, model: Any, capabilities: Capabilities, context: int | None, budget: TokenBudget, temperature: float
    ) -> None:
        self.forward = CachedForward(body_of(model), capabilities, context)
        self.head = head_of(model)
        self.budget = budget
        self.temperature = temperature
        self.shifting = capabilities.shifting
        self.reader = _cached_reader if capabilities.padding and capabilities.continuation else _whole_reader

    def score(self, groups: Sequence[Group]) -> list[GroupLogprobs]:
        """The log-probs of some groups that share their batches."""
        scored: list[list[list[TokenLogprobs]]] = [[[] for _ in group.responses] for group in groups]
        for part in self._parts(groups):
            for cell, logps in self._score_part(part, groups):
                scored[cell.group][cell.response] += logps
        return [_result(group, logps) for group, logps in zip(groups, scored, strict=True)]

    def _parts(self, groups: Sequence[Group]) -> Iterator[_Part]:
        """How the rows of the groups are spread over batches. A group's rows come in the order of its variants, the
        identity last."""
        width = max(map(_longest, groups))
        variants = [tuple(map(_Row, group.prompts)) for group in groups]
        if self.shifting:
            shifted = [_Row(group.prompts[0], self._shift(group)) for group in groups]
            variants = [(*rows, identity) for rows, identity in zip(variants, shifted, strict=True)]
        yield from self._shares(variants, width, max(map(_width, groups)))
        if not self.shifting:
            wider = max(max(1, _longest(group) - len(group.prompts[0])) for group in groups)
            yield _Part(tuple((_Row(group.prompts[0]),) for group in groups), width + wider)

    def _shares(self, variants: Sequence[tuple[_Row, ...]], width: int, whole_width: int) -> Iterator[_Part]:
        """The rows of several groups as they are; those of one group in shares of one size that the budget allows."""
        most = self.budget.rows_of(whole_width)
        if len(variants) > 1 or len(variants[0]) <= most:
            yield _Part(tuple(variants), width)
            return
        rows = variants[0]
        for start in range(0, len(rows), most):
            share = rows[start : start + most]
            fillers = most - len(share)
            yield _Part(((*share, *[share[0]] * fillers),), width, fillers)

    def _shift(self, group: Group) -> int:
        original, longest = len(group.prompts[0]), _longest(group)
        room = longest if self.forward.context is None else self.forward.context - original - _longest_response(group)
        return min(max(1, longest - original), room)

    def _score_part(self, part: _Part, groups: Sequence[Group]) -> Iterator[tuple[_Cell, list[TokenLogprobs]]]:
        """Every response of the groups, and its log-probs under the part's rows."""
        cells = list(_cells(part, groups))
        shapes = [Shape(len(cell.rows), part.width + len(cell.tokens)) for cell in cells]
        reader = self.reader(self.forward, part)
        for batch in in_batches(cells, shapes, self.budget):
            rows = [row for cell in batch for row in cell.rows]
            responses = [cell.tokens for cell in batch for _ in cell.rows]
            hidden = reader(rows, responses)
            targets = torch.tensor([token for response in responses for token in response], device=hidden.device)
            logps, _ = self.head.logprobs(hidden, targets, temperature=self.temperature)
            ends = np.cumsum([len(response) for response in responses])
            pieces = iter(np.split(logps.float().cpu().numpy(), ends[:-1]))
            for cell in batch:
                found = [next(pieces) for _ in cell.rows]
                yield cell, found[: len(found) - part.fillers]


def _cached_reader(forward: CachedForward, part: _Part) -> Reader:
    """Reads the prompts now, and continues copies of them by the responses."""
    rows = [row for group in part.rows for row in group]
    last, prompts = forward.prefill([row.prompt for row in rows], width=part.width, shifts=[row.shift for row in rows])

    def read(chosen: Sequence[int], responses: Sequence[TokenIds]) -> Tensor:
        index = torch.tensor(chosen, device=last.device)
        hidden = last.index_select(0, index)[:, None]
        # A response's last token predicts nothing that is wanted, so it is not read.
        steps = max(map(len, responses)) - 1
        if steps:
            ids = [[*response[:-1], *[response[-1]] * (steps + 1 - len(response))] for response in responses]
            following = forward.extend(prompts.select(index), torch.tensor(ids, device=last.device))
            hidden = torch.cat([hidden, following], dim=1)
        lengths = torch.tensor([len(response) for response in responses], device=last.device)
        return hidden[torch.arange(steps + 1, device=last.device) < lengths[:, None]]

    return read


def _whole_reader(forward: CachedForward, part: _Part) -> Reader:
    """Reads every prompt again with every response."""
    rows = [row for group in part.rows for row in group]

    def read(chosen: Sequence[int], responses: Sequence[TokenIds]) -> Tensor:
        return hidden_before_responses(
            forward.module,
            [rows[row].prompt for row in chosen],
            responses,
            width=part.width + max(map(len, responses)) - 1,
            shifts=[rows[row].shift for row in chosen],
        )

    return read


def _cells(part: _Part, groups: Sequence[Group]) -> Iterator[_Cell]:
    start = 0
    for group, rows in enumerate(part.rows):
        here = range(start, start + len(rows))
        start = here.stop
        for response, tokens in enumerate(groups[group].responses):
            if tokens:
                yield _Cell(group, response, tokens, here)


def _result(group: Group, scored: Sequence[Sequence[TokenLogprobs]]) -> GroupLogprobs:
    """`scored` holds the log-probs of each response under each variant and the identity; none for an empty response."""
    empty = [np.zeros(0, dtype=np.float32)] * (len(group.prompts) + 1)
    *variants, identity = zip(*(logps or empty for logps in scored), strict=True) if scored else [()] * len(empty)
    return GroupLogprobs(tuple(variants), identity)


def _longest(group: Group) -> int:
    return max(map(len, group.prompts))


def _longest_response(group: Group) -> int:
    return max(map(len, group.responses), default=0)


def _width(group: Group) -> int:
    """Columns of the longest variant with the longest response."""
    return _longest(group) + _longest_response(group)
