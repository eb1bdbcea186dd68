"""A build's view of its source: how many problems, what identifies them, and the problems themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from semifactual.pipeline.config import BuildConfig
from semifactual.sources.source import Source, open_source, problems, scan
from semifactual.types import Problem


@dataclass(frozen=True, slots=True)
class ProblemSource:
    """A source that was scanned to its end and found usable."""

    count: int
    """How many problems will be taken."""
    sha256: str
    """Changes whenever the problems may have changed."""
    description: dict[str, Any]
    """What the manifest says of the source."""
    notices: tuple[str, ...]
    """What a user should hear: guessed fields, instructions set apart, merged duplicates, skipped rows."""
    problems: Callable[[], Iterator[Problem]]
    """The problems in the source's order, from the start at each call."""


def open_problems(config: BuildConfig) -> ProblemSource:
    """Scan the source that `config` names.

    Raises:
        SourceError: it cannot be read, or has rows that cannot be used.
    """
    source = open_source(
        config.source,
        seed=config.seed,
        split=config.split,
        config_name=config.config_name,
        problem_field=config.problem_field,
        answer_field=config.answer_field,
        id_field=config.id_field,
    )
    report = scan(source, skip_bad_rows=config.skip_bad_rows)
    return ProblemSource(
        count=report.problems if config.limit is None else min(report.problems, config.limit),
        sha256=source.fingerprint(),
        description={
            "spec": config.source,
            "name": source.name,
            "rows": report.rows,
            "problems": report.problems,
            "duplicates_merged": report.duplicates,
            "bad_rows_skipped": report.bad_rows,
            "bad_rows_shown": [str(row) for row in report.shown],
            "prompt_formats": len(report.prompt_formats),
        },
        notices=(source.describe(), *report.notices()),
        problems=partial(_problems, source, config.limit),
    )


def _problems(source: Source, limit: int | None) -> Iterator[Problem]:
    return islice(problems(source), limit)
