"""`semifactual drift`: how much a model's tokens move under semifactual prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .console import JsonFlag, print_json, print_table, printable
from .model_runs import RunOption, count, option_names, print_beginning, print_notices, resumable, told

if TYPE_CHECKING:
    from semifactual.drift.chunked import RunReport


def drift(
    source: RunOption.Source,
    model: RunOption.Model,
    out: RunOption.Out,
    samples: Annotated[int | None, typer.Option(help="How many responses to generate for each problem. [8]")] = None,
    limit: RunOption.Limit = None,
    kinds: Annotated[str | None, typer.Option(help="Score only these kinds, with commas.")] = None,
    responses: Annotated[
        str | None, typer.Option(help="Score the responses of this file (problem_id, text) instead of generating.")
    ] = None,
    temperature: Annotated[float | None, typer.Option(help="Of generation; 0 is greedy. [1.0]")] = None,
    top_p: RunOption.TopP = None,
    max_new_tokens: Annotated[int | None, typer.Option(help="The longest response to generate. [512]")] = None,
    seed: RunOption.Seed = None,
    prompt: RunOption.Prompt = None,
    chat: RunOption.Chat = None,
    dtype: RunOption.Dtype = None,
    device: RunOption.Device = None,
    attention: RunOption.Attention = None,
    tokens_per_batch: RunOption.TokensPerBatch = None,
    revision: RunOption.Revision = None,
    split: RunOption.Split = None,
    config_name: RunOption.ConfigName = None,
    problem_field: RunOption.ProblemField = None,
    answer_field: RunOption.AnswerField = None,
    id_field: RunOption.IdField = None,
    resamples: RunOption.Resamples = None,
    skip_bad_rows: RunOption.SkipBadRows = None,
    json: JsonFlag = False,
) -> None:
    """How much a model's tokens move under semifactual prompts. Tables, plots, a report; the same command resumes."""
    given = dict(locals())  # before any other name is bound: the parameters, named as the config's options are
    from semifactual.drift.config import COMMAND, DriftConfig, load_config
    from semifactual.drift.inputs import open_inputs

    with option_names(COMMAND):
        config = load_config({name: given[name] for name in DriftConfig.model_fields})
    with resumable():
        inputs = open_inputs(config, out, COMMAND)  # a wrong name or path is told before torch is imported
        if not json:
            print_notices(inputs.notices)
        with told(quiet=json) as hearer:
            hearer.stage("importing torch")
            from semifactual.drift.run import measure_drift

            report = measure_drift(config, out, inputs=inputs, on_progress=hearer.progress, on_stage=hearer.stage)
    if json:
        found = {"found_finished": report.found_finished, "resumed_at": report.resumed_at}
        print_json({"out": str(out), **found, **report.summary})
    else:
        _print_report(report)


def _print_report(report: RunReport) -> None:
    summary = report.summary
    print_beginning(report)
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
    things = [count(counts[f"{noun}s"], noun) for noun in ("response", "problem", "token")]
    parts = ["{} to {}, {}".format(*things)]
    parts.append(f"{summary['accuracy']:.1%} right")
    if counts["truncated"]:
        parts.append(f"{counts['truncated']:,} cut off")
    parts.append(f"{1 - drift['share_zero']:.1%} of the tokens moved")
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
