from __future__ import annotations

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from semifactual.text.diff import Change, word_diff

texts = st.text(st.sampled_from("ab $\\x12.\n"), max_size=40)


def side(before: str, after: str, lost: Change) -> str:
    return "".join(piece.text for piece in word_diff(before, after) if piece.change is not lost)


@given(texts, texts)
def test_pieces_concatenate_to_both_texts(before: str, after: str) -> None:
    assert side(before, after, Change.ADDED) == before
    assert side(before, after, Change.REMOVED) == after


@given(texts, texts)
def test_pieces_are_neither_empty_nor_split(before: str, after: str) -> None:
    pieces = word_diff(before, after)
    assert all(piece.text for piece in pieces)
    assert all(a.change is not b.change for a, b in pairwise(pieces))


def test_equal_texts_are_one_kept_piece() -> None:
    assert [piece.change for piece in word_diff("same", "same")] == [Change.KEPT]


def test_a_changed_phrase_is_one_change() -> None:
    pieces = word_diff("How many are left now?", "How many still remain now?")
    assert [(piece.change.value, piece.text) for piece in pieces] == [
        ("kept", "How many "),
        ("removed", "are left"),
        ("added", "still remain"),
        ("kept", " now?"),
    ]


def test_very_different_long_texts_take_no_time() -> None:
    started = time.perf_counter()
    word_diff(" ".join(f"a{i % 7}" for i in range(50_000)), " ".join(f"a{i % 5}" for i in range(50_000)))
    assert time.perf_counter() - started < 2
