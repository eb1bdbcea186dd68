"""A policy without a model: a token is a character, and log-probs are a hash of all that stands before it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from semifactual.policy.policy import (
    Group,
    GroupLogprobs,
    Request,
    Response,
    Sampling,
    StopReason,
    TokenIds,
)

END = 1
"""Its end-of-sequence token."""


@dataclass
class FakePolicy:
    """Generates "ok \\boxed{SEED mod 3}" and the end; remembers what it was asked."""

    name: str = "fake"
    generated: list[Request] = field(default_factory=list)
    scored: list[list[Group]] = field(default_factory=list)
    broken: float | None = None
    """What every log-prob is, where it is not to be computed."""

    def encode_prompt(self, text: str) -> TokenIds:
        return tuple(map(ord, text))

    def encode_response(self, text: str) -> TokenIds:
        return tuple(map(ord, text))

    def decode(self, token_ids: Sequence[int]) -> str:
        return "".join(chr(token) for token in token_ids if token != END)

    def token_texts(self, token_ids: Sequence[int]) -> list[str]:
        return ["<end>" if token == END else chr(token) for token in token_ids]

    def generate(self, requests: Sequence[Request], sampling: Sampling) -> list[list[Response]]:
        self.generated += requests
        return [[self._response(seed, sampling) for seed in request.seeds] for request in requests]

    def logprobs(self, groups: Sequence[Group]) -> list[GroupLogprobs]:
        self.scored.append(list(groups))
        return [
            GroupLogprobs(
                tuple(tuple(self._logps(prompt, one) for one in group.responses) for prompt in group.prompts),
                tuple(self._logps(group.prompts[0], one) for one in group.responses),
            )
            for group in groups
        ]

    def _response(self, seed: int, sampling: Sampling) -> Response:
        ids = (*map(ord, f"ok \\boxed{{{seed % 3}}}"), END)
        if len(ids) > sampling.max_new_tokens:
            return Response(ids[: sampling.max_new_tokens], StopReason.LENGTH)
        return Response(ids, StopReason.EOS)

    def _logps(self, prompt: TokenIds, response: TokenIds) -> NDArray[np.float32]:
        if self.broken is not None:
            return np.full(len(response), self.broken, dtype=np.float32)
        return np.array([logp(prompt, response[: place + 1]) for place in range(len(response))], dtype=np.float32)


def logp(prompt: TokenIds, tokens: TokenIds) -> float:
    """The log-prob of the last of the tokens."""
    digest = hashlib.sha256(repr((prompt, tokens)).encode()).digest()
    return -int.from_bytes(digest[:2], "big") / 20_000
