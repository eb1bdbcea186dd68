"""`semifactual decode`: d-filtered decoding beside plain sampling and greedy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .console import JsonFlag, print_json, print_table, printable
from .model_runs import RunOption, count, option_names, print_beginning, print_notices, resumable, told

if TYPE_CHECKING:
    from semifactual.drift.chunked import RunReport


def decode(
    source: RunOption.Source,
    model: RunOption.Model,
    out: RunOption.Out,
    cap: Annotated[
        float | None, typer.Option(help="The most probability that the filter may mask at a step. [0.8]")
    ] = None,
    kinds: Annotated[str | None, typer.Option(help="Filter by these kinds of rewrites only, with commas.")] = None,
    samples: Annotated[int | None, typer.Option(help="How many responses to draw for each problem. [8]")] = None,
    limit: RunOption.Limit = None,
    temperature: Annotated[float | None, typer.Option(help="Of plain and d-filtered sampling. [1.0]")] = None,
    top_p: RunOption.TopP = None,
    max_new_tokens: Annotated[int | None, typer.Option(help="The longest response. [512]")] = None,
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
    """d-filtered decoding beside plain sampling and greedy. Paired on the same problems; the same command resumes."""
    given = dict(locals())  # before any other name is bound: the parameters, named as the config's options are
    from semifactual.drift.inputs import open_inputs
    from semifactual.evaluation.decoding_config import COMMAND, DecodeConfig, load_config

    with option_names(COMMAND):
        config = load_config({name: given[name] for name in DecodeConfig.model_fields})
    with resumable():
        inputs = open_inputs(config, out, COMMAND)  # a wrong name or path is told before torch is imported
        if not json:
            print_notices(inputs.notices)
        with told(quiet=json) as hearer:
            hearer.stage("importing torch")
            from semifactual.evaluation.decoding import compare_decoding

            report = compare_decoding(config, out, inputs=inputs, on_progress=hearer.progress, on_stage=hearer.stage)
    if json:
        found = {"found_finished": report.found_finished, "resumed_at": report.resumed_at}
        print_json({"out": str(out), **found, **report.summary})
    else:
        _print_report(report)


def _print_report(report: RunReport) -> None:
    summary = report.summary
    print_beginning(report)
    print(f"{count(summary['counts']['problems'], 'problem')}, {count(summary['config']['samples'], 'sample')} each")
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
        f"{of_filter['share_rejected']:.2%} of {count(of_filter['proposals'], 'proposal')} rejected; "
        f"{count(of_filter['responses_unchanged'], 'd-filtered response')} equal to plain sampling"
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
