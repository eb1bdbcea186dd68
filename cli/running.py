"""How a command line runs: its exit code, and every error as one sentence and a hint."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from io import TextIOWrapper

import typer
from typer.main import get_command

from semifactual.errors import SemifactualError

from .console import INTERRUPTED, print_error

UNUSABLE = 2
"""The exit code where the call or its input is unusable."""
READER_LEFT = 141
"""The exit code that a shell gives to a process ended by a closed pipe."""

EXTRA_OF = {"accelerate": "train", "jaxtyping": "train", "openai": "llm", "torch": "train", "transformers": "train"}
"""Which extra of this package brings a library that only some commands need."""


def run_arguments(app: typer.Typer, program: str, arguments: Sequence[str], usage_hint: str) -> int:
    """Run one command line and return its exit code; every error ends as one sentence on stderr.

    A command ends with 1 by raising ``typer.Exit(1)``, where a condition holds that the user asked to fail on.
    `usage_hint` is where a user reads how the command is called.
    """
    debug = "--debug" in arguments
    try:
        _invoke(app, program, [argument for argument in arguments if argument != "--debug"] or ["--help"])
    except typer.Exit as leave:
        return leave.exit_code
    except typer.TyperException as error:
        print_error(error.format_message().replace("Value error, ", ""), usage_hint)
    except SemifactualError as error:
        _print_traceback(debug)
        print_error(error.message, error.hint)
    except KeyboardInterrupt:
        _print_traceback(debug)
        print_error("interrupted before the end")
        return INTERRUPTED
    except BrokenPipeError:
        return READER_LEFT
    except ModuleNotFoundError as error:
        _print_traceback(debug)
        print_error(*_missing(error))
    except Exception as error:
        _print_traceback(debug)
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        print_error(f"something went wrong inside semifactual ({reason})", "run again with --debug to see where")
    else:
        return 0
    return UNUSABLE


def run_process(main: Callable[[Sequence[str]], int]) -> None:
    """Run `main` on this process's arguments and end the process with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may lack a character
    code = main(sys.argv[1:])
    _flush_or_discard()
    sys.exit(code)


def _invoke(app: typer.Typer, program: str, arguments: list[str]) -> None:
    """Parse and run, with none of typer's own error handling; flush, so that a closed pipe shows here."""
    with get_command(app).make_context(program, arguments) as context:
        context.command.invoke(context)
    print(end="", flush=True)


def _missing(error: ModuleNotFoundError) -> tuple[str, str]:
    """The sentence and the hint for a library that is not installed."""
    library = (error.name or "").split(".")[0]
    extra = EXTRA_OF.get(library)
    hint = f"pip install 'semifactual[{extra}]'" if extra else "run again with --debug to see where"
    return f"this needs the library {library}, which is not installed", hint


def _print_traceback(wanted: bool) -> None:
    if wanted:
        traceback.print_exc()


def _flush_or_discard() -> None:
    """Write what is still unwritten; where nobody takes it, drop it, or Python would complain on its way out."""
    try:
        print(end="", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
