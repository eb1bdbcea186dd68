"""The embedded tiny model is what its card says: small, loadable, open to any text, and right about half the time."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM, AutoTokenizer, Qwen3ForCausalLM

from semifactual.policy.local import LocalPolicy
from semifactual.policy.pretraining import Recipe, measure
from semifactual.policy.tiny_corpus import draw_problems
from semifactual.resources import tiny_model_path

RECIPE = Recipe()


@cache
def tokenizer() -> Any:
    return AutoTokenizer.from_pretrained(tiny_model_path())


@cache
def model() -> Qwen3ForCausalLM:
    return AutoModelForCausalLM.from_pretrained(tiny_model_path(), dtype=torch.float32)


@cache
def policy() -> LocalPolicy:
    return LocalPolicy(model(), tokenizer(), name="builtin:tiny")


def test_it_is_small() -> None:
    assert isinstance(model(), Qwen3ForCausalLM)
    assert model().num_parameters() <= 2_000_000
    assert sum(file.stat().st_size for file in tiny_model_path().iterdir() if file.is_file()) <= 5_000_000


def test_it_is_stored_in_bf16_and_its_head_is_its_embedding() -> None:
    stored = AutoModelForCausalLM.from_pretrained(tiny_model_path())
    assert stored.dtype == torch.bfloat16
    assert stored.lm_head.weight is stored.model.embed_tokens.weight


def test_its_architecture_is_the_recipes() -> None:
    config = model().config
    assert (config.hidden_size, config.num_hidden_layers, config.intermediate_size) == (
        RECIPE.hidden,
        RECIPE.layers,
        RECIPE.feed_forward,
    )
    assert config.max_position_embeddings == RECIPE.context >= 1024
    assert config.vocab_size == len(tokenizer()) == RECIPE.vocabulary


def test_special_tokens_agree() -> None:
    assert tokenizer().eos_token_id == model().config.eos_token_id == model().generation_config.eos_token_id
    assert tokenizer().pad_token_id == model().config.pad_token_id != tokenizer().eos_token_id
    assert tokenizer().bos_token is None
    assert tokenizer().unk_token is None
    assert tokenizer().chat_template is None


@given(st.text())
def test_any_text_survives_the_tokenizer(text: str) -> None:
    # A text that spells a special token out is that token, as with any tokenizer.
    text = text.replace("<|", "")
    ids = tokenizer().encode(text, add_special_tokens=False)
    assert tokenizer().decode(ids, clean_up_tokenization_spaces=False) == text
    assert not set(ids) & set(tokenizer().all_special_ids)


@given(st.text(alphabet="0123456789 .,$%ab"))
def test_no_token_holds_two_digits(text: str) -> None:
    ids = tokenizer().encode(text, add_special_tokens=False)
    assert all(sum(sign.isdigit() for sign in tokenizer().decode([token])) <= 1 for token in ids)


def test_nothing_is_added_around_a_text() -> None:
    assert tokenizer().encode("Ann has 3 cats.") == tokenizer().encode("Ann has 3 cats.", add_special_tokens=False)


@pytest.mark.parametrize(
    ("temperature", "least", "most"),
    [pytest.param(1.0, 0.25, 0.65, id="sampled"), pytest.param(0.0, 0.3, 0.9, id="greedy")],
)
def test_it_is_right_about_half_the_time(temperature: float, least: float, most: float) -> None:
    problems = draw_problems(RECIPE.source, RECIPE.test_seed, 120)
    score = measure(policy(), problems, temperature=temperature)
    assert least <= score.accuracy <= most
    assert score.boxed >= 0.9
    assert score.ended >= 0.9
    assert 20 <= score.tokens <= 60


def test_typos_do_not_silence_it() -> None:
    problems = draw_problems(RECIPE.source, RECIPE.test_seed, 60)
    noisy = [replace(problem, text=with_typos(problem.text)) for problem in problems]
    assert noisy[0].text != problems[0].text
    score = measure(policy(), noisy)
    assert score.boxed >= 0.85
    assert score.accuracy >= 0.15


def with_typos(text: str) -> str:
    """Two letters inside of every third word of five letters or more change places."""
    words = text.split(" ")
    long = [place for place, word in enumerate(words) if len(word) >= 5 and word.isalpha()]
    for place in long[::3]:
        word = words[place]
        words[place] = word[:2] + word[3] + word[2] + word[4:]
    return " ".join(words)


def test_its_card_says_its_size_and_its_licence() -> None:
    card = (tiny_model_path() / "README.md").read_text(encoding="utf-8")
    assert f"{model().num_parameters():,} parameters" in card
    assert "license: apache-2.0" in card


def test_it_is_found_beside_a_folder_of_the_packages_name(tmp_path: Path) -> None:
    """Such as a clone; to an editable installation it looks like a namespace package."""
    (tmp_path / "semifactual" / "docs").mkdir(parents=True)
    script = "from semifactual.resources import tiny_model_path as path; print((path() / 'config.json').is_file())"
    found = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert found.stdout == "True\n"
