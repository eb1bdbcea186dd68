"""Numbers in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.text.cardinals import LARGEST_SPELLED, bare_words, is_cardinal, spelled, spellings
from semifactual.text.values import word_value


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "zero"),
        (12, "twelve"),
        (40, "forty"),
        (21, "twenty-one"),
        (100, "one hundred"),
        (305, "three hundred five"),
        (1_000_000, "one million"),
        (12_015, "twelve thousand fifteen"),
        (2_000_000_001, "two billion one"),
    ],
)
def test_known_numbers(number, words):
    assert spelled(number) == words


@given(st.integers(0, LARGEST_SPELLED))
def test_words_say_their_number_and_no_other(number):
    words = spelled(number)
    assert word_value(words) == number
    assert is_cardinal(words) and bare_words(words) in spellings(number)
    assert bare_words(spelled(number // 2)) not in spellings(number) or number == 0


@pytest.mark.parametrize("number", [-1, LARGEST_SPELLED + 1])
def test_numbers_without_words_are_refused(number):
    with pytest.raises(ValueError, match="has no words"):
        spelled(number)


@pytest.mark.parametrize("words", ["five twenty", "twenty twelve", "hundred", "one one", "dozen", "", "half", "and"])
def test_words_that_spell_no_number(words):
    assert not is_cardinal(words)


@pytest.mark.parametrize("words", ["One hundred and five", "twenty five", "fifteen hundred", "a thousand, two hundred"])
def test_other_spellings(words):
    assert is_cardinal(words)
