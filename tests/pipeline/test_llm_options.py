from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from semifactual.errors import ConfigError
from semifactual.pipeline.config import BuildConfig, load_config
from semifactual.pipeline.llm_options import LlmBuildOptions, LlmOptions

MODEL = "openai:m@http://127.0.0.1:8000/v1"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"engine": "llm"}, "engine llm needs a model"),
        ({"engine": "auto"}, "engine auto needs a model"),
        ({"model": MODEL}, "model is for rewrites by a model"),
        ({"judge": MODEL}, "judge is for rewrites by a model"),
        ({"batch": True}, "batch means nothing"),
        ({"engine": "llm", "model": "m"}, "no model is named"),
        ({"engine": "llm", "model": "openai:m@http://u:p@host/v1"}, "password"),
        ({"engine": "magic"}, "engine"),
        ({"engine": "llm", "model": MODEL, "extra_body": "[1]"}, "JSON object"),
        ({"engine": "llm", "model": MODEL, "extra_body": "{"}, "JSON object"),
        ({"solver": MODEL, "votes": 0}, "votes"),
        ({"solver": MODEL, "timeout": 0}, "timeout"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load_config(None, {"source": "problems.jsonl", **options})


def test_a_wrong_model_is_one_sentence_with_a_hint_and_no_password() -> None:
    with pytest.raises(ConfigError) as refused:
        load_config(None, {"source": "problems.jsonl", "engine": "llm", "model": "gpt-4"})
    assert refused.value.message == "model: no model is named by 'gpt-4'"
    assert refused.value.hint is not None and "write openai:NAME or openai:NAME@URL" in refused.value.hint
    with pytest.raises(ConfigError) as refused:
        load_config(None, {"source": "problems.jsonl", "engine": "llm", "model": "openai:m@http://u:hush-hush@host/v1"})
    assert "hush-hush" not in refused.value.message


def test_a_build_by_rules_is_described_without_models() -> None:
    plain = BuildConfig(source="problems.jsonl")
    assert not plain.uses_models
    assert set(plain.identity()).isdisjoint(LlmBuildOptions.model_fields)


def test_what_decides_bytes_is_part_of_the_identity_and_what_decides_haste_is_not() -> None:
    config = BuildConfig(source="problems.jsonl", engine="llm", model=MODEL, temperature=0.1)
    hasty = config.model_copy(update={"rpm": 5, "max_cost": 1.0, "batch": True, "cache": Path("x"), "concurrency": 2})
    assert config.identity() == hasty.identity()
    assert config.identity()["temperature"] == 0.1
    assert config.identity() != config.model_copy(update={"temperature": 0.2}).identity()


def test_more_fields_are_given_as_json_or_as_a_mapping() -> None:
    assert LlmOptions(extra_body={"top_k": 5, "a": 1}).extra_body == '{"a": 1, "top_k": 5}'
    assert LlmOptions(extra_body='{"top_k": 5}').extra_body == '{"top_k": 5}'


def test_options_of_a_build_do_not_belong_to_a_check() -> None:
    with pytest.raises(ValidationError):
        LlmOptions(engine="llm")  # type: ignore[call-arg]


def test_a_solver_alone_uses_models() -> None:
    assert BuildConfig(source="problems.jsonl", solver=MODEL).uses_models
    assert LlmOptions(judge=MODEL).uses_models
    assert not LlmOptions().uses_models
