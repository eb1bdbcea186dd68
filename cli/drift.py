"""`semifactual drift`: how much a model's tokens move under semifactual prompts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .console import (
    INTERRUPTED,
    JsonFlag,
    keep_libraries_quiet,
    print_error,
    print_json,
    print_table,
    printable,
    progress,
)

if TYPE_CHECKING:
    from semifactual.drift.config import DriftConfig
    from semifactual.drift.run import DriftReport


def drift(
    source: Annotated[
        str,
        typer.Argument(metavar="DIR", help="A built dataset, or a source: rewrites are then made on the fly."),
    ],
    model: Annotated[str, typer.Option(help="builtin:tiny, a local folder, or a Hub id.")],
    out: Annotated[Path, typer.Option(help="The run folder to make, or to go on with.")],
    samples: Annotated[int | None, typer.Option(help="How many responses to generate for each problem. [8]")] = None,
    limit: Annotated[int | None, typer.Option(help="Take only the first so many problems.")] = None,
    kinds: Annotated[str | None, typer.Option(help="Score only these kinds, with commas.")] = None,
    responses: Annotated[
        str | None, typer.Option(help="Score the responses of this file (problem_id, text) instead of generating.")
    ] = None,
    temperature: Annotated[float | None, typer.Option(help="Of generation; 0 is greedy. [1.0]")] = None,
    top_p: Annotated[
        float | None, typer.Option(help="Draw from the smallest set of tokens with this probability. [1.0]")
    ] = None,
    max_new_tokens: Annotated[int | None, typer.Option(help="The longest response to generate. [512]")] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of every random choice. [0]")] = None,
    prompt: Annotated[
        str | None, typer.Option(help="A template in templates/prompts, or a file with {question}. [default]")
    ] = None,
    chat: Annotated[
        str | None, typer.Option(help="Use the model's chat template: auto, always or never. [auto]")
    ] = None,
    dtype: Annotated[str | None, typer.Option(help="auto, float32, bfloat16 or float16. [auto]")] = None,
    device: Annotated[str | None, typer.Option(help="auto, cpu, cuda or cuda:1. [auto]")] = None,
    attention: Annotated[str | None, typer.Option(help="auto, sdpa, eager or flash_attention_2. [auto]")] = None,
    tokens_per_batch: Annotated[
        int | None, typer.Option(help="How many tokens to work on at once; by the memory at hand if not given.")
    ] = None,
    revision: Annotated[str | None, typer.Option(help="The revision of a model's Hub id.")] = None,
    split: Annotated[str | None, typer.Option(help="The split of a dataset's Hub id or folder.")] = None,
    config_name: Annotated[str | None, typer.Option(help="The configuration of a dataset's Hub id.")] = None,
    problem_field: Annotated[str | None, typer.Option(help="The field that holds the problem.")] = None,
    answer_field: Annotated[str | None, typer.Option(help="The field that holds the answer.")] = None,
    id_field: Annotated[
        str | None, typer.Option(help="The field that holds a row's id; none to number the rows.")
    ] = None,
    resamples: Annotated[int | None, typer.Option(help="Bootstrap draws behind the intervals. [2000]")] = None,
    skip_bad_rows: Annotated[
        bool | None, typer.Option("--skip-bad-rows", help="Leave out and count rows that cannot be used.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """How much a model's tokens move under semifactual prompts. Tables, plots, a report; the same command resumes."""
    given = dict(locals())  # before any other name is bound: the parameters, named as the config's options are
    from semifactual.drift.config import DriftConfig, load_config

    config = load_config({name: given[name] for name in DriftConfig.model_fields})
    report = _run(config, out)
    if json:
        found = {"found_finished": report.found_finished, "resumed_at": report.resumed_at}
        print_json({"out": str(out), **found, **report.summary})
    else:
        _print_report(report)


def _run(config: DriftConfig, out: Path) -> DriftReport:
    from semifactual.drift.run import measure_drift

    keep_libraries_quiet()
    try:
        with progress("scoring") as on_progress:
            return measure_drift(config, out, on_progress=on_progress)
    except KeyboardInterrupt:
        print_error("interrupted; finished problems are kept", "run the same command again to go on")
        raise typer.Exit(INTERRUPTED) from None


def _print_report(report: DriftReport) -> None:
    summary = report.summary
    for notice in report.notices:
        print(printable(notice))
    if report.found_finished:
        print(printable(f"{report.out} holds this run already; nothing to do"))
    elif report.resumed_at:
        print(f"resumed behind {report.resumed_at:,} finished problems")
    print(_counts_line(summary))
    print()
    kinds = [_kind_row(kind, of_kind) for kind, of_kind in summary["kinds"].items()]
    overall = ["all", *_with_interval(summary["drift"]), _number(summary["noise_floor"]["mean"])]
    rows = [*kinds, [*overall, _number(summary["posix"]["mean"]), ""]]
    print_table(["kind", "drift", "95 % interval", "noise floor", "one-sided POSIX", "contrast"], rows)
    print()
    categories = [
        [name, f"{one['share']:.1%}", *_with_interval({"mean": one["drift"], "interval": one["interval"]}),
         "-" if one["relative"] is None else f"{one['relative']:.2f}"]
        for name, one in summary["categories"].items()
        if one["tokens"]
    ]  # fmt: skip
    print_table(["category", "share", "drift", "95 % interval", "of the mean"], categories)
    print()
    for warning in summary["warnings"]:
        print(printable(f"note: {warning}"))
    print(printable(f"report in {report.out / 'report.html'}"))


def _counts_line(summary: dict[str, Any]) -> str:
    counts, drift = summary["counts"], summary["drift"]
    parts = [f"{counts['responses']:,} responses to {counts['problems']:,} problems, {counts['tokens']:,} tokens"]
    parts.append(f"{summary['accuracy']:.1%} right")
    if counts["truncated"]:
        parts.append(f"{counts['truncated']:,} cut off")
    parts.append(f"{drift['share_zero']:.1%} of the tokens did not move at all")
    return "; ".join(parts)


def _kind_row(kind: str, found: dict[str, Any]) -> list[str]:
    drift = found["drift"]
    numbers = (found["noise_floor"], found["posix"]["mean"])
    return [kind, *_with_interval(drift), *map(_number, numbers), f"{found['contrast']['mean']:+.2g}"]


def _with_interval(found: dict[str, Any]) -> list[str]:
    interval = found["interval"]
    return [_number(found["mean"]), "-" if interval is None else " to ".join(map(_number, interval))]


def _number(value: float) -> str:
    """Three digits that matter, and an exponent only where zeros would hide them."""
    return f"{value:.2e}" if 0 < abs(value) < 1e-3 else f"{value:.4f}"
