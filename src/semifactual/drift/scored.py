"""One problem with its responses, scored under every variant of its prompt, and the journal form of that."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from semifactual.drift.taxonomy import CATEGORIES, Category

Logprobs: TypeAlias = NDArray[np.float32]

ORIGINAL = "original"
"""The variant 0: the prompt of the problem itself."""
IDENTITY = "identity"
"""The original once more, moved by as many places as the longest variant is longer: the noise floor."""


@dataclass(frozen=True, slots=True)
class ScoredResponse:
    """A response and its log-probs."""

    sample: int
    seed: int | None
    """None where the response was given, not generated."""
    text: str
    token_ids: tuple[int, ...]
    stop: str | None
    """Why it ends (`StopReason`); None where that is not known."""
    answer: str | None
    """What stands in its last box; None where there is no answer."""
    correct: bool
    tokens: tuple[str, ...]
    categories: tuple[Category, ...]
    logps: Logprobs
    """[variant, token] in nats: the original, the rewrites, and the identity last."""


@dataclass(frozen=True, slots=True)
class ScoredProblem:
    """A problem, its rewrites and its scored responses."""

    id: str
    text: str
    answer: str
    kinds: tuple[str, ...]
    """The kind of each rewrite; a kind may be there more than once."""
    rewrites: tuple[str, ...]
    prompts: tuple[tuple[int, ...], ...]
    """Token ids: the original's, then those of the rewrites."""
    responses: tuple[ScoredResponse, ...]

    def variants(self) -> Iterator[tuple[str, int, tuple[int, ...]]]:
        """Kind, number within the kind, and prompt of each row of a response's log-probs."""
        seen: Counter[str] = Counter()
        yield ORIGINAL, 0, self.prompts[0]
        for kind, prompt in zip(self.kinds, self.prompts[1:], strict=True):
            yield kind, seen[kind], prompt
            seen[kind] += 1
        yield IDENTITY, 0, self.prompts[0]


def told_of(response: ScoredResponse) -> dict[str, Any]:
    """What a user reads of a response, beside its scores."""
    return {
        "sample": response.sample,
        "seed": response.seed,
        "text": response.text,
        "token_ids": response.token_ids,
        "stop": response.stop,
        "answer": response.answer,
        "correct": response.correct,
    }


def to_row(problem: ScoredProblem) -> dict[str, Any]:
    """The journal's row of a problem; log-probs bit by bit, so that nothing is rounded on the way."""
    return {
        "id": problem.id,
        "text": problem.text,
        "answer": problem.answer,
        "kinds": problem.kinds,
        "rewrites": problem.rewrites,
        "prompts": problem.prompts,
        "responses": [
            {
                **told_of(response),
                "tokens": response.tokens,
                "categories": [CATEGORIES.index(category) for category in response.categories],
                "logps": base64.b64encode(response.logps.astype("<f4").tobytes()).decode("ascii"),
            }
            for response in problem.responses
        ],
    }


def from_row(row: Mapping[str, Any]) -> ScoredProblem:
    """The problem of a journal's row."""
    variants = len(row["kinds"]) + 2
    return ScoredProblem(
        id=row["id"],
        text=row["text"],
        answer=row["answer"],
        kinds=tuple(row["kinds"]),
        rewrites=tuple(row["rewrites"]),
        prompts=tuple(tuple(prompt) for prompt in row["prompts"]),
        responses=tuple(_response(response, variants) for response in row["responses"]),
    )


def _response(row: Mapping[str, Any], variants: int) -> ScoredResponse:
    logps = np.frombuffer(base64.b64decode(row["logps"]), dtype="<f4").astype(np.float32)
    return ScoredResponse(
        sample=row["sample"],
        seed=row["seed"],
        text=row["text"],
        token_ids=tuple(row["token_ids"]),
        stop=row["stop"],
        answer=row["answer"],
        correct=row["correct"],
        tokens=tuple(row["tokens"]),
        categories=tuple(CATEGORIES[index] for index in row["categories"]),
        logps=logps.reshape(variants, len(row["token_ids"])),
    )


def concatenated(responses: Sequence[ScoredResponse]) -> tuple[Logprobs, NDArray[np.int64]]:
    """The log-probs of all tokens of all responses, [variant, token], and the number of each token's response."""
    lengths = [len(response.token_ids) for response in responses]
    return np.concatenate([response.logps for response in responses], axis=1), np.repeat(
        np.arange(len(responses)), lengths
    )
