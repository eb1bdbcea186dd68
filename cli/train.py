"""`scapo-train RECIPE`: the training loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semifactual import __version__
from semifactual.errors import ConfigError, OutputError, SourceError

from .console import INTERRUPTED, JsonFlag, keep_libraries_quiet, print_error, print_json, print_table, printable
from .running import run_arguments, run_process

if TYPE_CHECKING:
    from semifactual.train.distributed import Ranks
    from semifactual.train.preflight import Inspection
    from semifactual.train.watching import Watcher

app = typer.Typer(rich_markup_mode=None, add_completion=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"scapo-train {__version__}")
        raise typer.Exit


def _print_recipes(wanted: bool) -> None:
    if wanted:
        from semifactual.train.recipe_loading import described_recipes

        print_table(["recipe", "what it is"], described_recipes())
        raise typer.Exit


@app.command()
def train(
    recipe: Annotated[
        str, typer.Argument(metavar="RECIPE", help="A shipped recipe by name, such as tiny-cpu, or a .yaml file.")
    ],
    out: Annotated[Path | None, typer.Option(help="The folder of the run: a new one, or one to go on with.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a setting: --set credit.lambda0=0.1.")
    ] = None,
    resume: Annotated[
        str,
        typer.Option(metavar="auto|CHECKPOINT", help="Go on from the newest checkpoint in --out, or from this one."),
    ] = "auto",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything, print the plan, and load no model.")
    ] = False,
    as_json: JsonFlag = False,
    listed: Annotated[
        bool, typer.Option("--list", callback=_print_recipes, is_eager=True, help="List the shipped recipes and exit.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Train a model with semifactual credit, or by a baseline. The same command resumes a broken-off run."""
    keep_libraries_quiet()
    from semifactual.train.distributed import joined
    from semifactual.train.preflight import load_and_inspect
    from semifactual.train.recipe_loading import faulty

    if out is None and not dry_run:
        raise ConfigError("training needs a folder to write to", hint="add --out RUN, or --dry-run to only look")
    found = load_and_inspect(recipe, settings or [], fetch=not dry_run)
    if dry_run:
        _print_plan(found, as_json)
    if found.faults:
        raise faulty(recipe, found.faults)
    if out is not None and not dry_run:
        with joined() as ranks:
            _train(found, out, resume, as_json, ranks)


def main(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; every error ends as one sentence on stderr."""
    return run_arguments(app, "scapo-train", arguments, "see `scapo-train --help`")


def run() -> None:
    """The entry point of the `scapo-train` command."""
    run_process(main)


def _print_plan(found: Inspection, as_json: bool) -> None:
    from semifactual.train.distributed import joined
    from semifactual.train.plan import plan_lines, plan_of

    with joined() as ranks:
        plan = plan_of(found, ranks.world)
    if as_json:
        print_json(plan)
        return
    for line in plan_lines(plan):
        print(printable(line))
    for notice in found.notices:
        print(printable(f"notice      {notice}"))


def _train(found: Inspection, out: Path, resume: str, as_json: bool, ranks: Ranks) -> None:
    from semifactual.train.loop import Ended, train
    from semifactual.train.run import find_start, open_run

    from .train_view import watching

    start = find_start(found, out, resume)
    ranks.gather([None])  # no process writes before all have looked
    if start.finished:
        for notice in start.notices if ranks.is_main and not as_json else ():
            print(printable(notice))
        _print_summary(out, {"ended": "found finished"}, as_json and ranks.is_main, quiet=not ranks.is_main)
        return
    with watching(quiet=as_json or not ranks.is_main) as watcher:
        for notice in (*found.notices, *start.notices):
            watcher.say(notice)
        if start.checkpoint is not None:
            watcher.say(f"going on from {start.checkpoint}")
        with open_run(found, out, start, ranks, watcher) as opened, _reporting(out, watcher, wanted=ranks.is_main):
            ended = train(opened)
            step = opened.state.step
    if ended is Ended.INTERRUPTED:
        if ranks.is_main:
            print_error(f"interrupted after step {step}; nothing is lost", "run the same command again to go on")
        raise typer.Exit(INTERRUPTED)
    _print_summary(out, {"ended": ended.value}, as_json and ranks.is_main, quiet=not ranks.is_main)


@contextmanager
def _reporting(out: Path, watcher: Watcher, *, wanted: bool) -> Iterator[None]:
    """However the run ends, its report is written then; that a report cannot be is no reason for a run to fail."""
    from semifactual.train.report import write_report

    try:
        yield
    finally:
        if wanted:
            watcher.phase("report")
            try:
                watcher.say(f"report: {write_report(out)}")
            except SourceError:
                pass  # not a step is done, so there is nothing to report
            except OutputError as error:
                watcher.say(f"no report: {error.message}")


def _print_summary(out: Path, about: dict[str, Any], as_json: bool, *, quiet: bool) -> None:
    """What came out, from the run's own files."""
    from semifactual.train.records import Records

    if quiet:
        return
    records = Records(out)
    steps, evaluations = list(records.metrics.lines()), list(records.evaluations.lines())
    if as_json:
        first, last = (evaluations[0], evaluations[-1]) if evaluations else (None, None)
        print_json({"out": str(out), **about, "steps": len(steps), "first_evaluation": first, "evaluation": last})
        return
    if about["ended"] == "found finished":
        print(printable(f"{out} holds this run already; nothing to do"))
    keys = [key for key in (evaluations[-1] if evaluations else {}) if key.endswith(("/accuracy", "/variants"))]
    keys += [key for key in (evaluations[-1] if evaluations else {}) if key.endswith("/sealed")]
    rows = [[key, _percent(evaluations[0].get(key)), _percent(evaluations[-1].get(key))] for key in keys]
    if rows:
        headings = ["", f"step {evaluations[0]['step']}", f"step {evaluations[-1]['step']}"]
        print_table(headings, rows)
    print(printable(f"{len(steps):,} steps in {out}"))


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


if __name__ == "__main__":
    run()
