"""Cutting the answer out of a response. The last box counts, and an unfinished or empty one counts as no answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .limits import MAX_RESPONSE
from .outcomes import Extraction, Found
from .unicode import fold


@dataclass(frozen=True, slots=True)
class Box:
    """A box in a response: where it starts and ends, and what it holds (None where it is not closed)."""

    start: int
    end: int
    content: str | None


_BOX = re.compile(r"\\f?boxed\s*\{|\\fbox\s*\{|\\boxed\s+([^\s{}$\\.,;]+)")
_BETWEEN_RIVALS = re.compile(r"[\s$,;.\\()\[\]|/]*(?:(?:or|and|\\text\{\s*(?:or|and)\s*\}|\\quad)[\s$,;\\()\[\]]*)?")
_LEAD = re.compile(r"(?:final\s+)?answer\s*(?:is|:|=)\s*:?\s*|^\s*####\s*", re.IGNORECASE | re.MULTILINE)
_PHRASE_WINDOW = 10_000
"""Characters at the end of a response in which an answer in words is looked for."""
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)


def extract(response: str, *, strict: bool = True, prompt: str | None = None) -> Extraction:
    """The answer of a response.

    Strict (a reward's default): the last ``\\boxed{...}`` or ``\\fbox{...}`` alone. Otherwise, where there is no
    box, the last "answer is ..." or ``#### ...``, or else a lone final line. An earlier box never stands in for a
    last one that is empty or unfinished. Boxes side by side that disagree are no answer. `prompt`, where given, is
    cut off the front of a response that repeats it: an answer pasted into a prompt is not the model's.

    >>> extract("So it is \\\\boxed{\\\\frac{1}{2}}.").text
    '\\\\frac{1}{2}'
    >>> extract("First \\\\boxed{4}, then \\\\boxed{").found
    <Found.TRUNCATED: 'truncated'>
    """
    if prompt and response.startswith(prompt):
        response = response[len(prompt) :]
    response = response[-MAX_RESPONSE:]
    boxes = outer_boxes(response)
    if boxes:
        return _from_boxes(response, boxes)
    if strict:
        return Extraction(Found.NONE)
    return _from_phrases(response)


def outer_boxes(response: str) -> list[Box]:
    """The outermost boxes in order. One that is never closed has no content, and does not hide those after it."""
    closing = _closing_braces(response)
    boxes: list[Box] = []
    position = 0
    for match in _BOX.finditer(response):
        if match.start() < position:
            continue
        if match[1] is not None:
            boxes.append(Box(match.start(), match.end(), match[1]))
        elif (end := closing.get(match.end() - 1)) is not None:
            boxes.append(Box(match.start(), end + 1, response[match.end() : end]))
        else:
            boxes.append(Box(match.start(), match.end(), None))
        position = boxes[-1].end
    return boxes


def _closing_braces(text: str) -> dict[int, int]:
    """Where each brace is closed, by where it is opened. Escaped braces do not count."""
    opened: list[int] = []
    pairs: dict[int, int] = {}
    for match in _BRACES.finditer(text):
        if match[0] == "{":
            opened.append(match.start())
        elif match[0] == "}" and opened:
            pairs[opened.pop()] = match.start()
    return pairs


def _from_boxes(response: str, boxes: list[Box]) -> Extraction:
    content = boxes[-1].content
    if content is None:
        return Extraction(Found.TRUNCATED)
    if not fold(content).strip():
        return Extraction(Found.EMPTY)
    for left, right in zip(boxes[-2::-1], boxes[:0:-1], strict=False):
        if not _BETWEEN_RIVALS.fullmatch(response, left.end, right.start):
            break
        if left.content is not None and _squeezed(left.content) not in {"", _squeezed(content)}:
            return Extraction(Found.SEVERAL)
    return Extraction(Found.BOXED, innermost(content))


def innermost(content: str) -> str:
    """The content of a box that holds nothing but another box."""
    for _ in range(8):
        inner = content.strip()
        boxes = outer_boxes(inner)
        if len(boxes) != 1 or (boxes[0].start, boxes[0].end) != (0, len(inner)) or boxes[0].content is None:
            break
        content = boxes[0].content
    return content


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _from_phrases(response: str) -> Extraction:
    ending = response[-_PHRASE_WINDOW:]
    leads = list(_LEAD.finditer(ending))
    if leads:
        return _phrase(ending[leads[-1].end() :].partition("\n")[0])
    lines = [line.strip() for line in ending.splitlines() if line.strip()]
    if len(lines) == 1 or (lines and len(lines[-1]) <= 60 and len(lines[-1].split()) <= 3):
        return _phrase(lines[-1])
    return Extraction(Found.NONE)


def _phrase(text: str) -> Extraction:
    answer = text.strip().strip("*").rstrip(".").strip()
    return Extraction(Found.PHRASE, answer) if answer else Extraction(Found.EMPTY)
