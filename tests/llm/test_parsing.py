from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semifactual.llm.parsing import LONGEST_TEXT, NoObject, json_object

VALUES = st.dictionaries(st.text(max_size=8), st.text(max_size=30) | st.dictionaries(st.text(max_size=5), st.text()))


@settings(deadline=None)
@given(VALUES, st.sampled_from(["", "Sure!\n", "Here you are: "]), st.sampled_from(["", "\nAnything else?"]))
def test_an_object_is_found_among_words(value: dict[str, object], before: str, after: str) -> None:
    assert json_object(f"{before}{json.dumps(value)}{after}") == value


@pytest.mark.parametrize("fence", ["```json\n{}\n```", "```\n{}\n```", "So:\n```JSON\n{}\n```\nDone."])
def test_a_fence_is_opened(fence: str) -> None:
    assert json_object(fence.replace("{}", '{"a": {"b": "c"}}')) == {"a": {"b": "c"}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("I cannot.", "no complete JSON object"),
        ('{"a": 1', "no complete JSON object"),
        ('{"a": "\\frac"}{"a": 2}', "several"),
        ('{"a": 1} {"a": 2}', "several"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a": {"b": 1, "b": 1}}', "twice"),
        ("[" * 100_000, "no complete JSON object"),
        ('{"a":' * 30_000, "nested too deeply"),
        ("x" * (LONGEST_TEXT + 1), "200,001 characters"),
    ],
)
def test_what_is_not_clearly_one_object_is_none(text: str, said: str) -> None:
    with pytest.raises(NoObject, match=said):
        json_object(text)


def test_the_same_object_twice_is_one() -> None:
    assert json_object('Draft: {"a": 1}\nFinal: {"a": 1}') == {"a": 1}


@settings(deadline=None)
@given(st.text())
def test_any_text_is_an_object_or_none(text: str) -> None:
    try:
        assert isinstance(json_object(text), dict)
    except NoObject as reason:
        assert str(reason)
