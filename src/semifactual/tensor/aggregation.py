"""From a loss for each token to one number: three ways to average over an optimisation step.

Every function takes the tokens of one micro-batch and the denominator of the whole step, counted beforehand over all
micro-batches and all processes. The sum over micro-batches is then exactly the loss of the step, however it was cut,
and so is the sum over processes. A framework that averages gradients over processes needs the result times their
number.
"""

from __future__ import annotations

from jaxtyping import Float, Int
from torch import Tensor

from semifactual.tensor.groups import group_sum


def token_mean(loss: Float[Tensor, " token"], tokens: int) -> Float[Tensor, ""]:
    """sum of L / tokens (DAPO, SCAPO): every valid token of the step weighs the same.

    Args:
        tokens: the valid tokens of the whole step.
    """
    return loss.sum() / max(tokens, 1)


def sequence_mean(
    loss: Float[Tensor, " token"], response: Int[Tensor, " token"], responses: int, sequences: int
) -> Float[Tensor, ""]:
    """mean_i mean_t L (GRPO as first published): every response weighs the same. No response may be cut in two.

    Args:
        response: the number of each token's response, below `responses`.
        responses: how many responses the micro-batch has; one without a valid token adds nothing.
        sequences: the responses of the whole step that have at least one valid token.
    """
    lengths = group_sum(loss.new_ones(loss.shape), response, responses)
    return (group_sum(loss, response, responses) / lengths.clamp(min=1)).sum() / max(sequences, 1)


def constant_mean(loss: Float[Tensor, " token"], sequences: int, length: int) -> Float[Tensor, ""]:
    """(1/N) sum_i sum_t L / C (Dr. GRPO): long responses are not favoured.

    Args:
        sequences: N, the responses of the whole step that have at least one valid token.
        length: C, the same for every step, such as the longest allowed response.
    """
    return loss.sum() / (max(sequences, 1) * length)
