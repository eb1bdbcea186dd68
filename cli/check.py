"""`semifactual check`: verdicts on rewrites that anyone made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from semifactual.validate.verdict import Mode

from .asking import AskOption
from .console import JsonFlag, print_json, print_news, print_table, printable, progress
from .spending import print_failures, spending

if TYPE_CHECKING:
    from semifactual.pipeline.checking import CheckReport

SHOWN_CHECKS = 3


def check(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file of problems and rewrites, or a built dataset folder.")
    ],
    out: Annotated[Path | None, typer.Option(help="Write one verdict a row to this .jsonl file.")] = None,
    mode: Annotated[
        Mode, typer.Option(help="frozen compares bytes; semantic compares values and roles.")
    ] = Mode.FROZEN,
    kind: Annotated[str | None, typer.Option(help="The kind of all rows, whatever a row says.")] = None,
    problem_field: Annotated[str | None, typer.Option(help="The field that holds the problem.")] = None,
    rewrite_field: Annotated[str | None, typer.Option(help="The field that holds the rewrite.")] = None,
    kind_field: Annotated[str | None, typer.Option(help="The field that holds the kind.")] = None,
    answer_field: Annotated[str | None, typer.Option(help="The field that holds the answer.")] = None,
    workers: Annotated[int | None, typer.Option(help="How many processes work at once.", min=1)] = None,
    skip_bad_rows: Annotated[
        bool, typer.Option("--skip-bad-rows", help="Leave out and count rows that cannot be used.")
    ] = False,
    fail_on_reject: Annotated[
        bool, typer.Option("--fail-on-reject", help="Exit with 1 if any rewrite is rejected.")
    ] = False,
    judge: AskOption.Judge = None,
    solver: AskOption.Solver = None,
    votes: AskOption.Votes = None,
    temperature: AskOption.Temperature = None,
    reply_tokens: AskOption.ReplyTokens = None,
    extra_body: AskOption.ExtraBody = None,
    api_key_env: AskOption.ApiKeyEnv = None,
    concurrency: AskOption.Concurrency = None,
    timeout: AskOption.Timeout = None,
    attempts: AskOption.Attempts = None,
    rpm: AskOption.Rpm = None,
    tpm: AskOption.Tpm = None,
    max_cost: Annotated[float | None, typer.Option(help="Stop before it costs more.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Stop before it uses more.")] = None,
    cache: Annotated[Path | None, typer.Option(help="The file that keeps every reply.")] = None,
    prices: Annotated[Path | None, typer.Option(help="A price table of your own, in YAML.")] = None,
    json: JsonFlag = False,
) -> None:
    """Verdicts with evidence on rewrites that anyone made."""
    given = dict(locals())  # before any other name is bound: the parameters, named as the options are
    from semifactual.pipeline.checking import check_source
    from semifactual.pipeline.config import validated
    from semifactual.pipeline.llm_options import LlmOptions
    from semifactual.pipeline.pairs import PairFields

    asked = {name: given[name] for name in LlmOptions.model_fields if given[name] is not None}
    options = validated(LlmOptions, asked)
    with progress("checking") as on_progress:
        report = check_source(
            file,
            out,
            fields=PairFields.named(problem_field, rewrite_field, kind_field, answer_field, every_kind=kind),
            mode=mode,
            skip_bad_rows=skip_bad_rows,
            workers=workers,
            options=options,
            on_progress=on_progress,
            on_news=print_news,
        )
    _print_report(report, out, json)
    if fail_on_reject and report.rejected:
        raise typer.Exit(1)


def _print_report(report: CheckReport, out: Path | None, as_json: bool) -> None:
    if as_json:
        print_json({**report.to_json(), "out": None if out is None else str(out)})
        return
    headings = ["kind", "valid", "invalid", "unsure", "most often failed"]
    print_table(headings, [_kind_row(report, kind) for kind in report.outcomes])
    skipped = f"; {report.skipped:,} unusable rows left out" if report.skipped else ""
    refuted = report.valid + report.rejected - report.rows
    but = f", but the answer of {refuted:,} is refuted" if refuted else ""
    print(f"{report.valid:,} of {report.rows:,} rewrites are valid{but}{skipped}")
    if report.traffic is not None:
        asked = any(report.traffic["requests"].values())
        words = spending(report.traffic, report.traffic["currency"]) if asked else "no rewrite needed asking"
        print(f"models: {words}")
        print_failures(report.traffic)
    if out is not None:
        print(printable(f"verdicts in {out}"))


def _kind_row(report: CheckReport, kind: str) -> list[object]:
    outcomes = report.outcomes[kind]
    often = ", ".join(f"{name} {count}" for name, count in list(report.failed_checks[kind].items())[:SHOWN_CHECKS])
    return [kind, *(outcomes.get(name, 0) for name in ("valid", "invalid", "unsure")), often]
