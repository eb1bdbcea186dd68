from __future__ import annotations

import pickle
import traceback

import pytest

from semifactual.errors import ConfigError
from semifactual.llm.endpoint import HIDDEN, Endpoint, Key, parse_model, read_key


@pytest.mark.parametrize(
    ("spec", "model", "url"),
    [
        ("openai:gpt-5-mini", "gpt-5-mini", "https://api.openai.com/v1"),
        ("openai:Qwen/Qwen3-4B@http://127.0.0.1:8000/v1", "Qwen/Qwen3-4B", "http://127.0.0.1:8000/v1"),
        ("openai:qwen3:4b@http://localhost:11434/v1/", "qwen3:4b", "http://localhost:11434/v1"),
        ("openai:a@b@https://host/v1", "a@b", "https://host/v1"),
        ("openai:/models/tiny@http://[::1]:8000/v1", "/models/tiny", "http://[::1]:8000/v1"),
    ],
)
def test_a_model_is_named_with_its_server(spec: str, model: str, url: str) -> None:
    endpoint = parse_model(spec)
    assert (endpoint.model, endpoint.base_url) == (model, url)
    assert endpoint.label == f"llm:{model}"


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "gpt-5",
        "openai:",
        "openai:@http://x",
        "openai:m@http://",
        "openai:m@http://host:port/v1",
        "openai:m@http://user:secret-word@host/v1",
        "openai:m@http://host/v1?key=secret-word",
        "openai:m@http://host/v1#secret-word",
    ],
)
def test_what_names_no_model_or_could_hold_a_secret_is_refused(spec: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse_model(spec)
    assert "secret-word" not in refused.value.message + str(refused.value.hint)


@pytest.mark.parametrize("address", ["127.0.0.1:8123/v1", "localhost", "user:secret-word@host:80", "[::1]:8000/v1"])
def test_an_address_without_a_scheme_never_becomes_a_name_at_openai(address: str) -> None:
    with pytest.raises(ConfigError, match="the address needs http:// or https://") as refused:
        parse_model(f"openai:m@{address}")
    assert "secret-word" not in refused.value.message + str(refused.value.hint)


def test_a_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    local, ours = Endpoint("m", "http://127.0.0.1:8000/v1"), Endpoint("m", "https://api.openai.com/v1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert read_key(local).reveal() == "none"
    with pytest.raises(ConfigError, match="OPENAI_API_KEY holds no key"):
        read_key(ours)
    with pytest.raises(ConfigError, match="MY_KEY holds no key"):
        read_key(local, "MY_KEY")
    monkeypatch.setenv("MY_KEY", " sk-123456789 ")
    assert read_key(ours, "MY_KEY").reveal() == "sk-123456789"
    monkeypatch.setenv("MY_KEY", "sk\n12345")
    with pytest.raises(ConfigError, match="characters that no key has") as refused:
        read_key(ours, "MY_KEY")
    assert "12345" not in refused.value.message


def test_a_key_shows_itself_to_nobody() -> None:
    key = Key("sk-secret-123")
    shown = [repr(key), str(key), f"{key}", f"{key!r}", repr([key]), repr(vars(key).keys())]
    assert all("sk-secret-123" not in text for text in shown)
    assert shown[0] == HIDDEN
    with pytest.raises(TypeError):
        pickle.dumps(key)
    try:
        raise ValueError(key)
    except ValueError:
        assert "sk-secret-123" not in traceback.format_exc()


def test_texts_from_outside_are_scrubbed() -> None:
    assert Key("sk-secret-123").scrub("your key sk-secret-123 is bad") == f"your key {HIDDEN} is bad"
    assert Key("none").scrub("none of these") == "none of these"


@pytest.mark.parametrize(
    ("url", "exposed"),
    [
        ("http://127.0.0.1:8000/v1", False),
        ("http://localhost:8000/v1", False),
        ("http://[::1]:8000/v1", False),
        ("https://example.org/v1", False),
        ("http://example.org/v1", True),
        ("http://10.0.0.7:8000/v1", True),
    ],
)
def test_a_key_that_would_travel_in_clear_is_noticed(url: str, exposed: bool) -> None:
    assert Endpoint("m", url).sends_key_in_clear is exposed


def test_a_password_in_what_names_no_model_is_not_repeated() -> None:
    for spec in ("https://ann:pass@word@host/v1", "openai:https://ann:pass@host/v1@m"):
        with pytest.raises(ConfigError) as caught:
            parse_model(spec)
        assert "pass" not in caught.value.message and "ann" not in caught.value.message
