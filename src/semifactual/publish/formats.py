"""What the rows of an export look like: one description and one function a format, and nothing of files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from semifactual.pipeline.records import Description, Record
from semifactual.pipeline.variants import VariantProblem
from semifactual.publish.prompting import Prompting, Style

DATA_SOURCE = "semifactual/"
"""Stands before a source's name in verl's `data_source`, so that it is never one of those which verl grades itself."""

_TURNS: Description = [{"role": "string", "content": "string"}]
_REWRITES: dict[str, Description] = {"semifactuals": ["string"], "semifactual_kinds": ["string"]}

Rows = Iterator[Record]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a problem stands in an export."""

    index: int
    split: str


@dataclass(frozen=True, slots=True)
class Format:
    """A trainer's schema."""

    name: str
    columns: Callable[[Style], dict[str, Description]]
    """The columns and their types, the same on every row."""
    rows: Callable[[VariantProblem, Place, Prompting], Rows]
    """The rows of one problem."""
    style: Style
    """The form of its prompts where the user names none."""
    only_style: bool = False
    """Whether no other form makes sense for it."""
    only_parquet: bool = False
    """Whether the trainer reads parquet files alone."""
    takes_prompts: bool = True
    """Whether its rows hold prompts at all."""


def _rewrites(problem: VariantProblem, prompting: Prompting) -> Record:
    """Every rewrite as the user's turn would say it, and beside them their kinds, in the same order."""
    return {
        "semifactuals": [prompting.text(problem, text) for _, text in problem.semifactuals],
        "semifactual_kinds": [kind for kind, _ in problem.semifactuals],
    }


def _trl_rows(problem: VariantProblem, place: Place, prompting: Prompting) -> Rows:
    prompt = {"id": problem.id, "prompt": prompting.prompt(problem), "answer": problem.answer}
    yield prompt | _rewrites(problem, prompting)


def _trl_columns(style: Style) -> dict[str, Description]:
    return {"id": "string", "prompt": _TURNS if style is Style.CHAT else "string", "answer": "string", **_REWRITES}


def _verl_rows(problem: VariantProblem, place: Place, prompting: Prompting) -> Rows:
    extra = {"index": place.index, "split": place.split, "id": problem.id}
    yield {
        "data_source": DATA_SOURCE + problem.source,
        "prompt": prompting.prompt(problem),
        "ability": "math",
        "reward_model": {"style": "rule", "ground_truth": problem.answer},
        "extra_info": extra | _rewrites(problem, prompting),
    }


def _verl_columns(style: Style) -> dict[str, Description]:
    return {
        "data_source": "string",
        "prompt": _TURNS,
        "ability": "string",
        "reward_model": {"style": "string", "ground_truth": "string"},
        "extra_info": {"index": "int64", "split": "string", "id": "string", **_REWRITES},
    }


def _easyr1_rows(problem: VariantProblem, place: Place, prompting: Prompting) -> Rows:
    prompt = {"id": problem.id, "problem": prompting.prompt(problem), "answer": problem.answer}
    yield prompt | _rewrites(problem, prompting)


def _easyr1_columns(style: Style) -> dict[str, Description]:
    return {"id": "string", "problem": "string", "answer": "string", **_REWRITES}


_EVIDENCE: dict[str, Description] = {
    "engine": "string",
    "checks": ["string"],
    "answer_check": "string",
    "params": "string",
}


def _long_rows(problem: VariantProblem, place: Place, prompting: Prompting) -> Rows:
    for entry in problem.entries:
        yield {
            "id": problem.id,
            "kind": entry["kind"],
            "problem": problem.text,
            "rewrite": entry["text"],
            "answer": problem.answer,
            "source": problem.source,
            **{name: entry[name] for name in _EVIDENCE},
        }


def _long_columns(style: Style) -> dict[str, Description]:
    names = ("id", "kind", "problem", "rewrite", "answer", "source")
    return {**dict.fromkeys(names, "string"), **_EVIDENCE}


FORMATS = {
    one.name: one
    for one in (
        Format("trl", _trl_columns, _trl_rows, Style.CHAT),
        Format("verl", _verl_columns, _verl_rows, Style.CHAT, only_style=True, only_parquet=True),
        Format("easyr1", _easyr1_columns, _easyr1_rows, Style.TEXT, only_style=True, only_parquet=True),
        Format("long", _long_columns, _long_rows, Style.TEXT, only_style=True, takes_prompts=False),
    )
}
