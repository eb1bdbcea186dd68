"""The command line: one app, its commands, and what an error looks like to a user.

Command modules import nothing heavy at the top, so that `semifactual --help` answers at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from semifactual import __version__

from .build import build
from .card import card
from .check import check
from .compare import compare
from .decode import decode
from .drift import drift
from .export import export
from .kinds import kinds
from .pull import pull
from .push import push
from .running import run_arguments, run_process
from .show import show
from .verify import verify

COMMANDS = (build, check, verify, show, kinds, drift, decode, export, card, push, pull, compare)

app = typer.Typer(rich_markup_mode=None, add_completion=False)
for _command in COMMANDS:
    # An answer may be a negative number: `verify 5 -5` compares, it does not look for an option -5.
    app.command(context_settings={"ignore_unknown_options": _command is verify})(_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"semifactual {__version__}")
        raise typer.Exit


@app.callback()
def _global_options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error. Works in any place.")] = False,
) -> None:
    """Rewrites of problems that keep the problem and its answer, each checked, each with its evidence."""


def main(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; every error ends as one sentence on stderr."""
    return run_arguments(app, "semifactual", arguments, _usage_hint(arguments))


def run() -> None:
    """The entry point of the `semifactual` command."""
    run_process(main)


def _usage_hint(arguments: Sequence[str]) -> str:
    named = next((name for name in arguments if name in {command.__name__ for command in COMMANDS}), "")
    return f"see `semifactual {named} --help`".replace("  ", " ")


if __name__ == "__main__":
    run()
