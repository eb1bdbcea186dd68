"""The d-filter: a case by hand, a loop over the sorted vocabulary, its promises, ties and corner cases."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from semifactual.tensor.drift import drift
from semifactual.tensor.filtering import d_filter, mean_drift

NO_END = torch.zeros(4, dtype=torch.bool)


def naive_mask(clean: list[float], moved: list[float], end: list[bool], cap: float) -> list[bool]:
    order = sorted((v for v in range(len(clean)) if not end[v]), key=lambda v: (-moved[v], clean[v], v))
    masked, mass = [False] * len(clean), 0.0
    for v in order:
        if mass + clean[v] > cap:
            break
        mass += clean[v]
        masked[v] = True
    return masked


@st.composite
def steps(draw: st.DrawFn) -> tuple[Tensor, Tensor, Tensor, float]:
    """Clean log-probs, drift with ties, which tokens end a response, the cap."""
    rows, vocab = draw(st.integers(1, 3)), draw(st.integers(1, 9))
    size = rows * vocab
    logits = draw(st.lists(st.floats(-6, 3, width=32), min_size=size, max_size=size))
    moved = draw(st.lists(st.sampled_from([0.0, 0.1, 0.5, 2.0]), min_size=size, max_size=size))
    end = draw(st.lists(st.booleans(), min_size=vocab, max_size=vocab))
    clean = torch.tensor(logits, dtype=torch.float64).reshape(rows, vocab).log_softmax(1)
    cap = draw(st.floats(0, 0.99))
    return clean, torch.tensor(moved, dtype=torch.float64).reshape(rows, vocab), torch.tensor(end), cap


@given(steps())
def test_masks_what_a_loop_masks(step: tuple[Tensor, Tensor, Tensor, float]) -> None:
    clean, moved, end, cap = step
    found = d_filter(clean, moved, end, cap=cap)
    for row in range(len(clean)):
        assert found.masked[row].tolist() == naive_mask(
            clean[row].exp().tolist(), moved[row].tolist(), end.tolist(), cap
        )


@given(steps())
def test_keeps_its_promises(step: tuple[Tensor, Tensor, Tensor, float]) -> None:
    clean, moved, end, cap = step
    found = d_filter(clean, moved, end, cap=cap)
    assert (found.masked_mass <= cap + 1e-9).all()
    assert not found.masked[:, end].any()
    assert torch.allclose(found.logps.exp().sum(1), torch.ones(len(clean), dtype=torch.float64))
    assert torch.equal(found.logps == -torch.inf, found.masked)
    kept = (clean - (1 - found.masked_mass).log().unsqueeze(1)).masked_fill(found.masked, -torch.inf)
    assert torch.allclose(found.logps, kept, atol=1e-9)


def test_worked_example() -> None:
    """Falling drift: c (mass .1), b (.3), a (.5). Under the cap .45, c and b go; then a would make it .9. d ends it."""
    clean = torch.tensor([[0.5, 0.3, 0.1, 0.1]]).log()
    found = d_filter(clean, torch.tensor([[0.2, 0.9, 1.5, 2.0]]), torch.tensor([False, False, False, True]), cap=0.45)
    assert found.masked.tolist() == [[False, True, True, False]]
    assert found.masked_mass.tolist() == pytest.approx([0.4])
    assert found.logps.exp()[0].tolist() == pytest.approx([5 / 6, 0, 0, 1 / 6])


def test_it_stops_at_the_first_that_would_go_too_far() -> None:
    """A later, smaller one would still fit under the cap; it stays."""
    clean = torch.tensor([[0.1, 0.75, 0.05, 0.1]]).log()
    found = d_filter(clean, torch.tensor([[1.5, 1.0, 0.9, 0.1]]), NO_END)
    assert found.masked.tolist() == [[True, False, False, False]]


def test_of_equal_drift_the_less_probable_goes_first() -> None:
    clean = torch.tensor([[0.4, 0.2, 0.2, 0.2]]).log()
    assert d_filter(clean, torch.zeros(1, 4), NO_END, cap=0.5).masked.tolist() == [[False, True, True, False]]


def test_end_of_sequence_alone_may_remain() -> None:
    clean = torch.tensor([[0.3, 0.3, 0.1, 0.3]]).log()
    found = d_filter(clean, torch.ones(1, 4), torch.tensor([False, False, False, True]), cap=0.8)
    assert found.masked.tolist() == [[True, True, True, False]]
    assert found.logps[0, 3] == pytest.approx(0, abs=1e-6)


def test_something_is_left_even_if_rounding_says_otherwise() -> None:
    """The probabilities sum to 1 - 3e-7, below the cap; the end of the sequence is impossible."""
    clean = torch.tensor([[0.5 - 3e-7, 0.3, 0.2, 0.0]], dtype=torch.float64).log()
    found = d_filter(clean, torch.ones(1, 4), torch.tensor([False, False, False, True]), cap=1 - 1e-7)
    assert found.masked.tolist() == [[False, True, True, False]]
    assert found.logps[0].exp().tolist() == [1, 0, 0, 0]


def test_impossible_tokens_are_harmless() -> None:
    clean = torch.tensor([[0.0, 0.5, 0.5, 0.0]]).log()
    moved = mean_drift(clean, torch.tensor([[0.0, 0.4, 0.2, 0.4]]).log(), torch.tensor([0]))
    found = d_filter(clean, moved, NO_END)
    assert not found.logps.isnan().any()
    assert found.masked[0, 2] and not found.masked[0, 1]


@pytest.mark.parametrize("cap", [-0.1, 1.0, float("nan")])
def test_caps_out_of_range_are_refused(cap: float) -> None:
    with pytest.raises(ValueError, match="cap"):
        d_filter(torch.zeros(1, 4), torch.zeros(1, 4), NO_END, cap=cap)


def test_drift_is_averaged_over_the_variants_that_a_row_has() -> None:
    """Row 0 has the first and the last variant, row 1 the second, row 2 none."""
    generator = torch.Generator().manual_seed(0)
    clean = torch.randn(3, 5, generator=generator).log_softmax(1)
    variants = torch.randn(3, 5, generator=generator).log_softmax(1)
    found = mean_drift(clean, variants, torch.tensor([0, 1, 0]))
    assert torch.allclose(found[0], (drift(clean[0], variants[0]) + drift(clean[0], variants[2])) / 2)
    assert torch.allclose(found[1], drift(clean[1], variants[1]))
    assert not found[2].any()
