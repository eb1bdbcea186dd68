"""Credit of tokens: what SCAPO, its signed form and their ablations add to the advantage (equation 9).

A credit is a number a token, before lambda. It is zero or below in the forms that the method stands on: a token that
drifts loses, and none is paid for being stable, because stable does not mean right.
"""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

Sign: TypeAlias = Literal["negative", "all", "positive"]


class CreditFunction(Protocol):
    """A credit of the user's own. All arguments are flat: valid tokens only, of whole groups, without gradient."""

    def __call__(
        self,
        *,
        logp_original: Float[Tensor, " token"],
        logp_variants: Float[Tensor, "variant token"],
        present: Bool[Tensor, "variant token"],
        response: Int[Tensor, " token"],
        group: Int[Tensor, " token"],
        rewards: Float[Tensor, " response"],
    ) -> Float[Tensor, " token"]:
        """The credit of every token; lambda times it is added to the advantage.

        Args:
            logp_original: log-probs of the tokens under the original prompt, in nats.
            logp_variants: the same under each variant, one row a variant.
            present: which variants the token's problem has; the others hold anything.
            response: the number of each token's response, from 0, an index into `rewards`.
            group: the number of each token's group, from 0.
            rewards: one a response.
        """


def stability_credit(u: Float[Tensor, " token"], sign: Sign = "negative") -> Float[Tensor, " token"]:
    """u^- = min(u, 0), or, as ablations, u itself (``all``) or max(u, 0) (``positive``) (eq. 9)."""
    if sign == "negative":
        return u.clamp(max=0)
    if sign == "positive":
        return u.clamp(min=0)
    if sign == "all":
        return u
    raise ValueError(f"there is no sign {sign!r}: use negative, all or positive")


def signed_credit(
    signed_drift: Float[Tensor, "variant token"], present: Bool[Tensor, "variant token"] | None = None
) -> Float[Tensor, " token"]:
    """c = -mean_k max(ds_k, 0), with ds_k = (p0 - pk) / ((p0 + pk) / 2): only the excess over a variant costs.

    No statistics of a group enter, so it fades as the drift does. In expectation over tokens drawn from p0, adding
    lambda c to the advantage is gradient descent on lambda mean_k D(p0 || pk), every pk held fixed, where

        D(p0 || pk) = sum_v pk f(p0 / pk),    f(r) = 2 (r - 1) - 4 ln((r + 1) / 2) for r > 1, else 0.

    f is convex with f(1) = 0, so D is an f-divergence, and it vanishes only at p0 = pk. Without the maximum, f keeps
    its first form for every r, and D is 4 KL(pk || (p0 + pk) / 2).

    Args:
        signed_drift: one row a variant; see `semifactual.tensor.drift.signed_drift`.
        present: which variants a token has; by default all. A token without any gets zero.
    """
    excess = signed_drift.clamp(min=0)
    if present is None:
        return -excess.mean(0)
    return -excess.where(present, 0).sum(0) / present.sum(0).clamp(min=1)


def shuffled_within_responses(
    credit: Float[Tensor, " token"], response: Int[Tensor, " token"], generator: torch.Generator
) -> Float[Tensor, " token"]:
    """The same credits, each response's dealt out at random among its own tokens: a control.

    What remains is how much credit a response gets; where it falls is lost. Two generators in the same state deal
    alike, provided that the tokens stand in the same order.
    """
    keys = torch.rand(credit.shape[0], generator=generator, device=generator.device).to(credit.device)
    drawn = keys.argsort(stable=True)
    drawn = drawn[response[drawn].argsort(stable=True)]
    places = response.argsort(stable=True)
    return torch.empty_like(credit).index_copy(0, places, credit[drawn])


def credited_advantages(
    advantages: Float[Tensor, " response"],
    credit: Float[Tensor, " token"],
    response: Int[Tensor, " token"],
    weight: float,
) -> Float[Tensor, " token"]:
    """A~_{i,t} = A_i + lambda * stop_gradient(credit_{i,t}) (eq. 9).

    With credit of zero or below, A~ <= A. With lambda = 0 it is A_i, bit for bit.

    Args:
        response: the number of each token's response, an index into `advantages`.
        weight: lambda, in units of the advantage.
    """
    return advantages[response] + weight * credit.detach()
