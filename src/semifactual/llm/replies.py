"""From the bytes of an HTTP response to a `Reply`, or to the reason why there is none."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from semifactual.llm.errors import AttemptFailed, RateLimited, RequestRefused
from semifactual.llm.requests import ChatRequest, Reply, Usage, estimate_tokens

LONGEST_BODY = 4 * 1024 * 1024
"""Bytes. No reply that was asked for is this long; what is longer is not read to its end."""

RETRYABLE_STATUS = frozenset({408, 409, 425})
"""Statuses below 500 that may pass if the request is sent again."""
OVERLOAD_STATUS = frozenset({502, 503, 504, 529})
_RATE_CODES = ("rate_limit", "rate limit", "too many requests", "tokens per min", "requests per min", "overloaded")
_SPENT_CODES = ("insufficient_quota", "billing_hard_limit", "credit balance", "exceeded your current quota")
_THINK = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL)
_FINISHES = {"length": "length", "max_tokens": "length", "content_filter": "content_filter"}
"""What a server may say of why a text ended; whatever else it says, the text came to its own end."""
_SHOWN = 200


def read_reply(request: ChatRequest, body: bytes) -> Reply:
    """The reply in the body of a response of status 200.

    Raises:
        AttemptFailed: it is no chat completion, or one without a choice or a message.
        RateLimited: it is an error about too many requests, wrongly sent as a success.
        RequestRefused: it is an error that would come again.
    """
    completion = _json_object(body)
    if "choices" not in completion and completion.get("error"):
        raise error_of_body(completion, status=200)
    choices = completion.get("choices")
    if not isinstance(choices, list) or not choices:
        raise AttemptFailed("the server sent a reply without choices")
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise AttemptFailed("the server sent a choice without a message")
    text = without_reasoning(_text(message.get("content")))
    refusal = _text(message.get("refusal"))
    finish = _FINISHES.get(_text(choice.get("finish_reason")), "stop")
    usage = _usage(completion.get("usage")) or Usage(
        prompt=request.prompt_tokens,
        completion=estimate_tokens(_text(message.get("content")) + _reasoning(message)),
        unreported=1,
    )
    return Reply(text, finish, refusal, usage)


def error_of_body(body: Any, *, status: int, retry_after: float | None = None) -> Exception:
    """The error that a response of this status stands for, from what its body says."""
    error = body.get("error") if isinstance(body, dict) else None
    details = error if isinstance(error, dict) else body if isinstance(body, dict) else {}
    message = error if isinstance(error, str) else _text(details.get("message") or details.get("detail"))
    code, parameter = _text(details.get("code")), _text(details.get("param"))
    reason = f"the server answered {status}" + (f": {_shown(message)}" if message else "")
    said = f"{code} {_text(details.get('type'))} {message}".lower()
    if status in (200, 402, 429) and any(spent in said for spent in _SPENT_CODES):
        return RequestRefused(reason, status=402)
    if status == 429 or (status == 200 and any(limited in said for limited in _RATE_CODES)):
        return RateLimited(reason, retry_after)
    if status >= 500 or status in RETRYABLE_STATUS or status == 200:
        return AttemptFailed(reason, overload=status in OVERLOAD_STATUS, retry_after=retry_after)
    return RequestRefused(reason, status=status, parameter=parameter or _named_parameter(message))


def without_reasoning(content: str) -> str:
    """What a model says behind its reasoning.

    A block that is never closed hides all behind it; a block that the chat template opened has only its end.

    >>> without_reasoning("<think>3 or 4?</think> 4"), without_reasoning("3 or 4?</think> 4"), without_reasoning("<think>3")
    ('4', '4', '')
    """  # noqa: E501 - a doctest's output cannot be wrapped
    rest = _THINK.sub("", content)
    for closing in ("</think>", "</thinking>", "</reasoning>"):
        rest = rest.rpartition(closing)[2]
    return rest.strip()


def parse_retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """The seconds to wait that a response's headers ask for: ``retry-after-ms``, or ``Retry-After`` in either form.

    >>> parse_retry_after({"retry-after": "2"}, 0), parse_retry_after({"retry-after-ms": "150"}, 0)
    (2.0, 0.15)
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return min(max(float(headers.get(name, "")) / unit, 0.0), 3600.0)
        except ValueError:
            pass
    return _seconds_until(headers.get("retry-after", ""), now)


def _seconds_until(date: str, now: float) -> float | None:
    from email.utils import parsedate_to_datetime

    try:
        return min(max(parsedate_to_datetime(date).timestamp() - now, 0.0), 3600.0)
    except (TypeError, ValueError):
        return None


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise AttemptFailed(f"the server sent no JSON, but {_shown(body[:400].decode('utf-8', 'replace'))!r}") from None
    if not isinstance(value, dict):
        raise AttemptFailed("the server sent JSON that is no object")
    return value


def _usage(reported: Any) -> Usage | None:
    if not isinstance(reported, dict):
        return None
    prompt, completion = _count(reported.get("prompt_tokens")), _count(reported.get("completion_tokens"))
    if prompt is None or completion is None:
        return None
    details = reported.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    return Usage(prompt, min(cached or 0, prompt), completion)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None


def _text(value: Any) -> str:
    """A text field; of content in parts, those that are text. Half surrogates, which no file holds, are replaced."""
    if isinstance(value, list):
        value = "".join(_text(part.get("text")) for part in value if isinstance(part, dict))
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def _reasoning(message: Mapping[str, Any]) -> str:
    return _text(message.get("reasoning_content") or message.get("reasoning"))


def _named_parameter(message: str) -> str:
    """The parameter of ours that a complaint mentions."""
    known = ("response_format", "max_completion_tokens", "max_tokens", "temperature", "seed")
    return next((name for name in known if name in message), "")


def _shown(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN else f"{flat[:_SHOWN]}..."
