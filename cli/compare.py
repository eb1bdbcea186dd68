"""`semifactual compare`: training runs beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semifactual.errors import ConfigError

from .console import JsonFlag, print_json, print_table, printable

if TYPE_CHECKING:
    from semifactual.evaluation.training_runs import TrainingRun


def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN RUN...", help="Folders of `scapo-train` runs.")],
    metric: Annotated[
        list[str] | None,
        typer.Option(help="A key of eval.jsonl, such as validation/accuracy; may be given more than once."),
    ] = None,
    target: Annotated[
        float | None, typer.Option(help="Count the steps to this value, such as 0.6. [what the first group comes to]")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="A folder for compare.html, with curves, and compare.json.")] = None,
    json: JsonFlag = False,
) -> None:
    """Training runs side by side, paired by seed.

    Final and best validation, differences with 95 % intervals, and steps to a target. Runs of one recipe form a
    group; every other group is compared with that of the first RUN, seed by seed.
    """
    from semifactual.evaluation.compare import compare_runs
    from semifactual.evaluation.training_runs import read_run

    opened = [read_run(folder) for folder in runs]
    found = compare_runs(opened, metric or (), target)
    written = None if out is None else _write(found, opened, out)
    if json:
        print_json(found)
        return
    _print(found)
    if written is not None:
        print(printable(f"\nreport: {written}"))


def _write(found: Mapping[str, Any], runs: Sequence[TrainingRun], out: Path) -> Path:
    import json

    from semifactual.evaluation.compare_report import write_compare_report
    from semifactual.pipeline.output import write_text_durably, writing

    if (out / "recipe.yaml").exists() or out.is_file():
        raise ConfigError(f"{out} is {'a file' if out.is_file() else 'a training run'}", hint="choose another --out")
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
    write_text_durably(out / "compare.json", json.dumps(found, indent=2) + "\n")
    return write_compare_report(found, runs, out)


def _print(found: Mapping[str, Any]) -> None:
    from semifactual.evaluation.compare_report import shown, steps_to, verdicts

    for warning in found["warnings"]:
        print(printable(f"note: {warning}"))
    print(f"at step {found['step']:,}")
    for metric in found["metrics"]:
        name = metric["metric"]
        aim = shown(metric["target"], name)
        print()
        print_table(
            [name, "seeds", "end", "lowest", "highest", "best", f"steps to {aim}"],
            [
                [
                    group["label"],
                    len(group["runs"]),
                    *(shown(group["final"][key], name) for key in ("mean", "low", "high")),
                    shown(group["best"] and group["best"]["mean"], name),
                    steps_to([run["reached"] for run in group["runs"]]) if group["best"] else "–",
                ]
                for group in metric["groups"]
            ],
        )
        for sentence in verdicts(metric):
            print(printable(sentence))
