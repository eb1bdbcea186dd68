"""What the rest of the package asks of a language model, whether it runs in this process or behind a server.

Only numbers and text cross this border: no tensor, no module, so that it imports without torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    TokenLogprobs: TypeAlias = NDArray[np.float32]

TokenIds: TypeAlias = tuple[int, ...]


class StopReason(StrEnum):
    """Why a response ends."""

    EOS = "eos"
    """The model ended it: its last token is an end-of-sequence token, and part of the response."""
    LENGTH = "length"
    """It reached the longest allowed length: it is truncated."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are drawn."""

    temperature: float = 1.0
    """Logits are divided by it; 0 takes the most probable token each time (greedy)."""
    top_p: float = 1.0
    """Only the smallest set of tokens that holds this share of the probability takes part (nucleus sampling)."""
    max_new_tokens: int = 512
    """The longest response, its end-of-sequence token included."""


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt to continue, once for each seed. The prompt is read once, however many seeds there are."""

    prompt_ids: TokenIds
    seeds: tuple[int, ...]
    """Each decides its own response, whatever else is generated beside it."""


@dataclass(frozen=True, slots=True)
class Response:
    """Tokens that a policy generated."""

    token_ids: TokenIds
    stop: StopReason


@dataclass(frozen=True, slots=True)
class Group:
    """The responses to one problem, to be scored under every variant of its prompt."""

    prompts: tuple[TokenIds, ...]
    """One a variant; `prompts[0]` is the original."""
    responses: tuple[TokenIds, ...]


@dataclass(frozen=True, slots=True)
class GroupLogprobs:
    """log p(token | variant's prompt, earlier tokens of the response), in nats."""

    variants: tuple[tuple[TokenLogprobs, ...], ...]
    """``variants[k][i][t]``: token t of response i under variant k."""
    identity: tuple[TokenLogprobs, ...]
    """The same under the original once more, in a row of its own, moved by as many places as the longest variant is
    longer (one at least): where it departs from ``variants[0]``, only arithmetic differs, so it measures the noise
    floor."""


class Policy(Protocol):
    """A causal language model that generates and scores."""

    @property
    def name(self) -> str:
        """What the user called it."""

    def encode_prompt(self, text: str) -> TokenIds:
        """The token ids of a rendered prompt, with the chat template and the special tokens that the model expects."""

    def encode_response(self, text: str) -> TokenIds:
        """The token ids of a response as it stands behind a prompt: no special tokens added, no space invented."""

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text of a response, without special tokens."""

    def token_texts(self, token_ids: Sequence[int]) -> list[str]:
        """The text of each token alone; a token that is a part of a character shows as U+FFFD."""

    def generate(self, requests: Sequence[Request], sampling: Sampling) -> list[list[Response]]:
        """For each request, one response a seed, in order."""

    def logprobs(self, groups: Sequence[Group]) -> list[GroupLogprobs]:
        """For each group, the log-probs of its responses under every variant, by teacher forcing."""
