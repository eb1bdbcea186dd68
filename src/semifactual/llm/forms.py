"""The forms in which a model may hand in a rewrite: the whole text, or only the little that its kind adds or changes.

A kind that repeats the original byte for byte is asked only for what is new. That saves most of the tokens, and the
model cannot damage what it does not write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from semifactual.llm.placeholders import CLOSE, OPEN, Masked, PlaceholderFault, mark
from semifactual.text.document import Document
from semifactual.text.lexicon import word_list
from semifactual.text.spans import SpanType

_SHORTEST_LIMIT = 2_000
_SENTENCE_ENDS = (".", "?", "!")
_CLOSERS = "\"”’')*_$"


class Form(StrEnum):
    """What a model writes for a kind."""

    TEXT = "text"
    """The whole rewritten text, with its placeholders."""
    ENDING = "ending"
    """What stands behind the unchanged text."""
    FRAME = "frame"
    """One phrase or sentence before or behind the unchanged text."""
    SLIP = "slip"
    """One word of the text, and how it is misspelt."""
    MARKS = "marks"
    """Some of the placeholders, each with what is to stand in its place."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Text(_Strict):
    """The whole text again."""

    text: str = Field(min_length=1)


class Ending(_Strict):
    """A distractor."""

    ending: str = Field(min_length=1)


class Frame(_Strict):
    """A frame and its place."""

    frame: str = Field(min_length=1)
    place: Literal["before", "behind"]


class Slip(_Strict):
    """A word and its misspelling."""

    word: str = Field(min_length=1)
    misspelt: str = Field(min_length=1)


class Marks(_Strict):
    """Placeholders, each followed by what it stands for in the rewrite."""

    marks: list[str] = Field(min_length=1)


MODELS: dict[Form, type[_Strict]] = {
    Form.TEXT: Text,
    Form.ENDING: Ending,
    Form.FRAME: Frame,
    Form.SLIP: Slip,
    Form.MARKS: Marks,
}


class Unusable(ValueError):
    """What came back for a kind makes no text; `check` names what is wrong, the message says how."""

    def __init__(self, check: str, evidence: str) -> None:
        super().__init__(evidence)
        self.check = check
        self.evidence = evidence


@lru_cache(maxsize=256)
def reply_schema(forms: tuple[tuple[str, Form], ...]) -> str:
    """The JSON schema of a reply with one object for each of these kinds, as JSON text."""
    schema = {
        "type": "object",
        "properties": {kind: _plain(MODELS[form].model_json_schema()) for kind, form in forms},
        "required": [kind for kind, _ in forms],
        "additionalProperties": False,
    }
    return json.dumps(schema, sort_keys=True)


def example_reply(forms: Iterable[tuple[str, Form]]) -> str:
    """The shape of a reply, as a model is shown it."""
    shapes = {
        Form.TEXT: {"text": "..."},
        Form.ENDING: {"ending": "..."},
        Form.FRAME: {"frame": "...", "place": "before or behind"},
        Form.SLIP: {"word": "...", "misspelt": "..."},
        Form.MARKS: {"marks": [f"{mark(1)} ...", f"{mark(2)} ..."]},
    }
    return json.dumps({kind: shapes[form] for kind, form in forms})


def build_text(form: Form, value: Any, original: Document, masked: Masked) -> str:
    """The rewritten text that a model's value for one kind stands for.

    Raises:
        Unusable: the value has another shape, is far too long, or its placeholders or words are not the text's.
    """
    try:
        entry = MODELS[form].model_validate(value)
    except ValidationError as error:
        detail = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, detail["loc"]))
        raise Unusable("reply", f"{where}: {detail['msg']}".removeprefix(": ")) from None
    limit = max(_SHORTEST_LIMIT, 4 * len(masked.text))
    if (length := sum(len(part) for value in entry.model_dump().values() for part in value)) > limit:
        raise Unusable("reply", f"{length:,} characters came back for a text of {len(masked.text):,}")
    match entry:
        case Text(text=text):
            return _restored(masked, _same_ends(text, masked.text))
        case Ending(ending=ending):
            return _with_ending(original, _piece(ending))
        case Frame(frame=frame, place=place):
            return _with_frame(original, _piece(frame), place)
        case Slip(word=word, misspelt=misspelt):
            return _with_slip(original, word, misspelt)
        case Marks(marks=marks):
            return _with_marks(masked, marks)
    raise AssertionError(form)


def _restored(masked: Masked, text: str) -> str:
    try:
        return masked.restore(text)
    except PlaceholderFault as fault:
        raise Unusable("placeholders", str(fault)) from None


def _with_marks(masked: Masked, marks: list[str]) -> str:
    try:
        return masked.rewritten(marks)
    except PlaceholderFault as fault:
        raise Unusable("placeholders", str(fault)) from None


def _same_ends(text: str, original: str) -> str:
    """`text` with the white space that the original begins and ends with: models drop it, and nobody means it."""
    body = original.strip()
    start = original.find(body)
    return original[:start] + text.strip() + original[start + len(body) :]


def _piece(text: str) -> str:
    piece = text.strip()
    if not piece:
        raise Unusable("reply", "an empty text came back")
    if OPEN in piece or CLOSE in piece:
        raise Unusable("placeholders", "a placeholder stands where nothing of the text may be repeated")
    return piece


def _with_ending(original: Document, ending: str) -> str:
    """The distractor on the text's last line where that ends as a sentence, else on a line of its own."""
    text = original.text
    if text[-1:].isspace():
        return text + ending
    last_line = text.rfind("\n") + 1
    closed = text.rstrip(_CLOSERS).endswith(_SENTENCE_ENDS)
    options = any(span.start >= last_line for span in original.of_type(SpanType.OPTION, SpanType.CODE))
    return f"{text}{' ' if closed and not options else chr(10)}{ending}"


def _with_frame(original: Document, frame: str, place: str) -> str:
    text = original.text
    if place == "behind":
        body = text.rstrip()
        return f"{body} {frame}{text[len(body) :]}"
    start = len(text) - len(text.lstrip())
    first = next((span for span in original.spans if span.start == start), None)
    rest = text[start:]
    small = first is not None and first.type is not SpanType.NAME and first.of(text).lower() in word_list("function")
    if frame.endswith(",") and small:
        rest = rest[0].lower() + rest[1:]
    return f"{text[:start]}{frame} {rest}"


def _with_slip(original: Document, word: str, misspelt: str) -> str:
    """The first ordinary occurrence of `word`, misspelt."""
    spans = [span for span in original.of_type(SpanType.WORD) if span.of(original.text) == word]
    closed = original.answer_formats
    free = [span for span in spans if not any(start <= span.start < end for start, end in closed)]
    if not free:
        raise Unusable("reply", f"{word[:40]!r} is no ordinary word of the text")
    if re.search(r"\s", misspelt):
        raise Unusable("reply", f"{misspelt[:40]!r} is not one word")
    return original.text[: free[0].start] + misspelt + original.text[free[0].end :]


def _plain(schema: Any) -> Any:
    """A schema without what only people read and what some servers refuse."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    dropped = ("title", "description", "minLength")
    kept = {name: value for name, value in schema.items() if name not in dropped or isinstance(value, dict)}
    return {name: _plain(value) for name, value in kept.items()}
