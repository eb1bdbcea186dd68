"""A RUN folder of `semifactual drift`, made up: no model, but the files, shapes and oddities of a real one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from semifactual.drift.distribution import Distribution

KINDS = ("irrelevant_context", "paraphrase", "scenario_wrap", "typo_noise")
CATEGORIES = (
    "reflection marker",
    "discourse connective",
    "word",
    "punctuation",
    "math symbol",
    "number",
    "whitespace",
    "other",
)
HOSTILE = "</script><img src=x onerror=window.hacked=1>\u2028<!--"
_MEAN_BY_CATEGORY = dict(zip(CATEGORIES, (0.07, 0.055, 0.03, 0.02, 0.008, 0.005, 0.007, 0.03), strict=True))
_STRENGTH = dict(zip(KINDS, (0.6, 1.5, 0.9, 1.2), strict=True))

_SENTENCES: tuple[tuple[tuple[str, str], ...], ...] = (
    (("Let", "word"), (" me", "word"), (" check", "reflection marker"), (":", "punctuation"), ("\n\n", "whitespace")),
    (("$", "math symbol"), ("\\frac", "math symbol"), ("{", "math symbol"), ("3", "number"), ("}{", "math symbol"),
     ("4", "number"), ("}", "math symbol"), ("$", "math symbol"), (" of", "word"), (" the", "word"), (" pens", "word")),
    ((" so", "discourse connective"), (" there", "word"), (" are", "word"), (" 1", "number"), ("2", "number"),
     (" +", "math symbol"), (" ", "whitespace"), ("1", "number"), ("5", "number"), (" =", "math symbol"),
     (" 27", "number"), (".", "punctuation"), ("\n", "whitespace")),
    (("Wait", "reflection marker"), (",", "punctuation"), (" maybe", "reflection marker"), (" Mia", "word"),
     (" bought", "word"), (" them", "word"), (" because", "discourse connective"), (" of", "word"), (" that", "word")),
    (("```", "other"), ("python", "word"), ("\n", "whitespace"), ("def", "word"), (" total", "word"),
     ("(", "punctuation"), ("a", "word"), ("):", "punctuation"), ("\n    ", "whitespace"), ("return", "word"),
     (" a", "word"), (" *", "math symbol"), (" 2", "number"), ("\n", "whitespace"), ("```", "other"),
     ("\n", "whitespace")),
    ((" Therefore", "discourse connective"), (" the", "word"), (" answer", "word"), (" is", "word"), (" \\", "other"),
     ("boxed", "word"), ("{", "math symbol"), ("27", "number"), ("}.", "math symbol"), ("\n", "whitespace")),
)  # fmt: skip
_ODD = (
    (HOSTILE, "other"),
    ("\u202eevil\u202c", "other"),
    (" שלום", "word"),
    (" مرحبا", "word"),
    ("🧮", "other"),
    ("\ufffd", "other"),
    ("\t", "whitespace"),
    ("", "other"),
    ("x" * 140, "word"),
    ("<|im_end|>", "other"),
)
_TEXTS = (
    "Mia buys 12 plums and eats 5. How many plums does Mia have left?",
    "A tram runs 14 stops in 35 minutes. How many minutes does it take per stop?",
    "Let $f(x) = \\frac{x^2 - 1}{x + 1}$ for $x \\neq -1$. What is $f(27)$?",
    "Ines packs 4 boxes with 9 candles each and gives 3 boxes away. How many candles does she keep?",
)


@dataclass(frozen=True)
class Shape:
    """How large a made-up run is."""

    problems: int = 30
    samples: int = 4
    tokens: int = 60
    variants_per_kind: int = 1
    kinds: tuple[str, ...] = KINDS
    seed: int = 0


def write_run(folder: Path, shape: Shape = Shape(), **changed: Any) -> Path:
    """Write every input of the report; `changed` overrides fields of the summary."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(shape.seed)
    rows = [row for problem in range(shape.problems) for row in _responses(problem, shape, rng)]
    _write_lines(folder / "prompts.jsonl", (_prompts(problem, shape) for problem in range(shape.problems)))
    _write_lines(folder / "responses.jsonl", (row["response"] for row in rows))
    _write_logps(folder / "logps.parquet", rows)
    _write_drift(folder / "drift.parquet", rows, shape.kinds)
    summary = {**summarise(rows, shape), **changed}
    (folder / "summary.json").write_text(json.dumps(summary, indent=2), encoding="utf-8")
    return folder


def problem_id(number: int) -> str:
    return f"made up:{number:03d}"


def _prompts(number: int, shape: Shape) -> dict[str, Any]:
    text = _TEXTS[number % len(_TEXTS)]
    if number == 0:
        text = f"{text} {HOSTILE}"
    made = {
        "irrelevant_context": f"{text} Velvet is velvet.",
        "paraphrase": text.replace("How many", "What is the number of").replace("buys", "purchases"),
        "scenario_wrap": f"Scribbled on a paper napkin: {text}",
        "typo_noise": text.replace("minutes", "mintues").replace("candles", "canldes", 1).replace("plums", "plmus", 1),
    }
    rewrites = [
        {"kind": kind, "variant": variant, "text": made[kind] + " Thank you." * variant}
        for kind in shape.kinds
        for variant in range(shape.variants_per_kind)
    ]
    return {"problem_id": problem_id(number), "text": text, "answer": "27", "rewrites": rewrites}


def _tokens(number: int, length: int, rng: np.random.Generator) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    while len(tokens) < length:
        tokens.extend(_SENTENCES[int(rng.integers(len(_SENTENCES)))])
        if rng.random() < (0.3 if number == 0 else 0.02):
            tokens.append(_ODD[int(rng.integers(len(_ODD)))])
    return [*(_ODD if number == 0 else ()), *tokens[:length]]


def _responses(number: int, shape: Shape, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    for sample in range(shape.samples):
        tokens = _tokens(number, int(shape.tokens * rng.uniform(0.5, 1.5)), rng)
        scale = np.array([_MEAN_BY_CATEGORY[category] for _, category in tokens])
        original = -rng.exponential(np.clip(scale * 15, 0.02, 2)) * (rng.random(len(tokens)) > 0.3)
        variants: dict[str, list[np.ndarray]] = {}
        for kind in shape.kinds:
            moves = [
                rng.standard_t(2.5, len(tokens)) * scale * _STRENGTH.get(kind, 1.0) * (rng.random(len(tokens)) > 0.15)
                for _ in range(shape.variants_per_kind)
            ]
            variants[kind] = [np.minimum(original + move, 0) for move in moves]
        identity = original + rng.normal(0, 1e-6, len(tokens)) * (rng.random(len(tokens)) > 0.5)
        yield {
            "key": (problem_id(number), sample),
            "tokens": tokens,
            "original": original,
            "identity": identity,
            "variants": variants,
            "response": {
                "problem_id": problem_id(number),
                "sample": sample,
                "seed": 1000 * number + sample,
                "text": "".join(text for text, _ in tokens),
                "token_ids": list(range(len(tokens))),
                "stop": "length" if sample == 3 else "eos",
                "answer": None if sample == 3 else "27" if (number + sample) % 2 else "28",
                "correct": bool((number + sample) % 2) and sample != 3,
            },
        }


def drift(original: np.ndarray, variant: np.ndarray) -> np.ndarray:
    moved: np.ndarray = 2 * np.tanh(np.abs(original - variant) / 2)
    return moved


def drift_by_kind(row: dict[str, Any]) -> dict[str, np.ndarray]:
    return {k: np.mean([drift(row["original"], v) for v in made], axis=0) for k, made in row["variants"].items()}


def _write_lines(path: Path, rows: Any) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _write_logps(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    flat = []
    for row in rows:
        named = [("original", 0, row["original"]), ("identity", 0, row["identity"])]
        named += [(kind, i, logps) for kind, made in row["variants"].items() for i, logps in enumerate(made)]
        for kind, variant, logps in named:
            flat.append((*row["key"], kind, variant, [1, 2, 3], row["response"]["token_ids"], logps))
    columns = list(zip(*flat, strict=True))
    schema = pa.schema(
        [
            ("problem_id", pa.string()),
            ("sample", pa.int32()),
            ("kind", pa.string()),
            ("variant", pa.int32()),
            ("prompt_ids", pa.list_(pa.int32())),
            ("token_ids", pa.list_(pa.int32())),
            ("logps", pa.list_(pa.float32())),
        ]
    )
    pq.write_table(pa.table(list(map(list, columns)), schema=schema), path, row_group_size=512)


def _write_drift(path: Path, rows: Sequence[dict[str, Any]], kinds: Sequence[str]) -> None:
    schema = pa.schema(
        [
            ("problem_id", pa.string()),
            ("sample", pa.int32()),
            ("tokens", pa.list_(pa.string())),
            ("categories", pa.list_(pa.string())),
            ("drift", pa.list_(pa.float32())),
            ("drift_by_kind", pa.list_(pa.struct([("kind", pa.string()), ("drift", pa.list_(pa.float32()))]))),
        ]
    )
    flat = []
    for row in rows:
        by_kind = drift_by_kind(row)
        flat.append(
            {
                "problem_id": row["key"][0],
                "sample": row["key"][1],
                "tokens": [text for text, _ in row["tokens"]],
                "categories": [category for _, category in row["tokens"]],
                "drift": np.mean(list(by_kind.values()), axis=0),
                "drift_by_kind": [{"kind": kind, "drift": by_kind[kind]} for kind in kinds],
            }
        )
    pq.write_table(pa.Table.from_pylist(flat, schema=schema), path, row_group_size=128)


def summarise(rows: Sequence[dict[str, Any]], shape: Shape) -> dict[str, Any]:
    """summary.json of these rows; intervals are made up, ten per cent around the mean."""
    by_kind = [drift_by_kind(row) for row in rows]
    mean = np.concatenate([np.mean(list(kinds.values()), axis=0) for kinds in by_kind])
    categories = np.array([category for row in rows for _, category in row["tokens"]])
    noise = np.concatenate([drift(row["original"], row["identity"]) for row in rows])
    kinds = {kind: np.concatenate([one[kind] for one in by_kind]) for kind in shape.kinds}
    counts = {"problems": shape.problems, "responses": len(rows), "tokens": len(mean), "truncated": len(rows) // 4}
    per_kind = {
        kind: {
            "drift": _distribution(values),
            "contrast": _around(0.4 * float(values.mean())),
            "posix": _around(0.5 * float(values.mean())),
            "noise_floor": float(noise.mean()),
            "within_noise": bool(values.mean() < 3 * noise.mean()),
            **counts,
        }
        for kind, values in kinds.items()
    }
    return {
        "schema": 1,
        "model": {"name": "made-up/Model-0B", "parameters": 1_234_567, "dtype": "float32", "device": "cpu"},
        "source": {"description": "builtin:word_problems?n=30", "sha256": "ab" * 32},
        "config": {"seed": shape.seed, "samples": shape.samples, "temperature": 1.0, "kinds": list(shape.kinds)},
        "counts": counts,
        "accuracy": 0.375,
        "drift": _distribution(mean),
        "kinds": per_kind,
        "noise_floor": {
            "mean": float(noise.mean()),
            "max": float(noise.max()),
            "share_zero": float((noise == 0).mean()),
        },
        "categories": {name: _category(mean, categories == name) for name in CATEGORIES if (categories == name).any()},
        "posix": _around(0.5 * float(mean.mean())),
        "kinds_by_category": {
            kind: {n: float(values[categories == n].mean()) for n in CATEGORIES if (categories == n).any()}
            for kind, values in kinds.items()
        },
        "top_tokens": [],
        "warnings": [],
        "versions": {"semifactual": "0.1.0", "python": "3.11.9", "torch": "2.13.0", "transformers": "5.24.0"},
        "seconds": {"generate": 81.25, "score": 12.5, "measure": 0.75},
    }


def _around(mean: float) -> dict[str, Any]:
    return {"mean": mean, "interval": [0.9 * mean, 1.1 * mean]}


def _distribution(values: np.ndarray) -> dict[str, Any]:
    spread = Distribution()
    spread.add(values)
    return {**_around(float(values.mean())), **spread.to_json()}


def _category(mean: np.ndarray, inside: np.ndarray) -> dict[str, Any]:
    value = float(mean[inside].mean())
    around = [0.8 * value, 1.2 * value]
    relative = value / float(mean.mean())
    return {
        "tokens": int(inside.sum()),
        "share": float(inside.mean()),
        "drift": value,
        "relative": relative,
        "interval": around,
    }
