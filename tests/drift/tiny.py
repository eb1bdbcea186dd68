"""A tiny random model in a folder, as a user's would be, and problems that fit it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.policy.models import byte_tokenizer, tiny_model


def save_model(folder: Path, *, seed: int = 0, **options: Any) -> Path:
    """A random Qwen3 of 35,000 parameters and a tokenizer of bytes."""
    tiny_model("qwen3", seed=seed, **{"max_position_embeddings": 4096, **options}).save_pretrained(folder)
    byte_tokenizer().save_pretrained(folder)
    return folder


def write_problems(path: Path, count: int) -> Path:
    """Problems whose ids are p0, p1, ..."""
    rows = [
        {
            "id": f"p{n}",
            "question": f"Ann buys {n} pens and finds {n + 3} more. How many pens?",
            "answer": str(2 * n + 3),
        }
        for n in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
