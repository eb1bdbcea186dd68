"""Which words of a text name persons."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.text.lexicon import Gender, ambiguous_names, first_names, gender_of_names, given_names, names_of
from semifactual.text.persons import is_person, name_key, names_person, pronouns, tokens_of


def verdict(text, word):
    tokens = tokens_of(text)
    return is_person(tokens, [place for place, token in enumerate(tokens) if token == word])


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Ines has 3 figs.", "Ines"),
        ("Zorblax bought 3 figs.", "Zorblax"),
        ("Omar is older than Zorblax.", "Zorblax"),
        ("How old will Rose be?", "Rose"),
        ("Rose's profit was 3.", "Rose"),
        ("May and Omar share 3 figs.", "May"),
        ("Omar asks his uncle Bill.", "Bill"),
        ("Mr. Baker pays $3.", "Baker"),
        ("Bubbles the cat eats 3 fish.", "Bubbles"),
        ("The Tanaka family eats 3 figs.", "Tanaka"),
        ("How much does April pay?", "April"),
        ("Jordan drives from Paris to Rome.", "Jordan"),
        ("Granger went home. He ate 3 figs.", "Granger"),
        ("A frog named Pond jumps.", "Pond"),
    ],
)
def test_persons(text, word):
    assert verdict(text, word) is True


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("He arrives on April 3.", "April"),
        ("She works in May and June.", "May"),
        ("She works in May and June.", "June"),
        ("The rose is red.", "rose"),
        ("She lives in Texas.", "Texas"),
        ("Pascal's triangle has 3 rows.", "Pascal"),
        ("The Smirnov number 3 is odd.", "Smirnov"),
        ("Herbert Hoover School opens.", "Herbert"),
        ("Herbert Hoover School opens.", "Hoover"),
        ("She drives to San Diego.", "Diego"),
        ("A Mercedes costs more.", "Mercedes"),
        ("Every Monday he runs.", "Monday"),
        ("She has 3 Pokemon cards.", "Pokemon"),
        ("The Japanese teacher leaves.", "Japanese"),
        ("He climbs Mount Olga.", "Olga"),
    ],
)
def test_no_persons(text, word):
    assert verdict(text, word) is False


@pytest.mark.parametrize(("text", "word"), [("Zorblax!", "Zorblax"), ("Insurance covered 3 of 9.", "Insurance")])
def test_what_nothing_shows_stays_open(text, word):
    assert verdict(text, word) is None


def test_names_tell_one_gender_or_either():
    female, male, either = (set(names_of(name)) for name in ("female", "male", "either"))
    assert not female & male and not either & (female | male)
    assert gender_of_names()["Ines"] is Gender.FEMALE and gender_of_names()["Omar"] is Gender.MALE
    assert ambiguous_names() <= given_names()
    assert first_names() == given_names() - ambiguous_names()
    assert set(names_of("spared")) <= given_names()


def test_pronouns_tell_a_gender():
    assert [gender for _, gender in pronouns(tokens_of("She gave HIM their 3 figs."))] == [Gender.FEMALE, Gender.MALE]


def test_spellings_of_a_name_have_one_key():
    assert name_key("José") == name_key("JOSE") == name_key("jose")


@given(st.text(alphabet="Ana the’'s. May3\n", max_size=40))
def test_any_text_is_read(text):
    tokens = tokens_of(text)
    assert "".join(tokens) == text
    for place, token in enumerate(tokens):
        if token.isalpha():
            assert names_person(tokens, place) in (True, False, None)
