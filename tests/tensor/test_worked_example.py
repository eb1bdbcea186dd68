"""Equations 1 to 11 on one example that fits on a page, worked by hand.

Two responses to one problem and K = 2 variants. The first response has the tokens a and b, the second the token c.

    token                          a                b                c
    p0                            1/2              1/2              1/2
    p1                            1/2              1/6             3/10
    p2                            1/6              1/2              1/2
    d1 = |p0 - p1|/((p0 + p1)/2)   0       (1/3)/(1/3) = 1   (1/5)/(2/5) = 1/2         eq. 1, 6
    d2                             1                0                0

Over the three tokens, -d1 = (0, -1, -1/2) has the mean -1/2 and the variance (1/4 + 1/4 + 0)/3 = 1/6, -d2 = (-1, 0, 0)
has the mean -1/3 and the variance (4/9 + 1/9 + 1/9)/3 = 2/9:

    z1 = (1/2, -1/2, 0) * sqrt(6)     =  ( 1.224745, -1.224745, 0       )              eq. 7
    z2 = (-2/3, 1/3, 1/3) * 3/sqrt(2) =  (-1.414214,  0.707107, 0.707107)
    mean                              =  (-0.094734, -0.258819, 0.353553), of mean 0
    its variance                      =  (0.008975 + 0.066987 + 0.125000)/3 = 0.066987 = 0.258819^2
    u                                 =  (-0.366025, -1, 1.366025)                     eq. 8
    u^-                               =  (-0.366025, -1, 0)

The first response is right, the second wrong: R = (1, 0), of mean 1/2 and, with ddof 1, of variance 1/4 + 1/4, so
A = (1/2, -1/2)/sqrt(1/2) = (0.707107, -0.707107) (eq. 2). With lambda = 0.1:

    A~ = (0.707107 - 0.036603, 0.707107 - 0.1, -0.707107) = (0.670504, 0.607107, -0.707107)    eq. 9

The new policy has the ratios r = (3/2, 1/2, 12) (eq. 3). Clipped to [0.80, 1.28], dual clip 10 (eq. 4, 10):

    a:  A~ > 0, -min(3/2, 1.28) * 0.670504           = -0.858245    clipped above
    b:  A~ > 0, -min(1/2, 0.80) * 0.607107           = -0.303553    not clipped: the lower clip is not for A~ > 0
    c:  A~ < 0, min(max(12, 1.28), 10) * 0.707107    =  7.071068    dual clip
    mean over the three tokens                       =  1.969757

eps = 1e-6 moves the fifth decimal. lambda falls from 0.1 to 0 after N0 = 2 steps (eq. 11).
"""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from semifactual.tensor.advantage import group_advantages
from semifactual.tensor.aggregation import constant_mean, sequence_mean, token_mean
from semifactual.tensor.credit import credited_advantages, signed_credit, stability_credit
from semifactual.tensor.drift import drift, signed_contrast, signed_drift
from semifactual.tensor.loss import clipped_surrogate
from semifactual.tensor.schedule import credit_weight
from semifactual.tensor.stability import stability

LOGP_ORIGINAL = torch.tensor([1 / 2, 1 / 2, 1 / 2]).log()
LOGP_VARIANTS = torch.tensor([[1 / 2, 1 / 6, 3 / 10], [1 / 6, 1 / 2, 1 / 2]]).log()
RESPONSE = torch.tensor([0, 0, 1])
GROUP = torch.tensor([0, 0, 0])
REWARDS = torch.tensor([1.0, 0.0])
LAMBDA = 0.1
RATIO = torch.tensor([1.5, 0.5, 12.0])


def near(*values: float) -> object:
    return pytest.approx(list(values), abs=2e-5)


@pytest.fixture
def u() -> Tensor:
    return stability(drift(LOGP_ORIGINAL, LOGP_VARIANTS), GROUP, 1)


@pytest.fixture
def credited(u: Tensor) -> Tensor:
    advantages = group_advantages(REWARDS, torch.tensor([0, 0]), 1)
    return credited_advantages(advantages, stability_credit(u), RESPONSE, LAMBDA)


def test_drift_eq_1_and_6() -> None:
    first, second = drift(LOGP_ORIGINAL, LOGP_VARIANTS).tolist()
    assert first == near(0, 1, 0.5)
    assert second == near(1, 0, 0)
    assert drift(LOGP_VARIANTS, LOGP_ORIGINAL).tolist() == [first, second]


def test_signed_drift_and_contrast() -> None:
    """A variant that makes a token likelier gives a negative sign; contrast: mean of ln 1 and ln 3, then ln 5/3."""
    likelier = torch.tensor([3 / 10, 1 / 2, 1 / 2]).log()
    assert signed_drift(likelier, LOGP_ORIGINAL).tolist() == near(-0.5, 0, 0)
    contrast = signed_contrast(LOGP_ORIGINAL, LOGP_VARIANTS, RESPONSE, 2)
    assert contrast[0].tolist() == near(0.549306, 0.510826)
    assert contrast[1].tolist() == near(0.549306, 0)


def test_stability_eq_7_and_8(u: Tensor) -> None:
    assert u.tolist() == near(-0.366025, -1, 1.366025)


def test_stability_of_the_magnitude() -> None:
    """-(d1 + d2)/2 = (-1/2, -1/2, -1/4), of mean -5/12 and variance (1/144 + 1/144 + 4/144)/3 = 1/72."""
    u = stability(drift(LOGP_ORIGINAL, LOGP_VARIANTS), GROUP, 1, aggregate="magnitude")
    assert u.tolist() == near(-0.707101, -0.707101, 1.414202)


def test_advantage_eq_2() -> None:
    group = torch.tensor([0, 0])
    assert group_advantages(REWARDS, group, 1).tolist() == near(0.707107, -0.707107)
    assert group_advantages(REWARDS, group, 1, ddof=0).tolist() == near(1, -1)
    assert group_advantages(REWARDS, group, 1, estimator="dr_grpo").tolist() == [0.5, -0.5]
    assert group_advantages(REWARDS, group, 1, estimator="rloo").tolist() == [1, -1]


def test_credit_eq_9(u: Tensor, credited: Tensor) -> None:
    assert stability_credit(u).tolist() == near(-0.366025, -1, 0)
    assert stability_credit(u, "positive").tolist() == near(0, 0, 1.366025)
    assert stability_credit(u, "all").tolist() == u.tolist()
    assert credited.tolist() == near(0.670504, 0.607107, -0.707107)


def test_signed_credit() -> None:
    """ds1 = (0, 1, 1/2) and ds2 = (1, 0, 0), and in a third variant ds3 = (0, -1/2, 0), which the maximum drops."""
    signed = torch.tensor([[0, 1, 0.5], [1, 0, 0], [0, -0.5, 0]])
    assert signed_credit(signed[:2]).tolist() == near(-0.5, -0.5, -0.25)
    assert signed_credit(signed).tolist() == near(-1 / 3, -1 / 3, -1 / 6)


def test_loss_eq_3_4_and_10(credited: Tensor) -> None:
    result = clipped_surrogate(LOGP_ORIGINAL + RATIO.log(), LOGP_ORIGINAL, credited)
    assert result.ratio.tolist() == near(1.5, 0.5, 12)
    assert result.loss.tolist() == near(-0.858245, -0.303553, 7.071068)
    assert result.clipped_high.tolist() == [True, False, False]
    assert result.clipped_low.tolist() == [False, False, False]
    assert result.dual_clipped.tolist() == [False, False, True]


def test_aggregation() -> None:
    """Losses 1 and 2 in the first response, 6 in the second; a third response has no token."""
    loss = torch.tensor([1.0, 2.0, 6.0])
    assert token_mean(loss, 3).item() == 3
    assert sequence_mean(loss, RESPONSE, 3, 2).item() == 3.75
    assert constant_mean(loss, 2, 9).item() == 0.5


def test_token_mean_of_the_losses_eq_4(credited: Tensor) -> None:
    loss = clipped_surrogate(LOGP_ORIGINAL + RATIO.log(), LOGP_ORIGINAL, credited).loss
    assert token_mean(loss, 3).item() == pytest.approx(1.969757, abs=1e-4)


def test_schedule_eq_11() -> None:
    assert [credit_weight(step, LAMBDA, 2) for step in (1, 2, 3, 4)] == [0.1, 0.1, 0, 0]
