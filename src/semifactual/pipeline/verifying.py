"""Verdicts on a file of answers: one case a row in, one verdict a row out, in the same order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from semifactual.answers import Outcome, Verdict, Verifier
from semifactual.answers.limits import MAX_RESPONSE
from semifactual.errors import SourceError
from semifactual.pipeline.output import refuse_overwriting, write_rows
from semifactual.sources.readers import open_table
from semifactual.sources.rows import BadRow, Row, Table

SHOWN_FAULTS = 3
IN_FLIGHT = 64
GOLD_FIELDS = ("gold", "reference")
ANSWER_FIELDS = ("answer", "prediction", "response")


class CaseMode(StrEnum):
    """What a case's answer is."""

    ANSWER = "answer"
    """The answer itself, as it stands in a box."""
    RESPONSE = "response"
    """A whole model response: the answer is extracted first."""


@dataclass(frozen=True, slots=True)
class Case:
    """Two answers to compare."""

    id: str
    gold: str
    answer: str
    mode: CaseMode = CaseMode.ANSWER


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What the verification of many cases found."""

    cases: int
    outcomes: dict[str, int]
    methods: dict[str, int]
    unverifiable_golds: tuple[str, ...]
    """Ids of cases whose gold does not even verify against itself: nobody can be right there."""
    skipped: int = 0
    """Rows that could not be used and were left out on request."""

    @property
    def unequal(self) -> int:
        """How many cases are not equal, for whatever reason."""
        return self.cases - self.outcomes.get(Outcome.EQUAL, 0)


def verify_file(
    source: str,
    out: Path | None = None,
    *,
    verifier: Verifier,
    workers: int = 1,
    skip_bad_rows: bool = False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> VerifyReport:
    """Compare the two answers of every row, `workers` at a time, and write the verdicts to `out` where it is given.

    A row has `gold`, `answer` (or `prediction`, `response`), and may have `id`, `mode` and, in place of a long answer,
    `expand`: pairs of a text and how often it is repeated. All rows are looked at before the first verdict.

    Raises:
        SourceError: the file cannot be read, or has rows that cannot be used.
        OutputError: `out` is the source, or the verdicts cannot be written; an older file at `out` is then untouched.
    """
    table = open_table(source)
    refuse_overwriting(out, table.files)
    total, skipped = _scan(table, skip_bad_rows)
    cases = (case for case in _cases(table) if isinstance(case, Case))
    outcomes, methods, bad_golds = Counter[str](), Counter[str](), []
    for row in write_rows(_in_order(partial(_verdict_row, verifier), cases, workers), out):
        outcomes[row["outcome"]] += 1
        methods[row["method"]] += 1
        if row["gold_is_bad"]:
            bad_golds.append(row["id"])
        on_progress(outcomes.total(), total)
    return VerifyReport(total, dict(sorted(outcomes.items())), dict(sorted(methods.items())), tuple(bad_golds), skipped)


def _in_order(
    function: Callable[[Case], dict[str, Any]], cases: Iterator[Case], workers: int
) -> Iterator[dict[str, Any]]:
    """The results in the order of the cases, with a bounded number of cases in flight."""
    with ThreadPoolExecutor(workers) as threads:
        waiting: list[Future[dict[str, Any]]] = [threads.submit(function, case) for case in islice(cases, IN_FLIGHT)]
        while waiting:
            yield waiting.pop(0).result()
            waiting += [threads.submit(function, case) for case in islice(cases, 1)]


def _verdict_row(verifier: Verifier, case: Case) -> dict[str, Any]:
    if case.mode is CaseMode.RESPONSE:
        verdict = verifier.grade(case.gold, case.answer).verdict
    else:
        verdict = verifier.equivalent(case.gold, case.answer)
    return {
        "id": case.id,
        **verdict_fields(verdict),
        "gold_is_bad": not verdict.equal and not verifier.check_gold(case.gold).equal,
    }


def verdict_fields(verdict: Verdict) -> dict[str, Any]:
    """A verdict as `verify` writes it."""
    return {
        "equivalent": verdict.equal,
        "outcome": verdict.outcome.value,
        "method": verdict.method.value,
        "reason": verdict.reason,
        "gold_form": verdict.gold_form,
        "answer_form": verdict.answer_form,
        "ms": round(verdict.milliseconds, 3),
    }


def _scan(table: Table, skip_bad_rows: bool) -> tuple[int, int]:
    """How many rows can be used, and how many cannot. Raises SourceError for bad rows that are not to be skipped."""
    count, bad = 0, []
    for case in _cases(table):
        if isinstance(case, BadRow):
            bad.append(case)
        else:
            count += 1
    if bad and not skip_bad_rows:
        shown = "; ".join(str(row).rstrip(".") for row in bad[:SHOWN_FAULTS])
        more = f"; and {len(bad) - SHOWN_FAULTS:,} more" if len(bad) > SHOWN_FAULTS else ""
        raise SourceError(f"{shown}{more}", hint="mend the rows, or leave them out with --skip-bad-rows")
    if not count:
        raise SourceError(f"{table.name} holds no case to verify", hint="a row needs a gold and an answer")
    return count, len(bad)


def _cases(table: Table) -> Iterator[Case | BadRow]:
    for number, row in enumerate(table.rows()):
        yield row if isinstance(row, BadRow) else _case(row, number)


def _case(row: Row, number: int) -> Case | BadRow:
    fields = row.fields
    gold, answer = _first(fields, GOLD_FIELDS), _answer(fields)
    if gold is None or answer is None:
        return BadRow(row.place, f"has no usable {'gold' if gold is None else 'answer'}")
    mode = fields.get("mode") or CaseMode.ANSWER
    if mode not in list(CaseMode):
        return BadRow(row.place, f"has the unknown mode {mode!r}")
    return Case(str(fields.get("id", number)), gold, answer, CaseMode(mode))


def _first(fields: dict[str, Any], names: tuple[str, ...]) -> str | None:
    value = next((fields[name] for name in names if fields.get(name) is not None), None)
    return None if value is None or isinstance(value, dict | list) else str(value)


def _answer(fields: dict[str, Any]) -> str | None:
    match fields.get("expand"):
        case None:
            return _first(fields, ANSWER_FIELDS)
        case [*pairs] if all(_is_run(pair) for pair in pairs):
            if sum(len(text) * count for text, count in pairs) <= MAX_RESPONSE:
                return "".join(text * count for text, count in pairs)
    return None


def _is_run(pair: Any) -> bool:
    match pair:
        case [str(), int(count)]:
            return count >= 0
    return False
