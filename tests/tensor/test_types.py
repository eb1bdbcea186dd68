"""The signatures are checked while this room is tested: a wrong axis or dtype is refused."""

from __future__ import annotations

import pytest
import torch
from jaxtyping import TypeCheckError

from semifactual.tensor.groups import group_sum
from semifactual.tensor.stability import stability


def test_axes_of_one_name_must_agree() -> None:
    with pytest.raises(TypeCheckError):
        group_sum(torch.ones(3), torch.zeros(4, dtype=torch.long), 1)


def test_group_numbers_must_be_integers() -> None:
    with pytest.raises(TypeCheckError):
        stability(torch.ones(2, 3), torch.zeros(3), 1)
