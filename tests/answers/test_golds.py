"""Every gold answer of the public sets equals itself, bare and in a box; different ones are told apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from semifactual.answers import Verifier, extract


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def golds(name: str, data: Path) -> list[str]:
    match name:
        case "gsm8k":
            return [row["answer"].partition("####")[2].strip() for row in rows(data / "gsm8k" / "test.jsonl")]
        case "math500":
            return [row["answer"] for row in rows(data / "math500" / "test.jsonl")]
        case "olympiadbench":
            return [row["final_answer"][0] for row in rows(data / "competition" / "olympiadbench.jsonl")]
        case "minerva_math":
            return [extract(row["solution"]).text for row in rows(data / "competition" / "minerva_math.jsonl")]
        case _:
            return [str(row["answer"]) for row in rows(data / "competition" / f"{name}.jsonl")]


@pytest.mark.parametrize("name", ["gsm8k", "math500", "aime24", "aime25", "amc23", "olympiadbench", "minerva_math"])
def test_every_gold_equals_itself(name: str, shared: Path, verifier: Verifier) -> None:
    failed = [
        gold
        for gold in golds(name, shared / "data")
        if not (
            verifier.check_gold(gold).equal and verifier.grade(gold, f"So it is $\\boxed{{{gold}}}$.").verdict.equal
        )
    ]
    assert not failed


def test_different_competition_golds_are_different(shared: Path, verifier: Verifier) -> None:
    different = sorted({gold for name in ("aime24", "aime25") for gold in golds(name, shared / "data")})
    for place, first in enumerate(different):
        for second in different[place + 1 :]:
            if first.lstrip("0") != second.lstrip("0"):
                assert not verifier.equivalent(first, second).equal, (first, second)
