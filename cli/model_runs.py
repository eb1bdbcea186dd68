"""What the commands share that run a model on problems: their options, and how a run begins, breaks off and goes on."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from semifactual.errors import ConfigError

from .console import INTERRUPTED, print_error, print_news, printable, stages

if TYPE_CHECKING:
    from semifactual.drift.chunked import RunReport


class RunOption:
    """Types of parameters, named as the fields of `PolicyRunConfig` are."""

    Source = Annotated[
        str, typer.Argument(metavar="SOURCE", help="A built dataset, or any source: rewrites are then made on the fly.")
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
    Device = Annotated[str | None, typer.Option(help="auto, cpu, cuda, cuda:1 or mps. [auto]")]
    Attention = Annotated[str | None, typer.Option(help="auto, sdpa, eager or flash_attention_2. [auto]")]
    TokensPerBatch = Annotated[
        int | None,
        typer.Option(
            help="How many tokens to work on at once; by the memory at hand if not given. May change on resume."
        ),
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


SECONDS_BETWEEN_LINES = 30.0
"""Where stderr is no terminal, progress is a line now and then."""


@dataclass(frozen=True, slots=True)
class Told:
    """Whom a run tells of its progress."""

    progress: Callable[[int, int], None]
    stage: Callable[[str], None]


@contextmanager
def resumable() -> Iterator[None]:
    """Work that keeps what is finished: Ctrl-C ends it with a sentence that says how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        print_error("interrupted; finished problems are kept", "run the same command again to go on")
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def told(*, quiet: bool) -> Iterator[Told]:
    """Whom to tell of progress: a bar on a terminal, elsewhere a line on stderr now and then, nobody where `quiet`."""
    if sys.stderr.isatty():
        with stages("starting") as (on_progress, on_stage):
            yield Told(on_progress, on_stage)
    else:
        yield Told((lambda done, total: None) if quiet else _lines(), lambda words: None)


def _lines() -> Callable[[int, int], None]:
    last = time.monotonic()

    def on_progress(done: int, total: int) -> None:
        nonlocal last
        if (now := time.monotonic()) - last >= SECONDS_BETWEEN_LINES:
            last = now
            print_news(f"{done:,} of {total:,} problems finished")

    return on_progress


def print_notices(notices: Iterable[str]) -> None:
    """What a user should hear of the source, at once."""
    for notice in notices:
        print(printable(notice), flush=True)


def print_beginning(report: RunReport) -> None:
    """What of a run was there already."""
    if report.found_finished:
        print(printable(f"{report.out} holds this run already; nothing to do"))
    elif report.resumed_at:
        print(f"resumed behind {count(report.resumed_at, 'finished problem')}")


def count(number: int, noun: str) -> str:
    """A number of things: "1 problem", "2,000 problems"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


@contextmanager
def option_names(command: str) -> Iterator[None]:
    """Errors about options in the words of the command line: `--max-new-tokens must be 1 or more, not 0`."""
    try:
        yield
    except ConfigError as error:
        hint = error.hint or f"`semifactual {command} --help` says what each option takes"
        raise ConfigError("; ".join(map(in_flags, error.message.split("; "))), hint=hint) from error


def in_flags(sentence: str) -> str:
    """A sentence of the config about one of its fields, about the flag of that name.

    >>> in_flags("max_new_tokens: input should be greater than or equal to 1, not 0")
    '--max-new-tokens must be 1 or more, not 0'
    >>> in_flags("model: string should have at least 1 character, not ")
    '--model must not be empty'
    """
    found = _FIELD.fullmatch(sentence)
    if found is None:
        return sentence
    names, said = found.groups()
    flags = ", ".join("--" + name.replace("_", "-") for name in names.split(", "))
    for pattern, words in _BOUNDS:
        if bound := pattern.fullmatch(said):
            return f"{flags} {bound.expand(words)}"
    return f"{flags}: {said}"


_FIELD = re.compile(r"([a-z]+(?:_[a-z]+)*(?:, [a-z]+(?:_[a-z]+)*)*): (.*)", re.DOTALL)
_BOUNDS = tuple(
    (re.compile(pattern, re.DOTALL), words)
    for pattern, words in (
        (r"string should have at least 1 character, not ", r"must not be empty"),
        (r"input should be greater than or equal to (\S+), not (.*)", r"must be \1 or more, not \2"),
        (r"input should be less than or equal to (\S+), not (.*)", r"must be \1 or less, not \2"),
        (r"input should be greater than (\S+), not (.*)", r"must be above \1, not \2"),
        (r"input should be less than (\S+), not (.*)", r"must be below \1, not \2"),
        (r"input should be (.*)", r"must be \1"),
        (r"(means nothing .*)", r"\1"),
    )
)
