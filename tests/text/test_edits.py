"""Edits by offset."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.text.edits import Edit, apply_edits, is_single_typo, single_edit

short = st.text(alphabet="ab c", max_size=8)


@given(short, short)
def test_single_edit_turns_one_text_into_the_other(before, after):
    edit = single_edit(before, after)
    assert (apply_edits(before, [edit]) if edit else before) == after


def test_overlapping_edits_are_refused():
    with pytest.raises(ValueError, match="overlaps"):
        apply_edits("abcdef", [Edit(0, 3, "x"), Edit(2, 4, "y")])


@given(short, short)
def test_a_typo_is_what_osa_distance_one_says(before, after):
    assert is_single_typo(before, after) == (_osa(before, after) == 1)


def _osa(a, b):
    """The optimal string alignment distance, by the textbook recurrence."""
    d = {(i, -1): i + 1 for i in range(-1, len(a))} | {(-1, j): j + 1 for j in range(-1, len(b))}
    for i in range(len(a)):
        for j in range(len(b)):
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (a[i] != b[j]))
            if i and j and a[i] == b[j - 1] and a[i - 1] == b[j]:
                d[i, j] = min(d[i, j], d[i - 2, j - 2] + 1)
    return d[len(a) - 1, len(b) - 1]
