"""Problems whose good rewrites the stub server knows, and builds of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from semifactual.pipeline.config import BuildConfig
from semifactual.pipeline.records import Record, read_parquet
from semifactual.types import Problem
from tests.stub_server import KEY, Body, StubServer

KINDS = ("paraphrase", "irrelevant_context")


def problem_text(number: int) -> str:
    return (
        f"A baker packs {number} boxes with {number + 3} rolls each and sells half of the rolls before noon. "
        "How many rolls does the baker have left?"
    )


def make_problem(number: int = 12) -> Problem:
    return Problem(f"p:{number}", problem_text(number), f"{number * (number + 3) / 2:g}", "hand")


def write_problems(path: Path, count: int) -> Path:
    rows = [{"question": problem_text(n), "answer": f"{n * (n + 3) / 2:g}"} for n in range(1, count + 1)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def number_in(body: Body) -> int:
    """Which of the problems a request is about."""
    said = body["messages"][-1]["content"]
    return int(said.partition("⟦M1⟧ = ")[2].partition("\n")[0] or 0)


def only(number: int, behaviour: str, times: int = 10**6) -> Callable[[Body, int], str]:
    """A stub's behaviour: this one for the first so many requests about one problem, good ones for all others."""
    left = [times]

    def behave(body: Body, seen: int) -> str:
        if number_in(body) != number or left[0] == 0:
            return "good"
        left[0] -= 1
        return behaviour

    return behave


def mixed(body: Body, seen: int) -> str:
    """Most replies good, some not, some requests hopeless."""
    number = number_in(body)
    if number % 10 == 3:
        return "dropped"
    if number % 10 == 7:
        return "too_long"
    return "malformed" if number % 10 == 5 and "were refused" not in body["messages"][-1]["content"] else "good"


def solver(wrong_on_rewrites: bool, wrong_on_originals: bool) -> Callable[[str, int], str]:
    def solve(text: str, sample: int) -> str:
        number = int(text.partition("packs ")[2].partition(" ")[0])
        original = text.startswith("A baker packs") and "How many rolls does the baker have left?\n\nPlease" in text
        wrong = wrong_on_originals if original else wrong_on_rewrites
        return "-1" if wrong else f"{number * (number + 3)}/2"

    return solve


def rows_of(out: Path) -> list[Record]:
    return list(read_parquet(out / "data" / "train-00000-of-00001.parquet"))


def rejections_of(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "rejected.jsonl").read_text().splitlines()]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("SEMIFACTUAL_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def config_of(tmp_path: Path) -> Callable[..., BuildConfig]:
    """A build of so many problems with the stub's model."""

    pytest.importorskip("openai")

    def make(stub: StubServer, count: int = 4, **options: Any) -> BuildConfig:
        source = tmp_path / f"problems-{count}.jsonl"
        if not source.exists():
            write_problems(source, count)
        given = {"engine": "llm", "model": stub.model, "kinds": KINDS, "workers": 1, "timeout": 30, **options}
        return BuildConfig(source=str(source), **given)

    return make
