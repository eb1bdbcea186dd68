"""The reference answer of a row, from whatever its answer field holds, and the worked solution where it holds one."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from semifactual.answers.extraction import outer_boxes
from semifactual.sources.rows import typed


class UnusableValue(Exception):
    """A row's field does not hold what it should. The message reads on from "the row"."""


@dataclass(frozen=True, slots=True)
class Reference:
    """An answer, and the worked solution that it was taken from, if any."""

    answer: str
    solution: str | None = None


_HASHES = "####"
_BARE = re.compile(r"[\s$.]*")


def read_reference(value: Any, *, worked: bool = False) -> Reference:
    r"""The reference that an answer field holds.

    Of a text that ends in ``#### 72`` the answer is what follows the marks; of one with ``\boxed{...}``, what the last
    box holds; else it is the text itself, stripped. A number is written out exactly, without an exponent or a trailing
    ``.0``; several answers in a list are joined by commas.

    With `worked` the value is known to be a worked solution, so that it must mark its answer.

    >>> read_reference("48 / 2 = 24, so 72 in all.\n#### 72").answer
    '72'
    >>> read_reference(r"Hence $x = \boxed{\frac{1}{2}}$.").answer
    '\\frac{1}{2}'
    >>> read_reference(27.0).answer
    '27'

    Raises:
        UnusableValue: there is no answer in it.
    """
    if isinstance(value, list | tuple):
        if not value:
            raise UnusableValue("has an empty list for an answer")
        references = [read_reference(item, worked=worked) for item in value]
        solutions = [reference.solution for reference in references if reference.solution]
        return Reference(", ".join(reference.answer for reference in references), "\n\n".join(solutions) or None)
    if not isinstance(value, str):
        return Reference(_plain_text(value))
    text = value.strip()
    if not text:
        raise UnusableValue("has no answer")
    return _from_text(text, worked)


def _from_text(text: str, worked: bool) -> Reference:
    last_line = text.rfind("\n") + 1
    before, hashes, answer = text[last_line:].partition(_HASHES)
    if hashes:
        if not answer.strip():
            raise UnusableValue("has nothing after the #### in its answer")
        return Reference(answer.strip(), text if last_line or before else None)
    if boxes := outer_boxes(text):
        box = boxes[-1]
        if box.content is None:
            raise UnusableValue(r"has a \boxed{ without its closing brace in its answer")
        if not box.content.strip():
            raise UnusableValue(r"has an empty \boxed{} in its answer")
        alone = _BARE.fullmatch(text[: box.start]) and _BARE.fullmatch(text[box.end :])
        return Reference(box.content.strip(), None if alone else text)
    if worked:
        raise UnusableValue(r"has a solution that marks no answer, by \boxed{...} or by ####")
    return Reference(text)


def _plain_text(value: Any) -> str:
    match value:
        case None:
            raise UnusableValue("has no answer")
        case bool() | int():
            return str(value)
        case float() | Decimal():
            if not math.isfinite(value):
                raise UnusableValue(f"has the answer {value}, which is no number")
            exact = format(Decimal(str(value)), "f")
            return exact.rstrip("0").rstrip(".") if "." in exact else exact
        case _:
            raise UnusableValue(f"has {typed(value)} for an answer")
