"""RUN folders of `scapo-train`, made up: no model, but the files, shapes and oddities of a real one."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from semifactual.train.recipe import Recipe
from semifactual.train.recipe_loading import merged
from semifactual.train.records import Records

HOSTILE = "</script><img src=x onerror=window.hacked=1>\u2028<!--"
KINDS = ("paraphrase", "typo_noise")
TOKENS = (
    "So",
    " the",
    " answer",
    " is",
    " \\",
    "boxed",
    "{",
    "7",
    "}",
    HOSTILE,
    "\u202eevil\u202c",
    "",
    "\n",
    "\ud800",
)
RECIPE: dict[str, Any] = {
    "label": "made-up",
    "steps": 20,
    "data": {"source": "builtin:word_problems?n=8"},
    "rollout": {"batch": 4, "samples": 2, "max_new_tokens": 32},
    "optim": {"minibatch": 2},
    "eval": {"every": 4, "sets": {"v": {"source": "builtin:word_problems?n=6"}}},
}


def write_run(
    folder: Path,
    options: Mapping[str, Any] | None = None,
    *,
    done: int | None = None,
    lift: float = 0.0,
    tables: bool = True,
    hostile: bool = False,
) -> Path:
    """Write a run.

    Args:
        options: over `RECIPE`.
        done: steps done; all where not given.
        lift: by how much the share of right answers in validation rises over the run.
        tables: whether validation is kept prompt by prompt.
        hostile: whether text and warnings try to break out of a page.
    """
    recipe = Recipe.model_validate(merged(RECIPE, options or {}))
    records = Records(folder)
    records.write_recipe(yaml.safe_dump(recipe.model_dump(mode="json")))
    rng = random.Random(recipe.seed)
    last = recipe.steps if done is None else done
    for step in range(last + 1):
        if step:
            records.metrics.append(_metrics(recipe, step, rng, hostile))
        if recipe.eval.every and recipe.eval.sets and (step % recipe.eval.every == 0 or step == recipe.steps):
            rows = validation_rows(rng, 0.3 + lift * step / recipe.steps)
            if tables:
                records.write_validation(step, rows)
            records.evaluations.append({"step": step, **evaluation(rows), "time/seconds": 2.0})
        if step and step % 5 == 1 and recipe.log.completions_every:
            records.write_completions(step, _completions(recipe, step, rng, hostile))
    return folder


def validation_rows(rng: random.Random, right: float, problems: int = 30) -> list[dict[str, Any]]:
    """Rows of a validation table: two responses to the original and to a rewrite of each kind; typo_noise is sealed."""
    return [
        {
            "set": "v",
            "problem_id": f"p{problem:02d}",
            "number": number,
            "kind": kind,
            "sealed": kind == "typo_noise",
            "question": f"{problem}-{number}",
            "right": sum(rng.random() < right for _ in range(2)),
            "samples": 2,
            "truncated": 0,
            "tokens": rng.randrange(20, 40),
        }
        for problem in range(problems)
        for number, kind in enumerate(("original", *KINDS))
    ]


def evaluation(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The keys of eval.jsonl of these rows, computed the long way."""
    accuracy = {
        kind: sum(row["right"] / row["samples"] for row in rows if row["kind"] == kind)
        / sum(row["kind"] == kind for row in rows)
        for kind in ("original", *KINDS)
    }
    return {
        "v/accuracy": accuracy["original"],
        **{f"v/accuracy/{kind}": accuracy[kind] for kind in KINDS},
        "v/variants": sum(accuracy[kind] for kind in KINDS) / len(KINDS),
        "v/sealed": accuracy["typo_noise"],
        "v/pass@1": accuracy["original"],
        "v/truncated": 0.0,
        "v/length": sum(row["tokens"] for row in rows if row["kind"] == "original") / (len(rows) / 3 * 2),
        "v/problems": len(rows) // 3,
    }


def _metrics(recipe: Recipe, step: int, rng: random.Random, hostile: bool) -> dict[str, Any]:
    line: dict[str, Any] = {"step": step, "rollout": (step - 1) // 2, "epoch": step / 10, "credit/lambda": 0.0}
    line |= {"loss": rng.gauss(0, 0.1), "policy/entropy": 0.3 + rng.random() / 10, "policy/kl": rng.gauss(0, 1e-3)}
    line |= {
        "ratio/mean": 1.0,
        "ratio/min": 0.9,
        "ratio/max": 1.2,
        "clip/low": 0.0,
        "clip/high": 0.01,
        "clip/dual": 0.0,
    }
    line |= {"advantage/mean": 0.0, "advantage/abs": 0.5, "advantage/effective_tokens": 0.6, "advantage/gini": 0.4}
    line |= {"optim/lr": 1e-4, "optim/grad_norm": math.nan if step == 3 else 0.3, "tokens": 200}
    line |= {"time/update": 0.5, "time/step": 1.0, "time/tokens_per_second": 200.0, "time/peak_memory_mb": 500.0}
    if step % 2:
        line |= {"reward/mean": rng.random(), "reward/std": 0.4, "reward/accuracy": 0.5, "reward/timeouts": 0}
        line |= {"reward/failed": 0, "group/uniform": 0.4, "length/mean": 30.0, "length/max": 32}
        line |= {"length/truncated": 0.1, "length/empty": 0.0}
        line |= {f"time/{name}": 0.2 for name in ("rollout", "reward", "probe", "old")}
        line |= {"time/generated_tokens_per_second": 900.0}
    acts = recipe.credit.enabled and step <= recipe.credit.steps
    if acts:
        line["credit/lambda"] = recipe.credit.lambda0
    if acts and step % 2:
        line |= {"drift/mean": 0.05, "drift/zero": 0.1, "drift/noise": 1e-7, "credit/share": 0.2, "credit/mass": 0.25}
        for place, kind in enumerate(KINDS):
            line |= {f"drift/kind/{kind}": 0.05 + place / 100, f"drift/noise/{kind}": 1e-7, f"drift/idle/{kind}": 0.0}
    if step in (3, 5):
        line["warnings"] = [f"{step} of 8 rewards failed, the first with {HOSTILE if hostile else 'ValueError'}"]
    return line


def _completions(recipe: Recipe, step: int, rng: random.Random, hostile: bool) -> list[dict[str, Any]]:
    words = list(TOKENS if hostile else TOKENS[:9])
    probed = recipe.credit.enabled and step <= recipe.credit.steps
    rows = []
    for sample in range(4):
        tokens = [word.encode("utf-8", "replace").decode() for word in words] * (sample > 0)  # the first is empty
        u = [-rng.random() * 3 if place % 3 == 0 else 0.0 for place in range(len(tokens))]
        rows.append(
            {
                "step": step,
                "problem_id": HOSTILE if hostile else f"p{sample // 2}",
                "sample": sample,
                "kind": "original",
                "prompt": f"What is 3 + 4? {HOSTILE if hostile else ''}",
                "answer": "7",
                "response": "".join(tokens),
                "stop": "length" if sample == 3 else "eos",
                "reward": None if sample == 0 else float(sample % 2),
                "advantage": None if sample == 0 else float(sample - 2),
                "lambda": recipe.credit.lambda0 if probed else 0.0,
                "tokens": tokens,
                "logps": [-0.5 * rng.random() for _ in tokens],
                "drift": [rng.random() / 5 for _ in tokens] if probed else None,
                "u": u if probed else None,
                "credit": [recipe.credit.lambda0 * value for value in u] if probed else None,
            }
        )
    return rows
