from __future__ import annotations

import json
from typing import Any

import pytest

from semifactual.llm.errors import AttemptFailed, RateLimited, RequestRefused
from semifactual.llm.replies import error_of_body, parse_retry_after, read_reply, without_reasoning
from semifactual.llm.requests import ChatRequest, Purpose, Usage
from tests.stub_server import completion

REQUEST = ChatRequest(Purpose.REWRITE, (("user", "x" * 360),), 100)


def read(body: Any) -> Any:
    return read_reply(REQUEST, json.dumps(body).encode())


def test_a_completion_is_read_whole() -> None:
    reply = read(completion("hello"))
    assert (reply.text, reply.finish, reply.refusal) == ("hello", "stop", "")
    assert reply.usage == Usage(prompt=200, cached=120, completion=50)


@pytest.mark.parametrize(
    ("said", "finish"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("max_tokens", "length"),
        (None, "stop"),
        ("x" * 9999, "stop"),
        ([], "stop"),
    ],
)
def test_why_a_text_ended(said: Any, finish: str) -> None:
    assert read(completion("hello", finish=said)).finish == finish


def test_missing_usage_is_estimated_and_counted() -> None:
    reply = read(completion("y" * 36, usage=None))
    assert reply.usage == Usage(prompt=106, completion=10, unreported=1)
    for strange in ({}, {"prompt_tokens": -1, "completion_tokens": 2}, {"prompt_tokens": "a", "completion_tokens": 1}):
        assert read(completion("y", usage=strange)).usage.unreported == 1


@pytest.mark.parametrize(
    ("message", "text", "refusal"),
    [
        ({"content": None}, "", ""),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab", ""),
        ({"content": 7}, "", ""),
        ({"content": "<think>no {</think>yes"}, "yes", ""),
        ({"content": "yes", "reasoning_content": "hm"}, "yes", ""),
        ({"content": None, "refusal": "No."}, "", "No."),
        ({"content": "half \ud800 pair"}, "half ? pair", ""),
    ],
)
def test_what_a_message_may_hold(message: dict[str, Any], text: str, refusal: str) -> None:
    reply = read(completion("", message=message))
    assert (reply.text, reply.refusal) == (text, refusal)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"null",
        b"{}",
        b'{"choices": []}',
        b'{"choices": null}',
        b'{"choices": [null]}',
        b'{"choices": [{"message": "hi"}]}',
        b'{"error": {"message": "upstream failed"}}',
        b'{"error": "upstream failed"}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_what_is_no_completion_is_a_failed_attempt(body: bytes) -> None:
    with pytest.raises(AttemptFailed) as failed:
        read_reply(REQUEST, body)
    assert failed.value.reason


def test_haste_and_want_of_money_are_known_under_any_status() -> None:
    with pytest.raises(RateLimited):
        read({"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}})
    with pytest.raises(RequestRefused):
        read({"error": {"message": "x", "code": "insufficient_quota"}})
    assert isinstance(error_of_body({"error": {"code": "insufficient_quota"}}, status=429), RequestRefused)
    limited = error_of_body("gateway says slow", status=429, retry_after=3.0)
    assert isinstance(limited, RateLimited) and limited.retry_after == 3.0


@pytest.mark.parametrize("status", [400, 401, 404, 413, 422])
def test_statuses_that_would_come_again(status: int) -> None:
    assert isinstance(error_of_body({"error": {"message": "m"}}, status=status), RequestRefused)


@pytest.mark.parametrize("status", [408, 409, 500, 503, 529])
def test_statuses_that_may_pass(status: int) -> None:
    assert isinstance(error_of_body({"error": {"message": "m"}}, status=status), AttemptFailed)


def test_the_parameter_of_a_complaint_is_found() -> None:
    named = error_of_body({"error": {"message": "bad", "param": "temperature"}}, status=400)
    said = error_of_body({"detail": "response_format is not supported here"}, status=422)
    assert isinstance(named, RequestRefused) and named.parameter == "temperature"
    assert isinstance(said, RequestRefused) and said.parameter == "response_format"


def test_reasoning_is_stripped() -> None:
    assert without_reasoning("<think>a</think><think>b</think> c") == "c"
    assert without_reasoning("no tags") == "no tags"
    assert without_reasoning("<thinking>x {} y</thinking>\n{}") == "{}"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 60.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "1e9"}, 3600.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_how_long_a_server_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert parse_retry_after(headers, 40.0) == seconds
