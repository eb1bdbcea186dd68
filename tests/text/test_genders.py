"""Of what gender persons are, and which names a reader confuses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.text.genders import likely_genders, told_genders, usual_gender
from semifactual.text.lexicon import Gender, given_names, names_of
from semifactual.text.likeness import are_alike, sound_of
from semifactual.text.persons import name_key, tokens_of

SHE, HE = Gender.FEMALE, Gender.MALE


def read(text, reading):
    tokens = tokens_of(text)
    return reading(tokens, {place: name_key(token) for place, token in enumerate(tokens) if token in given_names()})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Robin has 3 figs. She eats one.", {"robin": {SHE}}),
        ("Robin has 3 figs. They are ripe.", {}),
        ("Robin and Alex have 3 figs. He eats one.", {}),
        ("Robin and Ines have 3 figs. He eats one.", {"robin": {HE}}),
        ("Ines has 3 figs. He eats one.", {}),
        ("Robin waits. Omar left early. She stays for an hour.", {"robin": {SHE}}),
        ("Robin has her figs. Alex has his.", {"robin": {SHE}}),
        ("Omar gives his sister Robin 3 figs.", {"omar": {HE}, "robin": {SHE}}),
    ],
)
def test_what_pronouns_say_for_certain(text, told):
    assert read(text, told_genders) == told


@pytest.mark.parametrize(
    ("text", "likely"),
    [
        ("Robin and Alex have 3 figs. He eats one.", {"robin": HE}),
        ("Robin has her figs. Alex has his.", {"robin": SHE, "alex": HE}),
    ],
)
def test_what_a_reader_supposes(text, likely):
    assert read(text, likely_genders) == likely


@pytest.mark.parametrize("gender", Gender)
def test_expected_genders_are_of_names_of_either(gender):
    expected = names_of(f"mostly_{gender.value}")
    assert set(expected) <= set(names_of("either"))
    assert {usual_gender(name) for name in expected} == {gender}


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("Shay", "Shea", True),
        ("Jon", "John", True),
        ("Cathie", "Kathy", True),
        ("Alexa", "Alexis", True),
        ("Tim", "Tom", True),
        ("Ann", "Amy", False),
        ("Lena", "Omar", False),
        ("Carl", "Cecil", False),
    ],
)
def test_names_that_a_reader_confuses(first, second, alike):
    assert are_alike(first, second) is are_alike(second, first) is alike


@given(st.text(max_size=20))
def test_every_word_has_a_sound(word):
    assert len(sound_of(word)) <= len(name_key(word)) + 1
    assert are_alike(word, word)
