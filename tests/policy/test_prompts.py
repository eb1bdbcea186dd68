"""Prompts and responses become the ids that the model expects, and come back as the same text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers.processors import TemplateProcessing

from semifactual.errors import ConfigError
from semifactual.policy.prompts import PromptEncoder, stop_ids
from semifactual.text.prompt_templates import load_prompt_template, render_prompt
from tests.policy.models import CHAT_TEMPLATE, byte_tokenizer, piece_tokenizer, tiny_model

BYTES, PIECES = byte_tokenizer(), piece_tokenizer()


@pytest.fixture(params=[byte_tokenizer, piece_tokenizer])
def make(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_a_template_is_text_with_one_place() -> None:
    assert render_prompt("Q: {question} {x}\\boxed{}", "What is {y}?") == "Q: What is {y}? {x}\\boxed{}"
    default = load_prompt_template("default")
    assert default.startswith("{question}") and not default.endswith("\n")


def test_a_template_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("Solve {question}\n\n", encoding="utf-8")
    assert load_prompt_template(str(file)) == "Solve {question}\n"


def test_templates_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no prompt template 'defualt'") as caught:
        load_prompt_template("defualt")
    assert "default" in str(caught.value.hint)
    empty = tmp_path / "empty.txt"
    empty.write_text("Solve it.", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"has no \{question\}"):
        load_prompt_template(str(empty))
    binary = tmp_path / "binary.txt"
    binary.write_bytes(b"\xff\xfe{question}")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_prompt_template(str(binary))


def test_a_plain_prompt_has_what_opens_a_text_and_nothing_that_closes_it() -> None:
    plain = PromptEncoder(BYTES).encode_prompt("the cat")
    assert PromptEncoder(byte_tokenizer(bos=True)).encode_prompt("the cat") == (0, *plain)
    assert PromptEncoder(byte_tokenizer(bos=True)).encode_prompt("<s>the cat") == (0, *plain)
    closing = byte_tokenizer()
    closing.backend_tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    assert PromptEncoder(closing).encode_prompt("the cat") == (0, *plain)


def test_a_chat_prompt_has_one_bos_and_the_turn_of_the_assistant() -> None:
    encoder = PromptEncoder(byte_tokenizer(chat_template=CHAT_TEMPLATE, bos=True))
    ids = encoder.encode_prompt("the cat")
    assert encoder.chat
    assert ids == (0, 2, *PromptEncoder(BYTES).encode_prompt("the cat"), 3)


def test_when_a_prompt_is_a_chat() -> None:
    template = byte_tokenizer(chat_template=CHAT_TEMPLATE)
    assert not PromptEncoder(BYTES).chat
    assert not PromptEncoder(template, "never").chat
    assert PromptEncoder(template, "always").chat
    with pytest.raises(ConfigError, match="no chat template"):
        PromptEncoder(BYTES, "always")
    with pytest.raises(ConfigError, match="'sometimes'"):
        PromptEncoder(BYTES, "sometimes")  # type: ignore[arg-type]


def test_an_empty_prompt_is_refused() -> None:
    with pytest.raises(ConfigError, match="no tokens"):
        PromptEncoder(BYTES).encode_prompt("")


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0")))
@pytest.mark.parametrize("tokenizer", [BYTES, PIECES])
def test_a_response_comes_back_as_it_was(tokenizer: Any, text: str) -> None:
    encoder = PromptEncoder(tokenizer)
    ids = encoder.encode_response(text)
    assert encoder.decode(ids) == text
    assert not set(ids) & {0, 1}


def test_no_space_is_invented_before_a_response() -> None:
    encoder = PromptEncoder(PIECES)
    assert encoder.token_texts(encoder.encode_response("the")) == ["the"]
    assert encoder.token_texts(encoder.encode_response(" the")) == [" the"]
    assert PIECES.tokenize("the") == ["▁the"]  # what the tokenizer alone would make of it


def test_each_token_alone(make: Any) -> None:
    encoder = PromptEncoder(make())
    ids = encoder.encode_response(" the é")
    texts = encoder.token_texts(ids)
    assert texts[0] == " the"
    assert texts[-2:] == ["\ufffd", "\ufffd"]
    assert encoder.token_texts([1, 1]) == ["</s>", "</s>"]


def test_special_tokens_are_not_text() -> None:
    assert PromptEncoder(BYTES).decode([*PromptEncoder(BYTES).encode_response("the"), 1]) == "the"


def test_every_end_token_counts() -> None:
    model = tiny_model("qwen3")
    assert stop_ids(model, BYTES) == {1}
    model.generation_config.eos_token_id = [4, 5]
    assert stop_ids(model, BYTES) == {1, 4, 5}
    model.generation_config = None
    model.config.eos_token_id = None
    assert stop_ids(model, BYTES) == {BYTES.eos_token_id}
