"""`semifactual build`: from a source of problems to a dataset folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semifactual.errors import ConfigError

from .console import INTERRUPTED, JsonFlag, print_error, print_json, print_table, printable, progress

if TYPE_CHECKING:
    from semifactual.pipeline.build import BuildReport
    from semifactual.pipeline.config import BuildConfig

PREVIEW_ROWS = 5


def build(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="SOURCE", help="builtin:NAME, a .jsonl/.json/.csv/.parquet file, a dataset folder, or a Hub id."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The dataset folder to make, or to go on with.")] = None,
    config: Annotated[Path | None, typer.Option(help="A YAML file of options; options given here go over it.")] = None,
    kinds: Annotated[str | None, typer.Option(help="The kinds to make, with commas: paraphrase,typo_noise.")] = None,
    per_kind: Annotated[int | None, typer.Option(help="How many rewrites of each kind a problem gets.")] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of every random choice.")] = None,
    limit: Annotated[int | None, typer.Option(help="Take only the first so many problems.")] = None,
    workers: Annotated[
        int | None, typer.Option(help="How many processes work at once; the bytes stay the same.")
    ] = None,
    require_all: Annotated[
        bool | None, typer.Option("--require-all", help="Drop problems that lack a rewrite of some kind.")
    ] = None,
    skip_bad_rows: Annotated[
        bool | None, typer.Option("--skip-bad-rows", help="Leave out and count rows that cannot be used.")
    ] = None,
    counterfactuals: Annotated[
        int | None, typer.Option(help="Answer-changing versions a problem; builtin sources only.")
    ] = None,
    answer_check: Annotated[
        str | None, typer.Option(help="The least known of an answer: unknown, agreed or rederived.")
    ] = None,
    split: Annotated[str | None, typer.Option(help="The split of a Hub id or dataset folder.")] = None,
    config_name: Annotated[str | None, typer.Option(help="The configuration of a Hub id.")] = None,
    problem_field: Annotated[str | None, typer.Option(help="The field that holds the problem.")] = None,
    answer_field: Annotated[str | None, typer.Option(help="The field that holds the answer.")] = None,
    id_field: Annotated[
        str | None, typer.Option(help="The field that holds a row's id; none to number the rows.")
    ] = None,
    license: Annotated[str | None, typer.Option(help="The source's licence, for the data card.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help=f"Print the first {PREVIEW_ROWS} rows and write nothing.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Make checked rewrites of every problem, as a Hugging Face dataset. The same command resumes a broken-off run."""
    given = dict(locals())  # before any other name is bound: the parameters, named as the config's options are
    from semifactual.pipeline.config import BuildConfig, load_config

    resolved = load_config(config, {name: given[name] for name in BuildConfig.model_fields})
    if dry_run:
        _print_preview(resolved, json)
    elif out is None:
        raise ConfigError("build needs a folder to write to", hint="add --out DIR, or --dry-run to only look")
    else:
        _print_report(_run(resolved, out), json)


def _run(config: BuildConfig, out: Path) -> BuildReport:
    from semifactual.pipeline.build import build as run_build

    try:
        with progress("rewriting") as on_progress:
            return run_build(config, out, on_progress=on_progress)
    except KeyboardInterrupt:
        print_error("interrupted; finished rows are kept", "run the same command again to go on")
        raise typer.Exit(INTERRUPTED) from None


def _print_report(report: BuildReport, as_json: bool) -> None:
    counts, source = report.manifest["counts"], report.manifest["source"]
    if as_json:
        print_json(
            {
                "out": str(report.out),
                "found_finished": report.found_finished,
                "resumed_at": report.resumed_at,
                "source": source,
                "counts": counts,
            }
        )
        return
    for notice in report.notices:
        print(printable(notice))
    if report.found_finished:
        print(printable(f"{report.out} holds this dataset already; nothing to do"))
    elif report.resumed_at:
        print(f"resumed behind {report.resumed_at:,} finished problems")
    headings = ["kind", "rewrites", "coverage", "rejected", "most often failed"]
    print_table(headings, [_kind_row(kind, of_kind, counts["rows"]) for kind, of_kind in counts["kinds"].items()])
    if not any(of_kind["valid"] for of_kind in counts["kinds"].values()):
        bar = report.manifest["config"]["answer_check"]
        print(f"no rewrite entered the dataset; the bar for answers was --answer-check {bar}")
    if counts["counterfactuals"]:
        print(f"{counts['counterfactuals']:,} counterfactuals, as a control")
    dropped = counts["dropped_by_require_all"]
    print(printable(f"{counts['rows']:,} rows in {report.out}" + (f"; {dropped:,} dropped" if dropped else "")))


def _kind_row(kind: str, counts: dict[str, Any], rows: int) -> list[object]:
    coverage = f"{counts['problems_covered'] / rows:.1%}" if rows else "-"
    often = max(counts["failed_checks"].items(), key=lambda item: item[1], default=("", 0))[0]
    return [kind, counts["valid"], coverage, counts["rejected"], often]


def _print_preview(config: BuildConfig, as_json: bool) -> None:
    from semifactual.pipeline.build import preview
    from semifactual.pipeline.rewriting import kinds_without

    rows = preview(config, PREVIEW_ROWS)
    if as_json:
        print_json({"rows": [row["record"] for row in rows]})
        return
    for row in rows:
        record = row["record"]
        print(printable(f"{record['id']} (answer {record['answer']})\n  problem: {record['problem']}"))
        for entry in record["semifactuals"]:
            print(printable(f"  {entry['kind']}: {entry['text']}"))
        for kind in kinds_without(row):
            print(printable(f"  {kind}: none"))
        print()
