"""Runs that work on a source's problems chunk by chunk into a journal, so that a killed one goes on where it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from semifactual.answers import Verifier
from semifactual.drift.begun import SUMMARY, lasting
from semifactual.drift.inputs import Inputs
from semifactual.errors import OutputError
from semifactual.pipeline.journal import Journal
from semifactual.pipeline.records import to_json
from semifactual.pipeline.variants import VariantProblem
from semifactual.pipeline.workers import batches

PROBLEMS_PER_CHUNK = 16
"""Problems that are worked on together. A killed run loses the chunk in flight; smaller ones would make worse batches.
It decides the batches, so it is a constant."""

Progress: TypeAlias = Callable[[int, int], None]
"""Told how many problems of how many are finished."""

Stage: TypeAlias = Callable[[str], None]
"""Told in a few words what is being done."""

Work: TypeAlias = Callable[[Sequence[VariantProblem]], dict[str, Any]]
"""From a chunk of problems to its row in the journal."""


def silent(words: str) -> None:
    """Tell nobody what is being done."""


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run did."""

    out: Path
    summary: dict[str, Any]
    notices: tuple[str, ...] = ()
    """What a user should hear before the results."""
    resumed_at: int = 0
    """How many problems an earlier, interrupted run had finished."""
    found_finished: bool = False
    """The folder held this very run already, so nothing was done."""


class Possible(Protocol):
    """A run that was found possible, before any work."""

    @property
    def identity(self) -> dict[str, Any]:
        """What decides its numbers."""


Prepared = TypeVar("Prepared", bound=Possible)


def run_in_chunks(
    inputs: Inputs,
    prepare: Callable[[], Prepared],
    work: Callable[[Prepared, Verifier], Work],
    assemble: Callable[[Prepared, Journal], dict[str, Any]],
    *,
    payload: Sequence[str],
    on_progress: Progress = lambda done, total: None,
    on_stage: Stage = silent,
) -> RunReport:
    """Do what is left of a run in its folder, or find it finished.

    Args:
        inputs: what the run reads; the order of the source's problems alone decides what stands in each chunk.
        prepare: looks at everything else that the run needs and writes nothing.
        assemble: makes the files of the folder from a complete journal, the summary last, removes the journal, and
            returns the summary.
        payload: the files that a finished run has beside its summary.

    Raises:
        OutputError: the folder was begun with other settings, lost a file, or cannot be written.
    """
    begun, source = inputs.begun, inputs.source
    prepared = prepare()
    begun.refuse(prepared.identity)
    if begun.finished is not None:
        _require_whole(begun.out, payload)
        Journal.of(begun.out).remove()  # still there if a run was killed between its last two steps
        return RunReport(begun.out, begun.finished, inputs.notices, found_finished=True)
    with closing(Journal.open(begun.out, begun.before or lasting(prepared.identity))) as journal:

        def finished_problems() -> int:
            return min(journal.finished * PROBLEMS_PER_CHUNK, source.count)

        resumed_at = finished_problems()
        on_progress(resumed_at, source.count)
        with Verifier() as verifier:
            row = work(prepared, verifier)
            for chunk in batches(source.problems(start=journal.finished * PROBLEMS_PER_CHUNK), PROBLEMS_PER_CHUNK):
                journal.append([to_json(row(chunk))])
                on_progress(finished_problems(), source.count)
        on_stage("writing the report")
        summary = assemble(prepared, journal)
    return RunReport(begun.out, summary, inputs.notices, resumed_at)


def _require_whole(out: Path, payload: Sequence[str]) -> None:
    if missing := [name for name in payload if not (out / name).is_file()]:
        raise OutputError(
            f"{out} has a {SUMMARY}, but lacks {', '.join(missing)}",
            hint="bring back what is missing, or delete the folder and run the same command again",
        )
