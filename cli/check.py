"""`semifactual check`: verdicts on rewrites that anyone made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from semifactual.errors import ConfigError
from semifactual.validate.verdict import Mode

from .asking import AskOption
from .check_view import print_report
from .console import JsonFlag, print_json, print_news, progress


def check(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file of problems and rewrites, or a built dataset folder.")
    ],
    out: Annotated[Path | None, typer.Option(help="Write one verdict a row to this .jsonl file.")] = None,
    mode: Annotated[
        Mode, typer.Option(help="frozen compares bytes; semantic compares values and roles.")
    ] = Mode.FROZEN,
    kind: Annotated[str | None, typer.Option(metavar="K", help="The kind of all rows, whatever a row says.")] = None,
    problem_field: Annotated[str | None, typer.Option(help="The field that holds the problem.")] = None,
    rewrite_field: Annotated[str | None, typer.Option(help="The field that holds the rewrite.")] = None,
    kind_field: Annotated[str | None, typer.Option(help="The field that holds the kind.")] = None,
    answer_field: Annotated[str | None, typer.Option(help="The field that holds the answer.")] = None,
    by: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Count the verdicts by the values of this field.")
    ] = None,
    label_field: Annotated[
        str | None, typer.Option(help="The field that says whether a rewrite keeps the problem; rates come with it.")
    ] = None,
    keeps: Annotated[
        list[str] | None, typer.Option(metavar="VALUE", help="A label that means kept; as often as needed.")
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option(metavar="VALUE", help="A label that means changed; as often as needed.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="PAGE.html", help="Write a page of all that disagrees, or was rejected.")
    ] = None,
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
    from semifactual.pipeline.labels import LabelOptions
    from semifactual.pipeline.llm_options import LlmOptions
    from semifactual.pipeline.pair_fields import PairFields

    asked = {name: given[name] for name in LlmOptions.model_fields if given[name] is not None}
    options = validated(LlmOptions, asked)
    if (keeps or changes) and label_field is None:
        raise ConfigError("--keeps and --changes say what labels mean, and no --label-field is named")
    with progress("checking") as on_progress:
        report = check_source(
            file,
            out,
            fields=PairFields.named(
                problem_field, rewrite_field, kind_field, answer_field, every_kind=kind, by=by, label=label_field
            ),
            mode=mode,
            labels=LabelOptions(keeps or (), changes or ()),
            page=html,
            skip_bad_rows=skip_bad_rows,
            workers=workers,
            options=options,
            on_progress=on_progress,
            on_news=print_news,
        )
    written = {name: None if path is None else str(path) for name, path in (("out", out), ("html", html))}
    if json:
        print_json({**report.to_json(), **written})
    else:
        print_report(report, written)
    if fail_on_reject and report.rejected:
        raise typer.Exit(1)
