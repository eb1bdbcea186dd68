"""Sets the instructions around a problem ("think step by step", "put the answer in a box") apart from its text.

Only whole sentences at either end are taken, and only those that templates/prompts/instructions.yaml describes. What
specifies the answer itself ("Express your answer as a common fraction.") belongs to the problem and stays.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from semifactual.resources import template_yaml

TEMPLATE = "prompts/instructions.yaml"
PLACEHOLDER = "{question}"

LONGEST = 700
"""Instructions are looked for in so many characters from either end."""

_MENTIONS = ("step", "boxed", "answer", "solution", "<think>", "problem", "question", "expert", "assistant", "q:", "a:")
"""In every instruction there is one of these; looking for them first spares most texts the full search."""


@dataclass(frozen=True, slots=True)
class Framed:
    """A problem's text and the prompt format that it stood in; `format` is only the placeholder where it stood alone.

    The original text is ``format.replace("{question}", question)``.
    """

    question: str
    format: str = PLACEHOLDER

    @property
    def has_instructions(self) -> bool:
        """Whether the text had any instruction around it."""
        return self.format != PLACEHOLDER


def set_apart(text: str) -> Framed:
    r"""Separate the question in `text` from the instructions before and after it.

    >>> set_apart("What is 2 + 3? Let's think step by step and output the final answer within \\boxed{}.")
    Framed(question='What is 2 + 3?', format="{question} Let's think step by step and output the final answer within \\boxed{}.")
    >>> set_apart("What is half of 3? Express your answer as a common fraction.").has_instructions
    False

    A text of instructions alone comes back whole.
    """  # noqa: E501 - a doctest's output cannot be wrapped
    before, after = _patterns()
    start, end = 0, len(text)
    while found := _at_end(after, text, start, end):
        end = found.start()
    while found := _at_start(before, text, start, end):
        start = found.end()
    question = text[start:end].strip()
    if (start, end) == (0, len(text)) or not question:
        return Framed(text)
    first = text.index(question, start)
    return Framed(question, text[:first] + PLACEHOLDER + text[first + len(question) :])


def _at_end(pattern: re.Pattern[str], text: str, start: int, end: int) -> re.Match[str] | None:
    begin = max(start, end - LONGEST)
    if not _mentions_any(text[begin:end]):
        return None
    matches = (match for match in pattern.finditer(text, begin, end) if _begins_a_sentence(text, match))
    return next(matches, None)


def _at_start(pattern: re.Pattern[str], text: str, start: int, end: int) -> re.Match[str] | None:
    stop = min(end, start + LONGEST)
    if not _mentions_any(text[start:stop]):
        return None
    return pattern.match(text, start, stop)


def _mentions_any(stretch: str) -> bool:
    lowered = stretch.lower()
    return any(mention in lowered for mention in _MENTIONS)


def _begins_a_sentence(text: str, match: re.Match[str]) -> bool:
    """A capital, or a line of its own: "..., then put the answer in a box" is part of the sentence before it."""
    begin = match.start("sentence")
    return text[begin].isupper() or text[begin - 1] == "\n"


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What matches one instruction before the question, and one after it."""
    described = template_yaml(TEMPLATE)
    parts = described["parts"]

    def alternatives(*groups: str) -> str:
        sentences = (_expand(sentence, parts) for group in groups for sentence in described[group])
        return "|".join(f"(?:{sentence})" for sentence in sentences)

    before = rf"\s*(?P<sentence>{alternatives('anywhere', 'before')})(?:[.:!]+(?=\s)|(?=\n))\s*"
    after = rf"(?<=\s)(?P<sentence>{alternatives('anywhere', 'after')})[.:!]*\s*\Z"
    return re.compile(before, re.IGNORECASE), re.compile(after, re.IGNORECASE)


def _expand(sentence: str, parts: dict[str, str]) -> str:
    def part(match: re.Match[str]) -> str:
        return f"(?:{_nested(parts[match[1]])})"

    def _nested(pattern: str) -> str:
        return re.sub(rf"<({'|'.join(sorted(parts))})>", part, pattern)

    return re.sub(r" (?!\?)", r"\\s+", _nested(sentence)).replace(" ?", r"\s*")
