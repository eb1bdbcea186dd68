"""What goes wrong when talking to the Hub: which trouble passes by itself, and every other as one sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from semifactual.errors import HubError, SemifactualError

PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Answers after which the same request may be granted a little later."""
CONFLICT = frozenset({409, 412})
"""Answers that say: somebody else was faster."""
LONGEST_WAIT = 300.0
"""Seconds. What a hub asks for beyond that is not waited for."""

_NETWORK_LIBRARIES = frozenset({"httpx", "httpx2", "httpcore", "httpcore2", "requests", "urllib3", "aiohttp"})
_SECRET = re.compile(r"hf_[A-Za-z0-9]+|Bearer\s+\S+")


def status_of(error: BaseException) -> int | None:
    """The status of the answer that an error is about, wherever in its causes it stands."""
    for cause in _causes(error):
        status = getattr(getattr(cause, "response", None), "status_code", None)
        if isinstance(status, int):
            return status
    return None


def is_network(error: BaseException) -> bool:
    """Whether no answer came at all: no connection, or one that broke off."""
    if status_of(error) is not None:
        return False
    return any(
        type(cause).__module__.partition(".")[0] in _NETWORK_LIBRARIES
        or isinstance(cause, ConnectionError | TimeoutError)
        for cause in _causes(error)
    )


def passes(error: BaseException) -> bool:
    """Whether the same request may succeed a little later."""
    unreadable = any(isinstance(cause, json.JSONDecodeError) for cause in _causes(error))
    return status_of(error) in PASSING or is_network(error) or unreadable


def asked_wait(error: BaseException) -> float | None:
    """The seconds that the Hub asks to wait for, where it says so."""
    for cause in _causes(error):
        headers = getattr(getattr(cause, "response", None), "headers", None)
        if headers is None:
            continue
        if (after := str(headers.get("retry-after", "")).strip()).isdigit():
            return float(after)
        if found := re.search(r";\s*t\s*=\s*(\d+)", str(headers.get("ratelimit", ""))):
            return float(found[1])
    return None


def in_words(
    error: Exception, subject: str, endpoint: str, *, with_token: bool, writes: bool = True
) -> SemifactualError:
    """The error as one sentence about `subject`, with the way out. No token stands in it."""
    if isinstance(error, SemifactualError):
        return error
    status, name = status_of(error), type(error).__name__
    if name == "OfflineModeIsEnabled":
        return HubError("the Hub must not be asked: HF_HUB_OFFLINE is set", hint="unset HF_HUB_OFFLINE")
    if name == "RevisionNotFoundError":
        return HubError(f"{subject}: there is no such revision", hint="name a branch that it has, with --revision")
    if status == 401 and not with_token:
        return HubError(
            f"the Hub shows {subject} to nobody without a token, or there is no such dataset",
            hint="check OWNER/NAME; for a private one set HF_TOKEN or run `hf auth login`",
        )
    if status == 401:
        return HubError(
            "the Hub does not accept the token",
            hint="make a token in the settings of your account, and set HF_TOKEN or run `hf auth login`",
        )
    if status == 403:
        return HubError(
            f"the token has no right to {'write to' if writes else 'read'} {subject}",
            hint="take a token with that right, or another OWNER/NAME"
            if writes
            else f"ask for access at {endpoint}/datasets, or take a token of somebody who has it",
        )
    if status == 404:
        return HubError(
            f"there is no dataset {subject} on the Hub that this token may see", hint="check OWNER/NAME and HF_TOKEN"
        )
    if status == 429:
        return HubError("the Hub refuses more requests for now", hint="run the same command again in some minutes")
    if status in PASSING:
        return HubError(
            f"the Hub answered {status} again and again", hint="run the same command again later: what is there stays"
        )
    if is_network(error):
        return HubError(
            f"the Hub at {endpoint} cannot be reached, or broke the connection off",
            hint="check the network and run the same command again: what is there stays",
        )
    return HubError(f"the Hub refuses {subject}: {said(error)}")


def said(error: BaseException) -> str:
    """What an error says, on one line, cut short, with anything like a token taken out."""
    text = " ".join(str(error).split()) or type(error).__name__
    return _SECRET.sub("***", text)[:300].rstrip(".")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
