"""Which trouble passes, what is said of the rest, and that no token is ever part of it."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from huggingface_hub.errors import OfflineModeIsEnabled

from semifactual.errors import HubError, SourceError
from semifactual.publish.hub import Hub
from semifactual.publish.trouble import asked_wait, in_words, is_network, passes, said


class Answered(Exception):
    """An error about an answer, as every client's is."""

    def __init__(self, status: int, message: str = "no", **headers: str) -> None:
        super().__init__(message)
        self.response = SimpleNamespace(status_code=status, headers=headers)


def wrapped(error: Exception) -> Exception:
    outer = RuntimeError("while uploading")
    outer.__cause__ = error
    return outer


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_what_passes(status: int) -> None:
    assert passes(Answered(status)) and passes(wrapped(Answered(status)))


@pytest.mark.parametrize("error", [Answered(400), Answered(401), Answered(403), Answered(404), ValueError("x")])
def test_what_does_not_pass(error: Exception) -> None:
    assert not passes(error)


def test_a_broken_connection_and_an_unreadable_answer_pass() -> None:
    assert passes(wrapped(ConnectionResetError())) and is_network(wrapped(ConnectionResetError()))
    assert passes(json.JSONDecodeError("x", "<html>", 0))
    assert not is_network(Answered(503))


def test_the_wait_that_is_asked_for() -> None:
    assert asked_wait(Answered(429, **{"retry-after": "12"})) == 12
    assert asked_wait(Answered(429, ratelimit='"api";r=0;t=55')) == 55
    assert asked_wait(Answered(429)) is None and asked_wait(ConnectionResetError()) is None


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Answered(401), "does not accept the token"),
        (Answered(403), "no right to write to a/b"),
        (Answered(404), "no dataset a/b"),
        (Answered(429), "refuses more requests"),
        (Answered(503), "answered 503"),
        (wrapped(ConnectionRefusedError()), "at https://hub cannot be reached"),
        (ValueError("license\n  is odd."), "refuses a/b: license is odd"),
    ],
)
def test_words(error: Exception, expected: str) -> None:
    told = in_words(error, "a/b", "https://hub", with_token=True)
    assert expected in told.message and "\n" not in told.message


def test_words_for_a_reader() -> None:
    assert "without a token" in in_words(Answered(401), "a/b", "https://hub", with_token=False).message
    assert (
        "no right to read a/b" in in_words(Answered(403), "a/b", "https://hub", with_token=True, writes=False).message
    )


def test_a_hub_that_must_not_be_asked() -> None:
    told = in_words(OfflineModeIsEnabled("Cannot reach x"), "a/b", "https://hub", with_token=True)
    assert "HF_HUB_OFFLINE is set" in told.message and told.hint == "unset HF_HUB_OFFLINE"


def test_our_own_errors_stay_as_they_are() -> None:
    own = SourceError("mine")
    assert in_words(own, "a/b", "https://hub", with_token=True) is own


@pytest.mark.parametrize("text", ["Illegal header value b'Bearer hf_abc123 '", "token=hf_abc123", "Bearer sk-x y"])
def test_nothing_like_a_token_is_said(text: str) -> None:
    assert "abc123" not in said(ValueError(text)) and "sk-x" not in said(ValueError(text))


def asked(errors: list[Exception], monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list[float]]:
    """What a hub answers that goes wrong like this first, and how long was slept."""
    slept: list[float] = []
    monkeypatch.setattr("semifactual.publish.hub.time.sleep", slept.append)
    hub, left = Hub("hf_x"), list(errors)

    def request() -> str:
        if left:
            raise left.pop(0)
        return "done"

    try:
        return hub.ask("a/b", request), slept
    except HubError as error:
        return error.message, slept


def test_patience_grows_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked([Answered(503)] * 4, monkeypatch) == ("done", [1, 3, 9, 27])
    message, slept = asked([Answered(503)] * 5, monkeypatch)
    assert "503" in message and slept == [1, 3, 9, 27]


def test_a_hub_that_never_answered_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    message, slept = asked([ConnectionRefusedError()], monkeypatch)
    assert "cannot be reached" in message and slept == []
    assert asked([Answered(500), ConnectionResetError()], monkeypatch) == ("done", [1, 3])


def test_the_hub_may_ask_for_more_but_not_for_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked([Answered(429, **{"retry-after": "40"})], monkeypatch) == ("done", [40])
    assert asked([Answered(429, **{"retry-after": "4000"})], monkeypatch)[1] == []
