"""Reading the one JSON object in a reply, strictly: what is not clearly there is not there."""

from __future__ import annotations

import json
import re
from typing import Any

LONGEST_TEXT = 200_000
"""Characters of a reply that are looked at. A longer one holds no rewrite that anybody asked for."""

_FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL | re.IGNORECASE)
_TRIES = 8


class NoObject(ValueError):
    """The text holds no usable JSON object; the message says why."""


def json_object(text: str) -> dict[str, Any]:
    r"""The only JSON object that `text` holds, whether it is alone, in a Markdown fence, or among other words.

    Raises:
        NoObject: there is none, there are several different ones, a name occurs twice in one, or the text is too long.

    >>> json_object('Sure!\n```json\n{"a": 1}\n```')
    {'a': 1}
    """
    if len(text) > LONGEST_TEXT:
        raise NoObject(f"the reply has {len(text):,} characters, where {LONGEST_TEXT:,} are the limit")
    if not text.strip():
        raise NoObject("the reply is empty")
    fences = _FENCE.findall(text)
    candidates = [found for body in (fences or [text]) for found in _objects(body)]
    if not candidates:
        raise NoObject("the reply holds no complete JSON object")
    if any(candidate != candidates[0] for candidate in candidates):
        raise NoObject("the reply holds several JSON objects")
    return candidates[0]


def _objects(text: str) -> list[dict[str, Any]]:
    """The outermost JSON objects in a text."""
    decoder = json.JSONDecoder(object_pairs_hook=_without_repetition)
    found: list[dict[str, Any]] = []
    position = text.find("{")
    for _ in range(_TRIES):
        if position < 0:
            break
        try:
            value, end = decoder.raw_decode(text, position)
        except RecursionError:
            raise NoObject("the reply is nested too deeply") from None
        except json.JSONDecodeError:
            end = position + 1
        else:
            found.append(value)
        position = text.find("{", end)
    return found


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise NoObject("a name stands twice in the reply's JSON object")
    return dict(pairs)
