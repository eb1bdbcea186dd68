"""The closed grammar of distractors, on golden lines and on whatever else there is."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from semifactual.validate.vacuous import DistractorForm, classify_distractor

GOLDEN = yaml.safe_load((Path(__file__).parents[1] / "golden" / "distractors.yaml").read_text())
LINES = [(form, line) for form, lines in GOLDEN.items() for line in lines]


@pytest.mark.parametrize(("form", "line"), LINES, ids=[line or "empty" for _, line in LINES])
def test_golden_lines(form, line):
    assert classify_distractor(line) == (DistractorForm(form) if form else None)


def test_every_form_has_golden_lines():
    assert set(GOLDEN) == {form.value for form in DistractorForm} | {None}


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_an_identity_needs_equal_sides(left, right):
    assert classify_distractor(f"{left} = {left}") is DistractorForm.IDENTITY
    assert (classify_distractor(f"{left} = {right}") is None) == (left != right)


@given(st.text(max_size=60))
def test_any_text_is_classified_without_an_error(text):
    assert classify_distractor(text) in (*DistractorForm, None)


@given(st.sampled_from(GOLDEN["tautology"]), st.sampled_from(GOLDEN["tautology"]))
def test_two_distractors_are_not_one(first, second):
    assert classify_distractor(f"{first.rstrip('.')}. {second}") is None
