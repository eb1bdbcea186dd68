"""Sentences, questions and answer-format stretches."""

import pytest

from semifactual.text.document import Document


def pieces(document, ranges):
    return [document.text[start:end] for start, end in ranges]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Mr. Lee has 2.5 kg. Who knows?", ["Mr. Lee has 2.5 kg.", "Who knows?"]),
        ("It is $x+y.$ Find $x$.", ["It is $x+y.$", "Find $x$."]),
        ("At 5 p.m. Ann left. She slept.", ["At 5 p.m. Ann left.", "She slept."]),
        ('He said "Go!" Then he left.', ['He said "Go!"', "Then he left."]),
        ("One\n\nTwo", ["One", "Two"]),
        ("Pick:\nA) red\nB) blue", ["Pick:", "A) red", "B) blue"]),
        ("", []),
    ],
)
def test_sentences(text, sentences):
    document = Document(text)
    assert pieces(document, document.sentences) == sentences


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("Ann has 3 cats. How many legs do they have?", ["How many legs do they have?"]),
        ("Let $x=1$. Find $x+1$.", ["Find $x+1$."]),
        ("If Ann sells 3, how many are left? She waits.", ["If Ann sells 3, how many are left?"]),
        ("Ann sleeps. Bob wakes.", ["Bob wakes."]),
        ("When the bell rings they leave. When is that?", ["When is that?"]),
    ],
)
def test_questions(text, questions):
    document = Document(text)
    assert pieces(document, document.questions) == questions


@pytest.mark.parametrize(
    ("text", "formats"),
    [
        ("Find $x$. Express your answer as a common fraction.", ["Express your answer as a common fraction."]),
        ("What is the share (rounded to the nearest integer) of red cards?", ["(rounded to the nearest integer)"]),
        ("Ann can write it as she likes. Who is she?", []),
        ("Round your answer to the nearest cent.", ["Round your answer to the nearest cent."]),
    ],
)
def test_answer_formats(text, formats):
    document = Document(text)
    assert pieces(document, document.answer_formats) == formats
