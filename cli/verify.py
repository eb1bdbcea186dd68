"""`semifactual verify`: are two answers the same?"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from semifactual.errors import ConfigError

from .console import JsonFlag, print_json, print_table, printable, progress

if TYPE_CHECKING:
    from semifactual.answers import Verifier
    from semifactual.pipeline.verifying import VerifyReport

SHOWN_GOLDS = 5


def verify(
    gold: Annotated[
        str | None, typer.Argument(metavar="GOLD", help="The reference answer.", show_default=False)
    ] = None,
    answer: Annotated[
        str | None, typer.Argument(metavar="ANSWER", help="The answer to judge.", show_default=False)
    ] = None,
    file: Annotated[str | None, typer.Option(help="Rows with gold and answer, or prediction or response.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write one verdict a row to this .jsonl file.")] = None,
    tolerance: Annotated[str, typer.Option(help="A relative difference of numbers that still counts as equal.")] = "0",
    deadline: Annotated[float, typer.Option(help="Seconds that one verdict may take.", min=0.1)] = 3.0,
    workers: Annotated[int, typer.Option(help="How many cases are judged at once.", min=1)] = 2,
    skip_bad_rows: Annotated[
        bool, typer.Option("--skip-bad-rows", help="Leave out and count rows that cannot be used.")
    ] = False,
    fail_on_unequal: Annotated[
        bool, typer.Option("--fail-on-unequal", help="Exit with 1 if any answer is not equal to its gold.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Are two answers the same, and how is that known."""
    from semifactual.answers import Verifier

    try:
        verifier = Verifier(deadline=deadline, workers=workers, tolerance=tolerance)
    except (ValueError, ZeroDivisionError) as error:
        raise ConfigError(f"{tolerance!r} is no tolerance", hint="give a number of at least 0 and below 1") from error
    with verifier:
        if file is not None and gold is None:
            unequal = _verify_file(file, out, verifier, workers, skip_bad_rows, json)
        elif gold is not None and answer is not None and file is None and out is None:
            unequal = _verify_pair(gold, answer, verifier, json)
        else:
            raise ConfigError("verify needs either GOLD and ANSWER, or --file", hint="see `semifactual verify --help`")
    if fail_on_unequal and unequal:
        raise typer.Exit(1)


def _verify_pair(gold: str, answer: str, verifier: Verifier, as_json: bool) -> int:
    from semifactual.pipeline.verifying import verdict_fields

    verdict = verifier.equivalent(gold, answer)
    if as_json:
        print_json(verdict_fields(verdict))
    else:
        reason = f": {verdict.reason}" if verdict.reason else ""
        print(printable(f"{verdict.outcome.value.replace('_', ' ')} ({verdict.method.value}){reason}"))
        print(printable(f"gold    {verdict.gold_form}\nanswer  {verdict.answer_form}"))
    return int(not verdict.equal)


def _verify_file(
    file: str, out: Path | None, verifier: Verifier, workers: int, skip_bad_rows: bool, as_json: bool
) -> int:
    from semifactual.pipeline.verifying import verify_file

    with progress("verifying") as on_progress:
        report = verify_file(
            file, out, verifier=verifier, workers=workers, skip_bad_rows=skip_bad_rows, on_progress=on_progress
        )
    if as_json:
        print_json({**dataclasses.asdict(report), "unequal": report.unequal, "out": None if out is None else str(out)})
    else:
        _print_report(report, out)
    return report.unequal


def _print_report(report: VerifyReport, out: Path | None) -> None:
    print_table(["outcome", "cases"], list(report.outcomes.items()))
    skipped = f"; {report.skipped:,} unusable rows left out" if report.skipped else ""
    print(f"{report.cases - report.unequal:,} of {report.cases:,} answers are equal to their gold{skipped}")
    if report.unverifiable_golds:
        shown = ", ".join(report.unverifiable_golds[:SHOWN_GOLDS])
        print(printable(f"{len(report.unverifiable_golds):,} golds do not verify against themselves: {shown}"))
    if out is not None:
        print(printable(f"verdicts in {out}"))
