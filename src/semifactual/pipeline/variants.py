"""Problems with their semifactuals, for whatever runs a model: read from a built dataset, or made by rules on the fly.

A built dataset (a folder, or a file or Hub id with its rows) is taken as it is. Any other source of problems gets its
rewrites as `semifactual build` would make them, one problem at a time, and nothing is written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeGuard

from semifactual.errors import ConfigError, SourceError
from semifactual.pipeline.build import identity_of, plan_of
from semifactual.pipeline.config import BuildConfig, load_config
from semifactual.pipeline.dataset import require_dataset
from semifactual.pipeline.journal import JOURNAL_NAME, MANIFEST_NAME, finished_manifest
from semifactual.pipeline.problems import ProblemSource, open_problems
from semifactual.pipeline.records import Record, to_json
from semifactual.pipeline.rewriting import Plan, row
from semifactual.sources.problems import is_built
from semifactual.sources.readers import open_table
from semifactual.sources.rows import Row, Table
from semifactual.sources.source import BUILTIN_PREFIX, Source, open_source, problems, scan
from semifactual.types import Problem


@dataclass(frozen=True, slots=True)
class AnsweredVariant:
    """A rewrite with an answer of its own: for evaluation, never scored for drift and never trained on."""

    kind: str
    text: str
    answer: str


@dataclass(frozen=True, slots=True)
class VariantProblem:
    """A problem beside its rewrites."""

    id: str
    text: str
    answer: str
    metadata: Mapping[str, Any]
    semifactuals: tuple[tuple[str, str], ...]
    """(kind, text) of every semifactual of the wanted kinds. A kind may be missing, or be there more than once."""
    evaluation_variants: tuple[AnsweredVariant, ...] = ()
    counterfactuals: tuple[AnsweredVariant, ...] = ()
    source: str = ""
    entries: tuple[Record, ...] = ()
    """What is on record about each of the semifactuals, in their order: engine, checks, answer check, parameters."""


Problems = Iterator[VariantProblem]


@dataclass(frozen=True, slots=True)
class VariantSource:
    """A source that was scanned to its end and found usable."""

    count: int
    """How many problems there are, `limit` applied."""
    kinds: tuple[str, ...]
    """The kinds of semifactuals that problems may have."""
    sha256: str
    """Changes whenever a problem or a rewrite may have changed."""
    description: dict[str, Any]
    """What a run records of the source, as JSON values."""
    notices: tuple[str, ...]
    """What a user should hear of it, a sentence each."""
    problems: Callable[..., Problems]
    """``problems(start=0)``: the problems in the source's order from number `start` on, anew at each call."""


def open_variants(
    source: str,
    *,
    kinds: tuple[str, ...] | None = None,
    limit: int | None = None,
    seed: int = 0,
    split: str | None = None,
    config_name: str | None = None,
    skip_bad_rows: bool = False,
    **making: Any,
) -> VariantSource:
    """The problems of `source` with their semifactuals: a built dataset, or anything that `build` takes.

    `kinds` narrows the semifactuals to those kinds; by default a built dataset gives all that it holds, and another
    source gets the kinds that `build` makes by default. `limit` takes only the first so many problems. `seed` and
    `making` (`per_kind`, `counterfactuals`, `seal`, `problem_field`, `answer_field`, `id_field`; None where not given)
    decide how problems are read and rewritten on the fly; a built dataset was made with its own, so there `seed` has
    no effect and `making` no meaning.

    Raises:
        SourceError: the source cannot be read, has rows that cannot be used, or its build is not finished.
        RegistryError, ConfigError: a kind is unknown, the source lacks it, or an option means nothing for the source.
    """
    making = {name: value for name, value in making.items() if value is not None}
    table = _built_table(source, split, config_name)
    if table is None:
        options = {"source": source, "kinds": kinds, "limit": limit, "seed": seed, "split": split}
        config = load_config(None, {**options, "config_name": config_name, "skip_bad_rows": skip_bad_rows, **making})
        return _made(config)
    if making:
        raise ConfigError(
            f"{source} is a built dataset, so {' and '.join(making)} mean{'s' * (len(making) == 1)} nothing for it",
            hint="leave it out, or name the source that the dataset was built from",
        )
    if limit is not None and limit < 1:
        raise ConfigError(f"limit: a number of problems is at least 1, not {limit}")
    return _built(source, table, open_source(source, split=split, config_name=config_name), kinds, limit, skip_bad_rows)


def _built(
    spec: str, table: Table, source: Source, kinds: tuple[str, ...] | None, limit: int | None, skip_bad_rows: bool
) -> VariantSource:
    report = scan(source, skip_bad_rows=skip_bad_rows)
    held, sealed = _kinds_of(table)
    if missing := [kind for kind in kinds or () if kind not in held]:
        has = "keeps for evaluation every rewrite" if missing[0] in sealed else "holds no rewrite"
        raise ConfigError(
            f"{spec} {has} of the kind {missing[0]!r}", hint=f"the kinds that it holds: {', '.join(held) or 'none'}"
        )
    wanted = held if kinds is None else tuple(dict.fromkeys(kinds))
    shown = (", ".join(wanted) or "none") + (f"; for evaluation only: {', '.join(sealed)}" if sealed else "")
    return VariantSource(
        count=report.problems if limit is None else min(report.problems, limit),
        kinds=wanted,
        sha256=table.fingerprint(),
        description={"spec": spec, "name": table.name, "problems": report.problems, "built": True, **_origin(spec)},
        notices=(f"{table.name}: a built dataset, rewrites of the kinds {shown}.", *report.notices()),
        problems=partial(_read, source, table, frozenset(wanted), limit),
    )


def _built_table(source: str, split: str | None, config_name: str | None) -> Table | None:
    """The rows of a built dataset; None where `source` names problems without rewrites."""
    if source.startswith(BUILTIN_PREFIX):
        return None
    folder = Path(source).expanduser()
    if (folder / MANIFEST_NAME).exists() or (folder / JOURNAL_NAME).exists():
        require_dataset(folder)
    table = open_table(source, split=split, config_name=config_name)
    first = next((found for found in table.rows() if isinstance(found, Row)), None)
    return table if first is not None and is_built(first.fields) else None


def _kinds_of(table: Table) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Every kind of semifactual, and every kind of evaluation variant, in the order of first sight.

    Raises:
        SourceError: a row is not one of a built dataset.
    """
    held: dict[str, None] = {}
    sealed: dict[str, None] = {}
    for found in table.rows():
        if isinstance(found, Row):
            entries, variants = found.fields.get("semifactuals"), found.fields.get("evaluation_variants") or []
            if not (is_built(found.fields) and _are_rewrites(entries) and _are_rewrites(variants)):
                raise SourceError(f"{found.place} is no row of a built dataset", hint="mend the row, or leave it out")
            held.update(dict.fromkeys(entry["kind"] for entry in entries))
            sealed.update(dict.fromkeys(entry["kind"] for entry in variants))
    return tuple(held), tuple(sealed)


def _are_rewrites(entries: Any) -> TypeGuard[list[Record]]:
    return isinstance(entries, list) and all(map(_is_rewrite, entries))


def _is_rewrite(entry: Any) -> bool:
    match entry:
        case {"kind": str(kind), "text": str(text)}:
            return bool(kind and text.strip())
    return False


def _origin(spec: str) -> dict[str, Any]:
    """What the manifest of a dataset folder says of how the dataset was made."""
    path = Path(spec).expanduser() / MANIFEST_NAME
    if not path.is_file():
        return {}
    manifest = finished_manifest(path.parent) or {}
    source = manifest.get("source") or {}
    known = {
        "source": source.get("name"),
        **{key: manifest.get(key) for key in ("source_sha256", "seed", "semifactual")},
    }
    return {"dataset": known}


def _read(source: Source, table: Table, kinds: frozenset[str], limit: int | None, start: int = 0) -> Problems:
    return islice(_matched(source, table, kinds), start, limit)


def _matched(source: Source, table: Table, kinds: frozenset[str]) -> Problems:
    """The problems that a scan let through, each with the rewrites of its row."""
    rows = (found.fields for found in table.rows() if isinstance(found, Row))
    for problem in problems(source):
        fields = next(fields for fields in rows if (fields["id"], fields["problem"]) == (problem.id, problem.text))
        yield _variant_problem(problem, fields, kinds)


def _made(config: BuildConfig) -> VariantSource:
    plan = plan_of(config)
    source = open_problems(config)
    identity = to_json(identity_of(config, source))
    return VariantSource(
        count=source.count,
        kinds=tuple(kind for kind in plan.kinds if kind not in plan.sealed),
        sha256=hashlib.sha256(identity.encode("utf-8", "backslashreplace")).hexdigest(),
        description={**source.description, "built": False},
        notices=(*source.notices, f"Rewrites are made by rules on the fly: {', '.join(plan.kinds)}."),
        problems=partial(_make, source, plan),
    )


def _make(source: ProblemSource, plan: Plan, start: int = 0) -> Problems:
    for problem in islice(source.problems(), start, None):
        yield _variant_problem(problem, row(problem, plan)["record"], frozenset(plan.kinds))


def _variant_problem(problem: Problem, record: Record, kinds: frozenset[str]) -> VariantProblem:
    """The problem with the rewrites of its row, which has the columns of schema 1."""
    entries = tuple(entry for entry in record["semifactuals"] if entry["kind"] in kinds)
    return VariantProblem(
        id=problem.id,
        text=problem.text,
        answer=problem.answer,
        metadata=problem.metadata,
        semifactuals=tuple((entry["kind"], entry["text"]) for entry in entries),
        evaluation_variants=_answered(record.get("evaluation_variants")),
        counterfactuals=_answered(record.get("counterfactuals")),
        source=problem.source,
        entries=entries,
    )


def _answered(entries: list[Record] | None) -> tuple[AnsweredVariant, ...]:
    return tuple(AnsweredVariant(entry["kind"], entry["text"], entry["answer"]) for entry in entries or ())
