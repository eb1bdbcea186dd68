from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from semifactual.drift.taxonomy import CATEGORIES, Category, categorise
from semifactual.resources import template_lines

GOLDEN = yaml.safe_load((Path(__file__).parents[1] / "golden" / "tokens.yaml").read_text(encoding="utf-8"))
CASES = [(text, category) for category, texts in GOLDEN.items() for text in texts]
REFLECTIONS = " ".join(template_lines("tokens/reflections.txt")).split()
CONNECTIVES = " ".join(template_lines("tokens/connectives.txt")).split()


@pytest.mark.parametrize(("text", "category"), CASES)
def test_golden_tokens(text: str, category: str) -> None:
    assert categorise(text).value == category


def test_every_category_has_golden_tokens() -> None:
    assert set(GOLDEN) == {category.value for category in CATEGORIES}


def test_the_word_lists_are_those_of_the_method() -> None:
    assert len(set(REFLECTIONS)) == len(REFLECTIONS) == 16
    assert 75 <= len(CONNECTIVES) <= 90
    assert [word for word, count in Counter(CONNECTIVES + REFLECTIONS).items() if count > 1] == []
    assert all(word.isalpha() and word.islower() for word in CONNECTIVES + REFLECTIONS)


@settings(deadline=None)
@given(st.sampled_from(REFLECTIONS + CONNECTIVES), st.sampled_from(["", " ", "\n", ".", " (", "“"]), st.booleans())
def test_case_space_and_edges_do_not_hide_a_listed_word(word: str, edge: str, upper: bool) -> None:
    expected = Category.REFLECTION if word in REFLECTIONS else Category.CONNECTIVE
    assert categorise(edge + (word.upper() if upper else word) + edge) is expected


@settings(deadline=None)
@given(st.text())
def test_every_text_has_one_category_and_the_words_hold_letters(text: str) -> None:
    category = categorise(text)
    assert category in CATEGORIES
    if category in (Category.WORD, Category.REFLECTION, Category.CONNECTIVE):
        assert any(map(str.isalpha, text))
    if category is Category.WHITESPACE:
        assert text.isspace()
    if category is Category.NUMBER:
        assert any(map(str.isnumeric, text)) and not any(map(str.isalpha, text))


@settings(deadline=None)
@given(st.integers(-(10**9), 10**9), st.integers(0, 99), st.sampled_from(["", "%"]))
def test_numbers_are_numbers_however_written(whole: int, cents: int, percent: str) -> None:
    for text in (f"{whole}{percent}", f"{whole:,}{percent}", f"{whole}.{cents}{percent}", f" ({whole}),"):
        assert categorise(text) is Category.NUMBER
