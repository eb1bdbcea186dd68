"""The responses that a training report shows token by token: a few of every table that the run has kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from semifactual.html import script_json
from semifactual.train.records import COMPLETIONS_FOLDER

MOST_BYTES = 1_500_000
"""Responses, of every step in turn, are embedded until their JSON reaches this size."""
MOST_TOKENS = 1000
"""Of a longer response, this many tokens around the one with the largest credit are shown."""
MOST_CHARACTERS = 6000
"""Of a longer prompt, its beginning is shown."""
SCALE = 1000
"""Numbers are embedded as whole thousandths; drift in ten-thousandths."""


def shown_completions(folder: Path) -> dict[str, Any]:
    """The responses to show, in the order of steps, their prompts, and how many there are in all."""
    tables = [pq.read_table(path).to_pylist() for path in sorted((folder / COMPLETIONS_FOLDER).glob("step-*.parquet"))]
    queues = [telling_first(tables[place]) for place in spread_out(len(tables))]
    prompts: dict[str, int] = {}
    kept: list[dict[str, Any]] = []
    size = 0
    for row in chain.from_iterable(zip_longest(*queues)):
        if row is None:
            continue
        prompt = (row["prompt"] or "")[:MOST_CHARACTERS]
        data = completion_data(row) | {"prompt": prompts.setdefault(prompt, len(prompts))}
        size += len(script_json(data))
        if size > MOST_BYTES and kept:
            break
        kept.append(data)
    kept.sort(key=lambda data: data["step"])  # of a step, the most telling stay first
    return {"responses": kept, "prompts": list(prompts), "total": sum(map(len, tables)), "steps": len(tables)}


def telling_first(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows of a table, those of groups with something to learn first, above and below their mean in turn."""
    above = [row for row in rows if (row["advantage"] or 0.0) > 0]
    below = [row for row in rows if (row["advantage"] or 0.0) < 0]
    level = [row for row in rows if not row["advantage"]]
    turns = chain.from_iterable(zip_longest(above, below))
    return [row for row in turns if row is not None] + level


def spread_out(count: int) -> list[int]:
    """0 .. count - 1 in an order of which every beginning is spread over the whole.

    >>> spread_out(6)
    [0, 5, 2, 1, 3, 4]
    """
    return list(dict.fromkeys([*range(min(count, 1)), *([count - 1] * (count > 1)), *_halves(1, count - 1)]))


def completion_data(row: Mapping[str, Any]) -> dict[str, Any]:
    """One response for the heat map."""
    credit = None if row["u"] is None else np.nan_to_num(np.array(row["u"], dtype=np.float64))
    tokens = row["tokens"] or []
    peak = int(np.abs(credit).argmax()) if credit is not None and len(credit) else 0
    first = max(min(peak - MOST_TOKENS // 2, len(tokens) - MOST_TOKENS), 0)
    part = slice(first, first + MOST_TOKENS)
    return {
        "step": row["step"],
        "problem": row["problem_id"],
        "sample": row["sample"],
        "kind": row["kind"],
        "answer": row["answer"],
        "stop": row["stop"],
        "reward": _rounded(row["reward"]),
        "advantage": _rounded(row["advantage"]),
        "lambda": row["lambda"],
        "first": first,
        "total": len(tokens),
        "tokens": tokens[part],
        "surprise": _whole(row["logps"], part, -SCALE),
        "drift": _whole(row["drift"], part, 10 * SCALE),
        "credit": _whole(row["u"], part, SCALE),
    }


def _halves(first: int, end: int) -> Iterator[int]:
    """The middles of ever smaller parts of first .. end - 1, breadth first."""
    parts = [(first, end)]
    while parts:
        low, high = parts.pop(0)
        if low < high:
            middle = (low + high - 1) // 2
            yield middle
            parts += [(low, middle), (middle + 1, high)]


def _whole(values: Sequence[float] | None, part: slice, scale: int) -> list[int] | None:
    if values is None:
        return None
    scaled = np.nan_to_num(np.array(values[part], dtype=np.float64) * scale, posinf=1e9, neginf=-1e9)
    return [int(value) for value in np.rint(scaled)]


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
