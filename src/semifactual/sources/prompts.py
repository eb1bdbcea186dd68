"""The problem's text and the prompt format around it, from a plain text or from a list of chat turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from semifactual.sources.instructions import Framed, set_apart
from semifactual.sources.reference import UnusableValue
from semifactual.sources.rows import typed

LONGEST_TEXT = 100_000
"""Characters. No problem is this long; a text that is was put together by mistake, and no model could read it."""

PromptFormat = str | list[dict[str, str]] | None
"""A text with the placeholder {question}; chat turns, one with it, where there was a system turn; None where bare."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A problem's text, without the instructions around it, and what they were."""

    text: str
    format: PromptFormat = None


def read_prompt(value: Any) -> Prompt:
    """The prompt that a problem field holds.

    Raises:
        UnusableValue: there is no single problem in it.
    """
    if isinstance(value, str):
        framed = _framed(value)
        return Prompt(framed.question, framed.format if framed.has_instructions else None)
    if isinstance(value, Sequence) and value and all(isinstance(turn, Mapping) for turn in value):
        return _read_chat(value)
    if value is None:
        raise UnusableValue("has no problem")
    raise UnusableValue(f"has {typed(value)} for a problem, which is neither text nor a list of chat turns")


def _read_chat(turns: Sequence[Mapping[str, Any]]) -> Prompt:
    """One user turn, perhaps after one system turn."""
    roles = [turn.get("role") for turn in turns]
    if roles not in (["user"], ["system", "user"]):
        raise UnusableValue(f"has a chat of the turns {', '.join(map(str, roles))}, where one user turn is the problem")
    content = turns[-1].get("content")
    if not isinstance(content, str):
        raise UnusableValue("has a user turn whose content is not text")
    framed = _framed(content)
    if len(turns) == 1:
        return Prompt(framed.question, framed.format if framed.has_instructions else None)
    system = {"role": "system", "content": str(turns[0].get("content") or "")}
    return Prompt(framed.question, [system, {"role": "user", "content": framed.format}])


def _framed(text: str) -> Framed:
    require_text(text, "problem")
    return set_apart(text)


def require_text(text: str, what: str) -> None:
    """Check that `text` can be stored and read as a problem's text or an answer.

    Raises:
        UnusableValue: it is empty, too long, or has characters that no text file can hold.
    """
    if not text.strip():
        raise UnusableValue(f"has an empty {what}")
    if len(text) > LONGEST_TEXT:
        raise UnusableValue(f"has {len(text):,} characters in its {what}, where {LONGEST_TEXT:,} are the limit")
    if "\0" in text:
        raise UnusableValue(f"has a NUL character in its {what}")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise UnusableValue(f"has half of a surrogate pair in its {what}, which is no character")
