"""What differs between two texts, and what evidence speaks of."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.pipeline.marking import Segment, marked_pair, quotations

texts = st.text("ab1 '\"\\\n.", max_size=40)


def marked(segments: list[Segment]) -> list[str]:
    return [segment.text for segment in segments if segment.marked]


@given(texts, texts, st.lists(texts | texts.map(repr), max_size=4))
def test_segments_join_to_the_texts_and_kept_ones_to_the_same(before: str, after: str, evidence: list[str]) -> None:
    left, right = marked_pair(before, after, evidence)
    assert "".join(segment.text for segment in left) == before
    assert "".join(segment.text for segment in right) == after
    kept = ["".join(segment.text for segment in side if not segment.changed) for side in (left, right)]
    assert kept[0] == kept[1]


@given(texts)
def test_what_repr_quotes_is_found_again(text: str) -> None:
    assert list(quotations(f"gained {text!r}, and more")) == ([text] if text else [])


@pytest.mark.parametrize(
    ("before", "after", "evidence", "left", "right"),
    [
        ("He has 3 cats.", "He has 4 cats.", "lost '3', gained '4'", ["3"], ["4"]),
        ("13 and 3.", "13 and 3.", "the number '3'", ["3"], ["3"]),
        ("3 cats, 3 dogs.", "3 cats, 2 dogs.", "lost '3'", ["3"], ["3"]),
        ("More than it.", "Less than it.", "'more' became 'less'", ["More"], ["Less"]),
        ("Two men ran.", "Two women ran.", "asks about women, men gone", ["men"], ["women"]),
        ("All of it ran.", "Half of it ran.", "the original says nothing", [], []),
        ("A cat.", "The cat.", "the word", [], []),
    ],
)
def test_marks(before: str, after: str, evidence: str, left: list[str], right: list[str]) -> None:
    segments = marked_pair(before, after, [evidence])
    assert (marked(segments[0]), marked(segments[1])) == (left, right)


def test_long_texts_take_no_time() -> None:
    before, after = "a1 b2 " * 16_000, "a1 c3 " * 16_000
    started = time.perf_counter()
    marked_pair(before, after, ["lost 'b2', gained 'c3', " + "'a" * 50_000, "a1 " * 10_000])
    assert time.perf_counter() - started < 5
