from __future__ import annotations

import pytest

from semifactual.answers.unicode import fold, is_readable


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("\u22125", "-5"),
        ("５", "5"),
        ("٣", "3"),
        ("x²", "x^{2}"),
        ("x¹⁰", "x^{10}"),
        ("a₁₂", "a_{12}"),
        ("½", r"\frac{1}{2}"),
        ("𝜋", r"\pi "),
        ("λ", r"\lambda "),
        ("Λ", r"\Lambda "),
        ("5\u200b", "5"),
        ("\u202e5", "5"),
        ("a\tb", "a b"),
        ("⑨", "⑨"),
        ("а", "а"),
        ("plain", "plain"),
    ],
)
def test_folding(text: str, folded: str) -> None:
    assert fold(text) == folded
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("text", "readable"), [("x≤3\n", True), ("4\x002", False), ("\ud800", False), ("e\u0301", False)]
)
def test_readable(text: str, readable: bool) -> None:
    assert is_readable(text) == readable
