"""Ragged batches for the tests of this room: random ones, and strategies for hypothesis."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from hypothesis import strategies as st
from torch import Tensor


@dataclass(frozen=True)
class Batch:
    """A flat batch: responses of several groups in any order, some of them without a single token."""

    lengths: tuple[int, ...]
    """Of each response."""
    owner: Tensor
    """[response]: its group."""
    groups: int
    drift: Tensor
    """[variant, token]"""

    @property
    def response(self) -> Tensor:
        """[token]: its response."""
        return torch.arange(len(self.lengths)).repeat_interleave(torch.tensor(self.lengths))

    @property
    def group(self) -> Tensor:
        """[token]: its group."""
        return self.owner[self.response]


@st.composite
def batches(draw: st.DrawFn, dtype: torch.dtype = torch.float64) -> Batch:
    """Up to 4 groups, 8 responses of up to 5 tokens, 4 variants; drift has ties and exact zeros."""
    groups = draw(st.integers(1, 4))
    owner = draw(st.lists(st.integers(0, groups - 1), min_size=1, max_size=8))
    lengths = draw(st.lists(st.integers(0, 5), min_size=len(owner), max_size=len(owner)))
    variants = draw(st.integers(1, 4))
    value = st.one_of(st.sampled_from([0.0, 0.0, 0.1, 1.3]), st.floats(0, 2, width=32))
    row = st.lists(value, min_size=sum(lengths), max_size=sum(lengths))
    drift = [draw(row) for _ in range(variants)]
    return Batch(tuple(lengths), torch.tensor(owner), groups, torch.tensor(drift, dtype=dtype).reshape(variants, -1))
