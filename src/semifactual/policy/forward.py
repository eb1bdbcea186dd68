"""Log-probs of responses by whole forwards, with gradient: what training differentiates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from semifactual.errors import ConfigError
from semifactual.policy.head import body_of, head_of


@dataclass(frozen=True)
class ResponseLogprobs:
    """What a model says of the tokens of some responses. Behind a response's last token everything is zero."""

    logps: Tensor
    """[row, token] log p(token | prompt, earlier tokens), in nats, fp32 at least; with gradient."""
    entropy: Tensor | None
    """[row, token] the entropy of the distribution that each token was drawn from, in nats; without gradient."""
    mask: Tensor
    """[row, token] bool: where there is a token."""


def response_logprobs(
    model: Any,
    prompts: Sequence[Sequence[int]],
    responses: Sequence[Sequence[int]],
    *,
    temperature: float = 1.0,
    with_entropy: bool = False,
    head_dtype: torch.dtype | None = None,
    width: int | None = None,
) -> ResponseLogprobs:
    """Score responses by one forward over rows of prompt and response, padded on the right.

    Right padding is exact for every causal model: no token sees what stands behind it. The body runs over whole rows,
    the head over the response tokens alone, in tiles, forward and backward, so that no logits are ever held. Gradients
    flow, and gradient checkpointing acts, as the caller has set the model.

    Args:
        model: a transformers causal language model, or one wrapped so that `get_output_embeddings` and `base_model`
            still answer.
        prompts: token ids, one sequence a row, none of them empty.
        responses: token ids, one sequence a row; empty ones are allowed.
        width: the token axis of the result; by default the longest response.

    Raises:
        ConfigError: an empty prompt, whose first response token would follow nothing.
    """
    if not all(map(len, prompts)):
        raise ConfigError("a prompt is empty: the first token of its response would follow nothing")
    head, device = head_of(model), next(model.parameters()).device
    lengths = [len(response) for response in responses]
    mask = torch.arange(width or max(lengths, default=0))[None] < torch.tensor(lengths, dtype=torch.long)[:, None]
    logps = torch.zeros(mask.shape, dtype=torch.float32, device=device)
    entropy = torch.zeros_like(logps) if with_entropy else None
    mask = mask.to(device)
    if sum(lengths):
        hidden = hidden_before_responses(body_of(model), prompts, responses)
        targets = torch.tensor([token for response in responses for token in response], device=device)
        found, found_entropy = head.logprobs(
            hidden, targets, temperature=temperature, with_entropy=with_entropy, head_dtype=head_dtype
        )
        # Filled row by row, as the targets are: a boolean mask is walked in the same order.
        logps = logps.to(found).masked_scatter(mask, found)
        entropy = (
            None if entropy is None or found_entropy is None else entropy.to(found).masked_scatter(mask, found_entropy)
        )
    return ResponseLogprobs(logps, entropy, mask)


def hidden_before_responses(
    body: nn.Module,
    prompts: Sequence[Sequence[int]],
    responses: Sequence[Sequence[int]],
    *,
    width: int = 0,
    shifts: Sequence[int] = (),
) -> Tensor:
    """The hidden states [token, width of the body] that predict the response tokens, all rows one after the other.

    Rows of prompt and response are padded on the right, to `width` columns at least. `shifts`, one a row, are the
    positions of the first tokens, for a body that takes positions; without them each row counts from zero.
    """
    # A response's last token predicts nothing that is wanted, so it is not read.
    rows = [[*prompt, *response[:-1]] for prompt, response in zip(prompts, responses, strict=True)]
    width = max(width, *map(len, rows))
    device = next(body.parameters()).device
    ids = torch.tensor([[*row, *[row[-1]] * (width - len(row))] for row in rows], device=device)
    options: dict[str, Any] = {"use_cache": False}
    if any(shifts):
        options["position_ids"] = torch.arange(width, device=device) + torch.tensor(shifts, device=device)[:, None]
    hidden: Tensor = body(input_ids=ids, **options).last_hidden_state
    starts = [row * width + len(prompt) - 1 for row, prompt in enumerate(prompts)]
    index = [start + step for start, response in zip(starts, responses, strict=True) for step in range(len(response))]
    return hidden.reshape(-1, hidden.shape[-1]).index_select(0, torch.tensor(index, device=hidden.device))
