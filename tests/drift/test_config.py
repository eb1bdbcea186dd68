from __future__ import annotations

from typing import Any

import pytest

from semifactual.drift.config import load_config
from semifactual.errors import ConfigError

NAMED = {"source": "s", "model": "m"}


def test_what_is_not_given_has_its_default_and_kinds_may_have_commas() -> None:
    config = load_config({**NAMED, "kinds": "paraphrase, typo_noise", "limit": None})
    assert (config.kinds, config.limit, config.samples, config.prompt) == (
        ("paraphrase", "typo_noise"),
        None,
        8,
        "default",
    )


def test_greedy_responses_are_one_a_problem() -> None:
    assert load_config({**NAMED, "temperature": 0}).samples_each == 1
    assert load_config({**NAMED, "samples": 3}).samples_each == 3


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"temprature": 1}, "unknown option 'temprature'"),
        ({"samples": 0}, "samples: .*greater than or equal to 1"),
        ({"top_p": 0.0}, "top_p"),
        ({"temperature": float("nan")}, "temperature"),
        ({"kinds": ""}, "nothing to score"),
        ({"chat": "perhaps"}, "chat"),
        ({"responses": "file.jsonl", "samples": 4}, "samples: means nothing where responses are given"),
        ({"temperature": 0, "samples": 4}, "samples must be 1"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        load_config({**NAMED, **options})


def test_a_misspelt_option_is_guessed() -> None:
    with pytest.raises(ConfigError) as raised:
        load_config({**NAMED, "temprature": 1})
    assert raised.value.hint == "did you mean 'temperature'?"
