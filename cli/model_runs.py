"""What the commands share that run a model on problems: their options, and how a run begins, breaks off and goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .console import INTERRUPTED, keep_libraries_quiet, print_error, printable, progress

if TYPE_CHECKING:
    from semifactual.drift.chunked import RunReport


class RunOption:
    """Types of parameters, named as the fields of `PolicyRunConfig` are."""

    Source = Annotated[
        str, typer.Argument(metavar="DIR", help="A built dataset, or a source: rewrites are then made on the fly.")
    ]
    Model = Annotated[str, typer.Option(help="builtin:tiny, a local folder, or a Hub id.")]
    Out = Annotated[Path, typer.Option(help="The run folder to make, or to go on with.")]
    Limit = Annotated[int | None, typer.Option(help="Take only the first so many problems.")]
    TopP = Annotated[
        float | None, typer.Option(help="Draw from the smallest set of tokens with this probability. [1.0]")
    ]
    Seed = Annotated[int | None, typer.Option(help="The seed of every random choice. [0]")]
    Prompt = Annotated[
        str | None, typer.Option(help="A template in templates/prompts, or a file with {question}. [default]")
    ]
    Chat = Annotated[str | None, typer.Option(help="Use the model's chat template: auto, always or never. [auto]")]
    Dtype = Annotated[str | None, typer.Option(help="auto, float32, bfloat16 or float16. [auto]")]
    Device = Annotated[str | None, typer.Option(help="auto, cpu, cuda or cuda:1. [auto]")]
    Attention = Annotated[str | None, typer.Option(help="auto, sdpa, eager or flash_attention_2. [auto]")]
    TokensPerBatch = Annotated[
        int | None, typer.Option(help="How many tokens to work on at once; by the memory at hand if not given.")
    ]
    Revision = Annotated[str | None, typer.Option(help="The revision of a model's Hub id.")]
    Split = Annotated[str | None, typer.Option(help="The split of a dataset's Hub id or folder.")]
    ConfigName = Annotated[str | None, typer.Option(help="The configuration of a dataset's Hub id.")]
    ProblemField = Annotated[str | None, typer.Option(help="The field that holds the problem.")]
    AnswerField = Annotated[str | None, typer.Option(help="The field that holds the answer.")]
    IdField = Annotated[str | None, typer.Option(help="The field that holds a row's id; none to number the rows.")]
    Resamples = Annotated[int | None, typer.Option(help="Bootstrap draws behind the intervals. [2000]")]
    SkipBadRows = Annotated[
        bool | None, typer.Option("--skip-bad-rows", help="Leave out and count rows that cannot be used.")
    ]


@contextmanager
def resumable(description: str) -> Iterator[Callable[[int, int], None]]:
    """The progress of work that keeps what is finished; Ctrl-C ends it with a sentence that says how to go on."""
    keep_libraries_quiet()
    try:
        with progress(description) as on_progress:
            yield on_progress
    except KeyboardInterrupt:
        print_error("interrupted; finished problems are kept", "run the same command again to go on")
        raise typer.Exit(INTERRUPTED) from None


def print_beginning(report: RunReport) -> None:
    """The notices of a run, and what of it was there already."""
    for notice in report.notices:
        print(printable(notice))
    if report.found_finished:
        print(printable(f"{report.out} holds this run already; nothing to do"))
    elif report.resumed_at:
        print(f"resumed behind {report.resumed_at:,} finished problems")
