from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from semifactual.train.seeds import seed_of

PARTS = st.lists(st.one_of(st.integers(), st.text()), max_size=4)


@given(PARTS, PARTS)
def test_other_parts_give_another_seed(one: list[str | int], other: list[str | int]) -> None:
    assert 0 <= seed_of(*one) < 2**63
    assert (seed_of(*one) == seed_of(*other)) == (one == other)


def test_a_number_is_not_its_text() -> None:
    assert len({seed_of(1), seed_of("1"), seed_of(1, 1), seed_of("1\01")}) == 4
