"""From one row to one problem, or to the reason why it has none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from semifactual.sources.fields import SOLUTION_FIELDS, Fields, lookup, present, without
from semifactual.sources.json_safe import json_safe
from semifactual.sources.prompts import read_prompt, require_text
from semifactual.sources.reference import Reference, UnusableValue, read_reference
from semifactual.sources.rows import BadRow, Row, typed
from semifactual.types import Problem

BUILT_COLUMNS = frozenset({"id", "problem", "answer", "source", "semifactuals", "metadata"})
"""A row with all of these comes from a dataset that this program built."""


def is_built(fields: Mapping[str, Any]) -> bool:
    """Whether these are the fields of a row of schema 1."""
    return fields.keys() >= BUILT_COLUMNS and isinstance(fields["metadata"], str)


def to_problem(row: Row, index: int, name: str, fields: Fields) -> Problem | BadRow:
    """The problem in `row`, which is row number `index` (from 0) of the source `name`."""
    try:
        return _built_problem(row.fields) if is_built(row.fields) else _problem(row.fields, index, name, fields)
    except UnusableValue as error:
        return BadRow(row.place, f"{error}.")
    except RecursionError:
        return BadRow(row.place, "is nested too deeply.")


def _problem(row: Mapping[str, Any], index: int, name: str, fields: Fields) -> Problem:
    for what, path in (("problem", fields.problem), ("answer", fields.answer)):
        if not present(row, path):
            raise UnusableValue(f"has no {what}: its field {path} is empty or missing")
    prompt = read_prompt(lookup(row, fields.problem))
    reference = read_reference(lookup(row, fields.answer), worked=fields.answer in SOLUTION_FIELDS)
    require_text(reference.answer, "answer")
    used = [path for path in (fields.problem, fields.answer, fields.solution, fields.id) if path is not None]
    metadata = json_safe(without(row, used))
    if (solution := _solution(row, fields, reference)) is not None:
        metadata["solution"] = solution
    if prompt.format is not None:
        metadata["prompt_format"] = json_safe(prompt.format)
    return Problem(_id(row, index, name, fields), prompt.text, reference.answer, name, metadata)


def _solution(row: Mapping[str, Any], fields: Fields, reference: Reference) -> Any:
    """The worked solution from its own field, else the text from which the answer was taken."""
    if fields.solution is None or not present(row, fields.solution):
        return json_safe(reference.solution)
    value = lookup(row, fields.solution)
    return json_safe(value[0] if isinstance(value, list) and len(value) == 1 else value)


def _id(row: Mapping[str, Any], index: int, name: str, fields: Fields) -> str:
    if fields.id is None or not present(row, fields.id):
        return f"{name}-{index:06d}"
    value = lookup(row, fields.id)
    if isinstance(value, Mapping | list):
        raise UnusableValue(f"has {typed(value)} for an id")
    text = str(json_safe(value))
    require_text(text, "id")
    return text


def _built_problem(row: Mapping[str, Any]) -> Problem:
    """A row of schema 1 gives back the very problem that it was built from."""
    for what in ("id", "problem", "answer", "source"):
        if not isinstance(row[what], str):
            raise UnusableValue(f"has {typed(row[what])} for its {what}")
        require_text(row[what], what)
    try:
        metadata = json.loads(row["metadata"])
    except ValueError:
        metadata = None
    if not isinstance(metadata, dict):
        raise UnusableValue("has metadata that is not a JSON object")
    return Problem(row["id"], row["problem"], row["answer"], row["source"], json_safe(metadata))
