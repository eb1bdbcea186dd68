"""The weight of the credit over the steps: where it begins, where it ends, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.tensor.schedule import credit_weight

DECAYS = ("constant", "linear", "cosine")


@given(st.sampled_from(DECAYS), st.integers(1, 50), st.sampled_from([0.0, 0.01, 1.0, 3.3]))
def test_begins_with_lambda0_never_rises_and_ends_after_n0(decay: str, steps: int, lambda0: float) -> None:
    weights = [credit_weight(step, lambda0, steps, decay) for step in range(1, steps + 3)]
    assert weights[0] == lambda0
    assert weights == sorted(weights, reverse=True)
    assert weights[steps:] == [0, 0]
    assert lambda0 == 0 or weights[steps - 1] > 0


def test_half_way() -> None:
    assert [credit_weight(3, 1.0, 4, decay) for decay in DECAYS] == pytest.approx([1, 0.5, 0.5])
    assert credit_weight(2, 1.0, 4, "cosine") == pytest.approx(0.853553, abs=1e-6)


def test_no_steps_no_credit() -> None:
    assert credit_weight(1, 0.5, 0) == 0


def test_steps_count_from_one() -> None:
    with pytest.raises(ValueError, match="count from 1"):
        credit_weight(0, 0.5, 2)
