"""How the update reads its rows: in micro-batches, and each prompt once for all responses to it where that is exact.

A group's responses share their prompt. Read once, its keys and values serve all of them, forward and backward; for
short responses to long prompts that is most of the work. Models that cannot be continued exactly (see
`semifactual.policy.capabilities`), and gradient checkpointing, which keeps no cache, read whole rows instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor
from transformers.cache_utils import DynamicLayer

from semifactual.policy.cache import CachedForward
from semifactual.policy.forward import response_logprobs
from semifactual.policy.head import body_of, head_of
from semifactual.policy.local import LocalPolicy
from semifactual.policy.policy import TokenIds
from semifactual.train.recipe import ModelRecipe, Recipe


class Pair(Protocol):
    """A response and the prompt that it stands behind."""

    @property
    def prompt_ids(self) -> TokenIds:
        """The prompt."""

    @property
    def token_ids(self) -> TokenIds:
        """The response; it has a token."""


@dataclass(frozen=True, slots=True)
class Bare:
    """A pair and nothing else."""

    prompt_ids: TokenIds
    token_ids: TokenIds


@dataclass(frozen=True, slots=True)
class Read:
    """What the policy says of the tokens of some rows, one after the other."""

    logps: Tensor
    """[token], with gradient."""
    entropy: Tensor | None
    """[token], nats, without gradient."""


class Reader:
    """Scores rows with the policy's present weights, at the temperature of the rollout."""

    def __init__(self, recipe: Recipe, policy: LocalPolicy) -> None:
        self.policy = policy
        self._recipe = recipe
        wanted = recipe.optim.shared_prompts and not recipe.model.gradient_checkpointing
        self.shares_prompts = wanted and _is_shareable(policy)

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return self.policy.device

    def batches(self, rows: Sequence[Pair]) -> Iterator[list[int]]:
        """The numbers of the rows, micro-batch by micro-batch."""
        return micro_batches(rows, self._recipe.optim.microbatch_tokens, shared=self.shares_prompts)

    def read(self, rows: Sequence[Pair], *, with_entropy: bool = False) -> Read:
        """The log-probs of one micro-batch."""
        temperature = self._recipe.rollout.temperature
        with autocast(self._recipe.model, self.device):
            if self.shares_prompts:
                return self._read_shared(rows, temperature, with_entropy)
            scored = response_logprobs(
                self.policy.model,
                [row.prompt_ids for row in rows],
                [row.token_ids for row in rows],
                temperature=temperature,
                with_entropy=with_entropy,
            )
        entropy = None if scored.entropy is None else scored.entropy[scored.mask]
        return Read(scored.logps[scored.mask], entropy)

    def _read_shared(self, rows: Sequence[Pair], temperature: float, with_entropy: bool) -> Read:
        """Prompts first, then all responses behind copies of what was kept of them."""
        model, device = self.policy.model, self.device
        prompts: dict[TokenIds, int] = {}
        of_row = [prompts.setdefault(row.prompt_ids, len(prompts)) for row in rows]
        forward = CachedForward(body_of(model), self.policy.capabilities, self.policy.context)
        after_prompts, state = forward.prefill(list(prompts))
        owner = torch.tensor(of_row, device=device)
        lengths = [len(row.token_ids) for row in rows]
        longest = max(lengths)
        # Right padding changes nothing before it, and a response's last token predicts nothing that is wanted.
        padded = [[*row.token_ids, *[row.token_ids[-1]] * (longest - len(row.token_ids))] for row in rows]
        ids = torch.tensor(padded, device=device)
        hidden = after_prompts.index_select(0, owner)[:, None]
        if longest > 1:
            hidden = torch.cat([hidden, forward.extend(state.select(owner), ids[:, :-1])], dim=1)
        mask = torch.arange(longest, device=device)[None] < torch.tensor(lengths, device=device)[:, None]
        logps, entropy = head_of(model).logprobs(
            hidden[mask], ids[mask], temperature=temperature, with_entropy=with_entropy
        )
        return Read(logps, entropy)


def _is_shareable(policy: LocalPolicy) -> bool:
    """Whether the model is continued exactly, with gradients flowing back through what it keeps of a prompt.

    They do where every layer appends keys and values to those that it has; a recurrent state is overwritten in place.
    """
    able = policy.capabilities
    if not (able.padding and able.stepping and able.continuation):
        return False
    with policy.quiet():
        _, state = CachedForward(body_of(policy.model), able, policy.context).prefill([(0,)])
    layers = getattr(state.cache, "layers", None)
    return isinstance(layers, list) and all(type(layer) is DynamicLayer for layer in layers)


def silence_dropout(model: Any) -> None:
    """Set every probability of dropout to zero, for a model that learns in training mode.

    The ratio compares two readings of one response: dropout would move it by chance. The layers of transformers hold
    theirs as a module, or as a number that they hand to a function.
    """
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
        for name, value in vars(module).items():
            if "dropout" in name and isinstance(value, float):
                setattr(module, name, 0.0)


def autocast(recipe: ModelRecipe, device: torch.device) -> AbstractContextManager[Any]:
    """The arithmetic that rollout, probe and update share."""
    if recipe.autocast == "none":
        return nullcontext()
    return torch.autocast(device.type, dtype=getattr(torch, recipe.autocast))


def micro_batches(rows: Sequence[Pair], tokens: int, *, shared: bool) -> Iterator[list[int]]:
    """The rows' numbers in batches of at most `tokens` padded tokens, or of one row; rows of like width together.

    Where prompts are `shared`, rows with one prompt stay together, and it counts once a batch.
    """
    numbers: dict[TokenIds, int] = {}
    prompt = [numbers.setdefault(row.prompt_ids, len(numbers)) if shared else place for place, row in enumerate(rows)]
    width = [len(row.prompt_ids) + len(row.token_ids) for row in rows]
    widest: dict[int, int] = {}
    for of, wide in zip(prompt, width, strict=True):
        widest[of] = max(wide, widest.get(of, 0))
    batch: list[int] = []
    for row in sorted(range(len(rows)), key=lambda row: (-widest[prompt[row]], prompt[row], -width[row], row)):
        if batch and _padded(rows, prompt, [*batch, row], shared=shared) > tokens:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _padded(rows: Sequence[Pair], prompt: Sequence[int], batch: Sequence[int], *, shared: bool) -> int:
    """Tokens of a batch, padding included."""
    if not shared:
        return len(batch) * max(len(rows[row].prompt_ids) + len(rows[row].token_ids) for row in batch)
    prompts = len({prompt[row] for row in batch}) * max(len(rows[row].prompt_ids) for row in batch)
    return prompts + len(batch) * max(len(rows[row].token_ids) for row in batch)
