"""report.html of a drift run: one file that a reader opens from anywhere, made from the run's files alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from semifactual.drift.charts import FEW_TOKENS, category_chart, histogram_chart, kind_chart, transition_charts
from semifactual.drift.exhibits import CELLS, MOVED, Exhibits, Shown, read_exhibits, run_file
from semifactual.html import render_page, script_json
from semifactual.text.diff import Change, word_diff

REPORT = "report.html"
TEMPLATE = "report/drift.html.jinja"
SCRIPTS = ("report/heatmap.js", "report/drift.js")

HEAT_EDGES = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0)
"""Where the classes of the heat scale begin; drift below the first is not tinted."""
MOST_TOKENS = 1000
"""Of a longer response, this many tokens around the one that drifts most are shown."""
MOST_CHARACTERS = 6000
"""Of a longer prompt, its beginning is shown."""
MOST_BYTES = 1_200_000
"""Responses, of each sort in turn, are embedded until their JSON reaches this size."""
AROUND = 14
"""Tokens of context on each side of a drifting token."""


def write_report(run: Path) -> Path:
    """Write RUN/report.html from summary.json, the parquet files, responses.jsonl and prompts.jsonl.

    It shows at most `MOST_DRIFTING` + `AT_RANDOM` + `MOMENTS` responses, so its size does not grow with the run.

    Raises:
        SourceError: the folder lacks one of the files.
    """
    summary = read_summary(run)
    exhibits = read_exhibits(run, seed=sampling_seed(summary))
    kinds, categories = list(summary["kinds"]), list(summary["categories"])
    responses = _shown_responses(exhibits, kinds, categories)
    problems = dict.fromkeys(response["problem"] for response in responses)
    data = {
        "kinds": kinds,
        "categories": categories,
        "edges": HEAT_EDGES,
        "responses": responses,
        "prompts": {problem: prompt_data(exhibits.prompts[problem]) for problem in problems},
    }
    context = {
        "summary": summary,
        "kinds": kind_chart(summary),
        "categories": category_chart(summary),
        "histogram": histogram_chart(summary["drift"], summary["counts"]["tokens"], summary["noise_floor"]["max"]),
        "transitions": transition_charts(exhibits.transitions, kinds),
        "responses": responses,
        "moments": list(_moments(exhibits, responses)),
        "facts": {name: list(facts(summary[name])) for name in ("model", "source", "config", "versions", "seconds")},
        "edges": HEAT_EDGES,
        "cells": CELLS,
        "moved": MOVED,
        "limits": {"tokens": MOST_TOKENS, "few": FEW_TOKENS},
    }
    path = run / REPORT
    path.write_text(render_page(TEMPLATE, SCRIPTS, data, context), encoding="utf-8", errors="replace", newline="\n")
    return path


def read_summary(run: Path) -> dict[str, Any]:
    """The run's summary.json.

    Raises:
        SourceError: there is none.
    """
    summary: dict[str, Any] = json.loads(run_file(run, "summary.json").read_text(encoding="utf-8"))
    return summary


def sampling_seed(summary: Mapping[str, Any]) -> int:
    """The seed of the random sample that is shown: the run's own."""
    return int(summary["config"].get("seed") or 0)


def facts(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Names and values of a nested object, in dotted names; what is not set is left out.

    >>> list(facts({"name": "m", "chat": {"used": True}, "kinds": ["a", "b"], "limit": None}))
    [('name', 'm'), ('chat.used', 'true'), ('kinds', 'a, b')]
    """
    for name, one in value.items():
        if one is None:
            continue
        if isinstance(one, Mapping):
            yield from facts(one, f"{prefix}{name}.")
        elif isinstance(one, str):
            yield prefix + name, one
        elif isinstance(one, list) and all(isinstance(item, str) for item in one):
            yield prefix + name, ", ".join(one)
        else:
            yield prefix + name, json.dumps(one)


def prompt_data(row: Mapping[str, Any]) -> dict[str, Any]:
    """An original prompt and, of each rewrite, the steps that lead to it: see `steps`."""
    text = row["text"][:MOST_CHARACTERS]
    rewrites = [
        {"kind": rewrite["kind"], "steps": steps(text, rewrite["text"][:MOST_CHARACTERS])}
        for rewrite in row["rewrites"]
    ]
    long = any(len(one) > MOST_CHARACTERS for one in (row["text"], *(rewrite["text"] for rewrite in row["rewrites"])))
    return {"text": text, "answer": row["answer"], "cut": long, "rewrites": rewrites}


def steps(before: str, after: str) -> list[int | str]:
    """A word diff that says nothing twice: n > 0 keeps n UTF-16 units of `before`, n < 0 drops them, a text is new.

    >>> steps("Ann has 3 cats.", "Ann owns 3 cats.")
    [4, -3, 'owns', 8]
    """
    signs = {Change.KEPT: 1, Change.REMOVED: -1}
    return [
        piece.text if piece.change is Change.ADDED else signs[piece.change] * utf16_length(piece.text)
        for piece in word_diff(before, after)
    ]


def utf16_length(text: str) -> int:
    """The length that JavaScript sees."""
    return len(text.encode("utf-16-le", errors="surrogatepass")) // 2


def _shown_responses(exhibits: Exhibits, kinds: Sequence[str], categories: Sequence[str]) -> list[dict[str, Any]]:
    """The data of the responses to show, the most drifting first; each sort gets its share of `MOST_BYTES`."""
    sharpest = [one for one, _ in exhibits.moments]
    kept: dict[str, list[dict[str, Any]]] = {"most": [], "random": [], "moment": []}
    seen = {one.key for one in [*exhibits.most_drifting, *exhibits.at_random]}
    rounds = zip_longest(exhibits.most_drifting, exhibits.at_random, (one for one in sharpest if one.key not in seen))
    size = 0
    for why, one in (pair for together in rounds for pair in zip(kept, together, strict=True)):
        if one is not None:
            data = response_data(one, kinds, categories) | {"why": why}
            size += len(script_json(data))
            if size <= MOST_BYTES:
                kept[why].append(data)
    return [data for sort in kept.values() for data in sort]


def response_data(one: Shown, kinds: Sequence[str], categories: Sequence[str]) -> dict[str, Any]:
    """One response for the heat map: drift in ten-thousandths, minus log p in thousandths of a nat."""
    first = max(min(int(one.drift.argmax()) - MOST_TOKENS // 2, len(one.tokens) - MOST_TOKENS), 0)
    part = slice(first, first + MOST_TOKENS)
    places = {name: place for place, name in enumerate(categories)}
    return {
        "problem": one.key[0],
        "sample": one.key[1],
        "stop": one.facts.get("stop"),
        "answer": one.facts.get("answer"),
        "correct": one.facts.get("correct"),
        "mean": round(one.mean, 6),
        "means": [_mean(one.by_kind.get(kind)) for kind in kinds],
        "first": first,
        "total": len(one.tokens),
        "tokens": one.tokens[part],
        "categories": [places[name] for name in one.categories[part]],
        "drift": _whole(one.drift[part], 10_000),
        "drift_by_kind": [_whole(one.by_kind[kind][part], 10_000) if kind in one.by_kind else None for kind in kinds],
        "surprise": None if one.original is None else _whole(-one.original[part], 1000),
        "surprise_by_kind": [
            _whole(-mean_logps(one.rewritten[kind])[part], 1000) if kind in one.rewritten else None for kind in kinds
        ],
        "rewrites": [len(one.rewritten.get(kind, ())) for kind in kinds],
    }


def mean_logps(rows: Sequence[Any]) -> Any:
    """The log of the mean probability under several rewrites of one kind."""
    return np.logaddexp.reduce(np.stack(rows), axis=0) - np.log(len(rows))


def _mean(values: Any) -> float | None:
    return None if values is None or not len(values) else round(float(values.mean(dtype=np.float64)), 6)


def _whole(values: Any, scale: int) -> list[int]:
    return [int(value) for value in np.rint(np.asarray(values, dtype=np.float64) * scale)]


def _moments(exhibits: Exhibits, responses: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The most drifting tokens, each between its neighbours, with the kind that moves it most."""
    places = {(response["problem"], response["sample"]): place for place, response in enumerate(responses)}
    for one, at in exhibits.moments:
        kind = max(one.by_kind, key=lambda name: float(one.by_kind[name][at]))
        place = places.get(one.key)
        yield {
            "before": "".join(one.tokens[max(at - AROUND, 0) : at]),
            "token": one.tokens[at],
            "after": "".join(one.tokens[at + 1 : at + 1 + AROUND]),
            "category": one.categories[at],
            "drift": float(one.drift[at]),
            "kind": kind,
            "kind_drift": float(one.by_kind[kind][at]),
            "p0": None if one.original is None else float(np.exp(one.original[at])),
            "pk": float(np.exp(mean_logps(one.rewritten[kind])[at])) if kind in one.rewritten else None,
            "problem": one.key[0],
            "sample": one.key[1],
            "response": place,
            "place": None if place is None else at - responses[place]["first"],
        }
