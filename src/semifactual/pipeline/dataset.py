"""Rows to look at: of a built dataset, or made on the fly, each beside its rewrites that entered or were rejected."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from semifactual.errors import SourceError
from semifactual.pipeline.assemble import PARQUET_NAME, REJECTED_NAME
from semifactual.pipeline.build import plan_of
from semifactual.pipeline.config import load_config
from semifactual.pipeline.journal import MANIFEST_NAME, Journal
from semifactual.pipeline.problems import open_problems
from semifactual.pipeline.records import Record, read_parquet
from semifactual.pipeline.rewriting import row
from semifactual.validate.verdict import CheckResult, Outcome


@dataclass(frozen=True, slots=True)
class SeenRewrite:
    """A rewrite and what is on record about it. One that entered passed its checks; their evidence is not kept."""

    kind: str
    text: str
    engine: str
    outcome: Outcome
    answer_check: str
    checks: tuple[CheckResult, ...]


@dataclass(frozen=True, slots=True)
class SeenVersion:
    """A version of the problem that is no semifactual: for evaluation only, or with another answer as a control."""

    kind: str
    text: str
    answer: str
    derivation: str = ""
    """How a counterfactual's answer was computed."""


@dataclass(frozen=True, slots=True)
class SeenProblem:
    """A row and what was asked for of it."""

    id: str
    problem: str
    answer: str
    rewrites: tuple[SeenRewrite, ...]
    evaluation_variants: tuple[SeenVersion, ...] = ()
    counterfactuals: tuple[SeenVersion, ...] = ()

    @property
    def is_bare(self) -> bool:
        """Whether there is nothing but the problem."""
        return not (self.rewrites or self.evaluation_variants or self.counterfactuals)

    def to_json(self) -> dict[str, Any]:
        """The row as JSON values."""
        return asdict(self)


def seen_problems(
    folder: Path, *, row_id: str | None = None, kind: str | None = None, rejected: bool = False
) -> Iterator[SeenProblem]:
    """The rows of the dataset in `folder`, in order; rows with nothing to show are passed over.

    With `row_id` only that row, whatever it holds; with `kind` only rewrites of that kind, and no counterfactuals;
    with `rejected` the rewrites that did not enter instead of all that did.

    Raises:
        SourceError: `folder` holds no whole dataset, or no row has the id.
    """
    require_dataset(folder)
    refused = _rejections(folder / REJECTED_NAME, row_id) if rejected else {}
    rows = ((record, refused.get(record["id"], [])) for record in read_parquet(folder / PARQUET_NAME))
    return _seen(rows, str(folder), row_id, kind, rejected)


def require_dataset(folder: Path) -> None:
    """Check that `folder` holds a whole dataset.

    Raises:
        SourceError: a file of it is missing, or its build is not finished.
    """
    if Journal.of(folder).folder.exists() and not (folder / MANIFEST_NAME).exists():
        raise SourceError(f"the build of {folder} is not finished", hint="run its `semifactual build` again to go on")
    for name in (MANIFEST_NAME, PARQUET_NAME, REJECTED_NAME):
        if not (folder / name).is_file():
            raise SourceError(
                f"{folder} holds no built dataset: it has no {name}",
                hint=f"make one with `semifactual build SOURCE --out {folder}`",
            )


def made_problems(
    source: str, *, row_id: str | None = None, kind: str | None = None, rejected: bool = False
) -> Iterator[SeenProblem]:
    """The same for a source of problems, whose rewrites are made on the fly as `build` would make them.

    Raises:
        SourceError: the source cannot be read, has rows that cannot be used, or no row has the id.
    """
    config = load_config(None, {"source": source, "kinds": None if kind is None else (kind,)})
    plan = plan_of(config)
    problems = (problem for problem in open_problems(config).problems() if row_id in (None, problem.id))
    made = (row(problem, plan) for problem in problems)
    rows = ((entry["record"], entry["rejected"]) for entry in made)
    return _seen(rows, source, row_id, kind, rejected)


def _seen(
    rows: Iterable[tuple[Record, list[Record]]], name: str, row_id: str | None, kind: str | None, rejected: bool
) -> Iterator[SeenProblem]:
    """Rows as records beside their rejections, narrowed to what was asked for."""
    for record, rejections in rows:
        if row_id not in (None, record["id"]):
            continue
        seen = _seen_problem(record, rejections if rejected else None, kind)
        if row_id is not None or not seen.is_bare:
            yield seen
        if row_id is not None:
            return
    if row_id is not None:
        raise SourceError(f"{name} has no row with the id {row_id!r}", hint=f"`semifactual show {name}` lists some")


def _seen_problem(record: Record, rejections: list[Record] | None, kind: str | None) -> SeenProblem:
    """What a record holds, or else its rejections, narrowed to a kind."""
    made = SeenProblem(
        record["id"],
        record["problem"],
        record["answer"],
        rewrites=tuple(map(_entered, record["semifactuals"])),
        evaluation_variants=tuple(SeenVersion(**entry) for entry in record["evaluation_variants"]),
        counterfactuals=tuple(SeenVersion(**entry) for entry in record["counterfactuals"]),
    )
    if rejections is not None:
        made = SeenProblem(made.id, made.problem, made.answer, tuple(map(_refused, rejections)))
    if kind is None:
        return made
    return replace(
        made,
        rewrites=tuple(rewrite for rewrite in made.rewrites if rewrite.kind == kind),
        evaluation_variants=tuple(variant for variant in made.evaluation_variants if variant.kind == kind),
        counterfactuals=(),
    )


def _entered(entry: Record) -> SeenRewrite:
    checks = tuple(CheckResult(name, True, "") for name in entry["checks"])
    return SeenRewrite(entry["kind"], entry["text"], entry["engine"], Outcome.VALID, entry["answer_check"], checks)


def _refused(line: Record) -> SeenRewrite:
    checks = tuple(CheckResult(check["name"], check["passed"], check["evidence"]) for check in line["checks"])
    outcome = Outcome(line["outcome"])
    return SeenRewrite(line["kind"], line["text"], line["engine"], outcome, line["answer_check"], checks)


def _rejections(path: Path, row_id: str | None) -> dict[str, list[Record]]:
    """The lines of rejected.jsonl by row id; with `row_id` only those of that row."""
    found: dict[str, list[Record]] = defaultdict(list)
    with path.open(encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            if row_id in (None, line["id"]):
                found[line["id"]].append(line)
    return found
