from __future__ import annotations

import pytest

from semifactual.answers.phrases import choice, is_words, phrase, plain, without_lead
from semifactual.answers.tree import Choice, Phrase


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("An Ellipse", "ellipse"),
        (r"\text{Tuesday}.", "tuesday"),
        ("There is no solution", "no solution"),
        ("DNE", "does not exist"),
        (r"\textbf{the origin}", "origin"),
        ("5 apples", None),
        ("x+1", None),
    ],
)
def test_phrases(text: str, words: str | None) -> None:
    assert phrase(text) == (None if words is None else Phrase(words))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C", Choice("C")),
        ("(c)", Choice("C")),
        ("C.", Choice("C")),
        ("Option C", Choice("C")),
        (r"\textbf{(C)}\ 17", Choice("C", "17")),
        ("C: seventeen", Choice("C", "seventeen")),
        ("C, A", Choice("AC")),
        ("ACD", Choice("ACD")),
        ("DAC", None),
        ("2C", None),
        ("C^2", None),
        ("C or D", None),
        ("Cat", None),
        ("e", None),
        ("K", None),
    ],
)
def test_choices(text: str, expected: Choice | None) -> None:
    assert choice(text) == expected


def test_helpers() -> None:
    assert plain(r"$\text{a~b}\, c$") == "a b c"
    assert without_lead("The final answer is 5") == "5"
    assert is_words("no way") and not is_words("x") and not is_words("5 cm")
