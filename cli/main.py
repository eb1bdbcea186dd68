"""The command line: one app, its commands, and what an error looks like to a user.

Command modules import nothing heavy at the top, so that `semifactual --help` answers at once.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Annotated

import typer
from typer.main import get_command

from semifactual import __version__
from semifactual.errors import SemifactualError

from .build import build
from .check import check
from .console import INTERRUPTED, print_error
from .kinds import kinds
from .show import show
from .verify import verify

UNUSABLE = 2
"""The exit code where the call or its input is unusable."""
READER_LEFT = 141
"""The exit code that a shell gives to a process ended by a closed pipe."""

COMMANDS = (build, check, verify, show, kinds)

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
    """Run one command line and return its exit code; every error ends as one sentence on stderr.

    A command ends with 1 by raising ``typer.Exit(1)``, where a condition holds that the user asked to fail on.
    """
    debug = "--debug" in arguments
    try:
        _invoke([argument for argument in arguments if argument != "--debug"] or ["--help"])
    except typer.Exit as leave:
        return leave.exit_code
    except typer.TyperException as error:
        print_error(error.format_message(), _usage_hint(arguments))
    except SemifactualError as error:
        _print_traceback(debug)
        print_error(error.message, error.hint)
    except KeyboardInterrupt:
        _print_traceback(debug)
        print_error("interrupted before the end")
        return INTERRUPTED
    except BrokenPipeError:
        return READER_LEFT
    except Exception as error:
        _print_traceback(debug)
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        print_error(f"something went wrong inside semifactual ({reason})", "run again with --debug to see where")
    else:
        return 0
    return UNUSABLE


def run() -> None:
    """The entry point of the `semifactual` command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may lack a character
    code = main(sys.argv[1:])
    _flush_or_discard()
    sys.exit(code)


def _invoke(arguments: list[str]) -> None:
    """Parse and run, with none of typer's own error handling; flush, so that a closed pipe shows here."""
    with get_command(app).make_context("semifactual", arguments) as context:
        context.command.invoke(context)
    print(end="", flush=True)


def _usage_hint(arguments: Sequence[str]) -> str:
    named = next((name for name in arguments if name in {command.__name__ for command in COMMANDS}), "")
    return f"see `semifactual {named} --help`".replace("  ", " ")


def _print_traceback(wanted: bool) -> None:
    if wanted:
        traceback.print_exc()


def _flush_or_discard() -> None:
    """Write what is still unwritten; where nobody takes it, drop it, or Python would complain on its way out."""
    try:
        print(end="", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    run()
