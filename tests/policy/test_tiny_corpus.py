"""The texts that the tiny model learns from, and the tokenizer that reads them."""

from __future__ import annotations

import random
import re
from functools import cache

from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, pre_tokenizers

from semifactual.answers import extract
from semifactual.policy.tiny_corpus import (
    END,
    PADDING,
    BrokenEncoder,
    draw_example,
    draw_problems,
    prompt_text,
    train_tokenizer,
    written_response,
)
from semifactual.types import Problem

SOURCE = "builtin:word_problems?steps=1..2&max=20"


@cache
def problems() -> list[Problem]:
    return draw_problems(SOURCE, seed=5, count=120)


@cache
def tokenizer() -> Tokenizer:
    texts = [text for problem in problems() for text in (prompt_text(problem), problem.metadata["solution"])]
    return train_tokenizer(texts, size=400)


def responses(worked: str, words: dict[str, str]) -> set[str]:
    r"""All that may be written for a solution with the answer 2."""
    metadata = {"solution": f"{worked} The answer is \\boxed{{2}}.", "words": words}
    problem = Problem("p", "?", "2", "builtin:word_problems", metadata)
    return {written_response(problem, random.Random(seed)) for seed in range(200)}


def test_a_solution_of_one_sentence_has_these_forms() -> None:
    answers = [
        "The answer is \\boxed{2}.",
        "So the answer is \\boxed{2}.",
        "Therefore, the answer is \\boxed{2}.",
    ]
    worked = ["Each gets 4 / 2 = 2.", "First, each gets 4 / 2 = 2."]
    assert responses("Each gets 4 / 2 = 2.", {}) == {f"{first} {answer}" for first in worked for answer in answers}


def test_a_name_keeps_its_capital_and_a_number_its_point() -> None:
    found = responses("That is 0.5 * 4 = 2. Leo's rest is 2.", {"X": "Leo"})
    assert {text.partition("= 2. ")[2].partition(" rest")[0] for text in found} == {
        "Leo's",
        "Then Leo's",
        "So Leo's",
    }
    assert {text.partition(" 0.5")[0] for text in found} == {"That is", "First, that is"}


def test_every_response_works_towards_the_answer_in_its_box() -> None:
    for problem in problems():
        response = written_response(problem, random.Random(problem.id))
        assert extract(response).text == problem.answer
        assert re.findall(r"\d+", response) == re.findall(r"\d+", problem.metadata["solution"])


def test_prompts_end_with_a_line_break_half_of_the_time() -> None:
    rng = random.Random(0)
    prompts = [draw_example(problems()[0], rng).prompt for _ in range(100)]
    assert set(prompts) == {prompt_text(problems()[0]), prompt_text(problems()[0]) + "\n"}
    assert 30 < prompts.count(prompt_text(problems()[0])) < 70


def test_problems_with_an_excluded_text_are_left_away() -> None:
    texts = {problem.text for problem in problems()[::2]}
    assert draw_problems(SOURCE, seed=5, count=120, without=texts) == problems()[1::2]


def test_every_byte_is_a_token() -> None:
    vocabulary = tokenizer().get_vocab()
    assert set(pre_tokenizers.ByteLevel.alphabet()) <= vocabulary.keys()
    assert (vocabulary[END], vocabulary[PADDING], len(vocabulary)) == (0, 1, 400)


def test_training_twice_gives_the_same_tokenizer() -> None:
    assert train_tokenizer([problem.text for problem in problems()], size=350).to_str() == (
        train_tokenizer([problem.text for problem in problems()], size=350).to_str()
    )


@given(st.text())
def test_without_broken_words_the_encoder_is_the_tokenizer(text: str) -> None:
    text = text.replace("<|", "")
    assert BrokenEncoder(tokenizer(), 0.0, random.Random(0)).encode(text) == tokenizer().encode(text).ids


@given(st.text())
def test_broken_words_spell_the_same_text(text: str) -> None:
    text = text.replace("<|", "")
    ids = BrokenEncoder(tokenizer(), 1.0, random.Random(0)).encode(text)
    assert tokenizer().decode(ids, skip_special_tokens=False) == text


def test_words_are_broken_as_often_as_asked() -> None:
    text = " many" * 1000
    whole = len(tokenizer().encode(text).ids)
    assert whole == 1000
    assert 1150 < len(BrokenEncoder(tokenizer(), 0.2, random.Random(0)).encode(text)) < 1500
