"""`semifactual decode`: d-filtered decoding beside plain sampling and greedy."""

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
    from semifactual.evaluation.decoding import DecodeReport
    from semifactual.evaluation.decoding_config import DecodeConfig


def decode(
    source: Annotated[
        str,
        typer.Argument(metavar="DIR", help="A built dataset, or a source: rewrites are then made on the fly."),
    ],
    model: Annotated[str, typer.Option(help="builtin:tiny, a local folder, or a Hub id.")],
    out: Annotated[Path, typer.Option(help="The run folder to make, or to go on with.")],
    cap: Annotated[
        float | None, typer.Option(help="The most probability that the filter may mask at a step. [0.8]")
    ] = None,
    kinds: Annotated[str | None, typer.Option(help="Filter by these kinds of rewrites only, with commas.")] = None,
    samples: Annotated[int | None, typer.Option(help="How many responses to draw for each problem. [8]")] = None,
    limit: Annotated[int | None, typer.Option(help="Take only the first so many problems.")] = None,
    temperature: Annotated[float | None, typer.Option(help="Of plain and d-filtered sampling. [1.0]")] = None,
    top_p: Annotated[
        float | None, typer.Option(help="Draw from the smallest set of tokens with this probability. [1.0]")
    ] = None,
    max_new_tokens: Annotated[int | None, typer.Option(help="The longest response. [512]")] = None,
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
    """d-filtered decoding beside plain sampling and greedy. Paired on the same problems; the same command resumes."""
    given = dict(locals())  # before any other name is bound: the parameters, named as the config's options are
    from semifactual.evaluation.decoding_config import DecodeConfig, load_config

    config = load_config({name: given[name] for name in DecodeConfig.model_fields})
    report = _run(config, out)
    if json:
        found = {"found_finished": report.found_finished, "resumed_at": report.resumed_at}
        print_json({"out": str(out), **found, **report.summary})
    else:
        _print_report(report)


def _run(config: DecodeConfig, out: Path) -> DecodeReport:
    from semifactual.evaluation.decoding import compare_decoding

    keep_libraries_quiet()
    try:
        with progress("decoding") as on_progress:
            return compare_decoding(config, out, on_progress=on_progress)
    except KeyboardInterrupt:
        print_error("interrupted; finished problems are kept", "run the same command again to go on")
        raise typer.Exit(INTERRUPTED) from None


def _print_report(report: DecodeReport) -> None:
    summary = report.summary
    for notice in report.notices:
        print(printable(notice))
    if report.found_finished:
        print(printable(f"{report.out} holds this run already; nothing to do"))
    elif report.resumed_at:
        print(f"resumed behind {report.resumed_at:,} finished problems")
    print(f"{summary['counts']['problems']:,} problems, {summary['config']['samples']:,} samples each")
    print()
    methods = [
        [name, _percent(one["accuracy"]), _interval(one["interval"]), one["responses"], one["truncated"]]
        for name, one in summary["methods"].items()
    ]
    print_table(["method", "right", "95 % interval", "responses", "cut off"], methods)
    print()
    print_table(
        ["from", "to", "difference", "95 % interval", "turned right", "turned wrong"],
        [_difference_row(one) for one in summary["differences"]],
    )
    print()
    of_filter = summary["filter"]
    print(
        f"{of_filter['share_rejected']:.2%} of {of_filter['proposals']:,} proposals were rejected; "
        f"{of_filter['responses_unchanged']:,} d-filtered responses are those of plain sampling"
    )
    for warning in summary["warnings"]:
        print(printable(f"note: {warning}"))
    print(printable(f"responses in {report.out / 'decode.jsonl'}"))


def _difference_row(found: dict[str, Any]) -> list[object]:
    change = f"{found['mean']:+.1%}"
    counts = [found["turned_right"], found["turned_wrong"]]
    return [found["from"], found["to"], change, _interval(found["interval"], "+"), *counts]


def _percent(share: float) -> str:
    return f"{share:.1%}"


def _interval(bounds: list[float] | None, sign: str = "") -> str:
    return "-" if bounds is None else " to ".join(f"{bound:{sign}.1%}" for bound in bounds)
