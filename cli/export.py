"""`semifactual export`: a dataset in a trainer's schema."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .console import JsonFlag, print_json, printable, progress

if TYPE_CHECKING:
    from semifactual.publish.export import ExportReport


def export(
    source: Annotated[
        str,
        typer.Argument(metavar="DIR", help="A built dataset, or a source: rewrites are then made on the fly."),
    ],
    to: Annotated[str, typer.Option(help="The schema: trl, verl, easyr1, or long (a row a rewrite).")],
    out: Annotated[Path, typer.Option(help="The .parquet file to write; .jsonl serves trl and long too.")],
    prompt: Annotated[
        str | None,
        typer.Option(help="A prompt template's name or file, or source for each problem's own. [default: default]"),
    ] = None,
    style: Annotated[str | None, typer.Option(help="Prompts for trl as chat turns or as text. [default: chat]")] = None,
    kinds: Annotated[str | None, typer.Option(help="Only these kinds of rewrites, with commas.")] = None,
    limit: Annotated[int | None, typer.Option(help="Take only the first so many problems.")] = None,
    seed: Annotated[int, typer.Option(help="The seed of rewrites that are made on the fly.")] = 0,
    split: Annotated[str | None, typer.Option(help="The split of a Hub id or dataset folder.")] = None,
    config_name: Annotated[str | None, typer.Option(help="The configuration of a Hub id.")] = None,
    row_split: Annotated[str, typer.Option(help="What verl's rows call their split.")] = "train",
    json: JsonFlag = False,
) -> None:
    """The same data in a trainer's schema.

    Prompts and answers, and beside them the semifactuals in the same prompt format.
    """
    from semifactual.errors import ConfigError
    from semifactual.publish.export import export as run_export
    from semifactual.publish.prompting import Style

    if style is not None and style not in set(Style):
        raise ConfigError(f"there is no style {style!r} of prompts", hint="it can be chat or text")
    with progress("exporting") as on_progress:
        report = run_export(
            source,
            to,
            out,
            prompt=prompt,
            style=None if style is None else Style(style),
            row_split=row_split,
            on_progress=on_progress,
            kinds=None if kinds is None else tuple(kind.strip() for kind in kinds.split(",") if kind.strip()),
            limit=limit,
            seed=seed,
            split=split,
            config_name=config_name,
        )
    _print_report(report, json)


def _print_report(report: ExportReport, as_json: bool) -> None:
    reward = _reward_file(report.format)
    if as_json:
        counts = {"rows": report.rows, "problems": report.problems, "rewrites": report.rewrites}
        print_json(
            {
                "out": str(report.out),
                "to": report.format,
                **counts,
                "without_rewrites": report.without_rewrites,
                "reward_function": reward,
            }
        )
        return
    for notice in report.notices:
        print(printable(notice))
    if report.without_rewrites:
        print(f"{report.without_rewrites:,} problems have no rewrite; their lists are empty")
    print(printable(f"{report.rows:,} rows with {report.rewrites:,} rewrites in {report.out}"))
    if reward is not None:
        print(printable(f"reward function: {reward}"))


def _reward_file(to: str) -> str | None:
    """The reward function that this package ships for a trainer, as its settings want it named."""
    from importlib.resources import files

    name = {"verl": "verl_reward.py", "easyr1": "easyr1_reward.py"}.get(to)
    return None if name is None else f"{files('semifactual').joinpath('integrations', name)}:compute_score"
