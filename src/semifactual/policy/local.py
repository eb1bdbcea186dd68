"""A language model in this process: `LocalPolicy` generates and scores with a transformers model and its tokenizer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import torch

from semifactual.errors import ConfigError
from semifactual.policy import generation, prompts
from semifactual.policy.batching import TokenBudget, default_budget
from semifactual.policy.cache import CachedForward, Capabilities
from semifactual.policy.capabilities import find_capabilities
from semifactual.policy.head import body_of
from semifactual.policy.policy import Group, GroupLogprobs, Request, Response, Sampling, TokenIds

_CPU_TOKENS = 2**15


class LocalPolicy:
    """A causal language model and its tokenizer, as a `semifactual.policy.policy.Policy`.

    The model may be one in training: while it generates and scores it is in evaluation mode and without gradients, and
    then as it was before.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str | None = None,
        chat: prompts.Chat = "auto",
        tokens_per_batch: int | None = None,
    ) -> None:
        """
        Args:
            chat: whether prompts are set into the tokenizer's chat template; `auto` does so where it has one.
            tokens_per_batch: how many tokens, prompts and responses together, are worked on at once; chosen by the
                memory at hand when None.
        """
        self.model = model
        self.tokenizer = tokenizer
        self.name: str = name or model.config.name_or_path or type(model).__name__
        self.encoder = prompts.PromptEncoder(tokenizer, chat)
        self.tokens_per_batch = tokens_per_batch
        self.stops = prompts.stop_ids(model, tokenizer)

    @property
    def device(self) -> torch.device:
        """Where the model reads token ids."""
        device: torch.device = next(self.model.parameters()).device
        return device

    @cached_property
    def capabilities(self) -> Capabilities:
        """What this model computes exactly with padding and caches, tried once on a few tokens."""
        with self.quiet():
            return find_capabilities(body_of(self.model), self.model.config.get_text_config().vocab_size)

    @cached_property
    def budget(self) -> TokenBudget:
        """How many tokens a batch of scoring may hold; it remembers what did not fit."""
        return default_budget(self.model) if self.tokens_per_batch is None else TokenBudget(self.tokens_per_batch)

    @cached_property
    def generation_budget(self) -> TokenBudget:
        """Tokens a batch while generating. A step costs a CPU much the same for one row as for many, so that here,
        unlike in scoring, a larger batch is faster."""
        if self.tokens_per_batch is not None:
            return TokenBudget(self.tokens_per_batch)
        return TokenBudget(_CPU_TOKENS) if self.device.type == "cpu" else default_budget(self.model)

    @property
    def context(self) -> int | None:
        """The longest sequence that the model can position; None where it has no limit."""
        return getattr(self.model.config.get_text_config(), "max_position_embeddings", None)

    def encode_prompt(self, text: str) -> TokenIds:
        return self.encoder.encode_prompt(text)

    def encode_response(self, text: str) -> TokenIds:
        return self.encoder.encode_response(text)

    def decode(self, token_ids: Sequence[int]) -> str:
        return self.encoder.decode(token_ids)

    def token_texts(self, token_ids: Sequence[int]) -> list[str]:
        return self.encoder.token_texts(token_ids)

    def generate(self, requests: Sequence[Request], sampling: Sampling) -> list[list[Response]]:
        """For each request, one response a seed, in order.

        Raises:
            ConfigError: a prompt and `max_new_tokens` exceed what the model can read; said before any work.
        """
        self.check_fits(requests, sampling)
        with self.quiet():
            forward = CachedForward(self.model, self.capabilities, self.context)
            return generation.generate(forward, requests, sampling, self.stops, self.generation_budget)

    def logprobs(self, groups: Sequence[Group], *, temperature: float = 1.0) -> list[GroupLogprobs]:
        """For each group, the log-probs of its responses under every variant, by teacher forcing.

        Args:
            temperature: divides the logits; 1 for the model's own distribution.
        """
        from semifactual.policy.scoring import score_groups

        with self.quiet():
            return score_groups(self, groups, temperature)

    def describe(self) -> dict[str, Any]:
        """What was loaded and decided, as JSON values."""
        return {
            "name": self.name,
            "architecture": type(self.model).__name__,
            "parameters": sum(parameter.numel() for parameter in self.model.parameters()),
            "dtype": str(self.model.dtype).removeprefix("torch."),
            "device": str(self.device),
            "attention": getattr(self.model.config, "_attn_implementation", None),
            "chat": self.encoder.chat,
            "context": self.context,
        }

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Evaluation mode and no gradients; afterwards every module is in the mode that it was in."""
        training = [module for module in self.model.modules() if module.training]
        for module in training:
            module.training = False
        try:
            with torch.no_grad():
                yield
        finally:
            for module in training:
                module.training = True

    def check_fits(self, requests: Sequence[Request], sampling: Sampling) -> None:
        longest = max((len(request.prompt_ids) for request in requests), default=0)
        if self.context is None or longest + sampling.max_new_tokens <= self.context:
            return
        room = self.context - longest
        raise ConfigError(
            f"the longest prompt has {longest:,} tokens, and with {sampling.max_new_tokens:,} new ones that is more"
            f" than the {self.context:,} that {self.name} can read",
            hint=f"at most {room:,} new tokens fit" if room > 0 else "leave out the longest problems",
        )
