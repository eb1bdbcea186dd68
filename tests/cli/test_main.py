from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest
import typer

from semifactual import __version__
from semifactual.cli import main as cli_main
from semifactual.errors import SourceError
from tests.cli.conftest import Command

COMMANDS = {"build", "check", "verify", "show", "kinds", "drift", "decode", "compare", "export", "card", "push", "pull"}


def raising(error: BaseException) -> Callable[[], None]:
    def kinds() -> None:
        raise error

    return kinds


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Makes `semifactual fail` raise an error."""

    def install(error: BaseException) -> None:
        app = typer.Typer()
        app.callback()(cli_main._global_options)
        app.command("fail")(raising(error))
        monkeypatch.setattr(cli_main, "app", app)

    return install


def test_help_lists_every_command_with_one_whole_line(command: Command) -> None:
    ran = command("--help")
    listed = dict(line.split(maxsplit=1) for line in ran.out.partition("Commands:\n")[2].splitlines())
    assert ran.code == 0
    assert set(listed) == COMMANDS
    assert not [line for line in listed.values() if line.endswith("...")]


def test_no_arguments_print_the_help(command: Command) -> None:
    assert command() == command("--help")


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help(command: Command, name: str) -> None:
    ran = command(name, "--help")
    assert ran.code == 0
    assert ran.out.startswith(f"Usage: semifactual {name}")


def test_a_missing_library_names_the_extra_that_brings_it(
    command: Command, failing: Callable[[BaseException], None]
) -> None:
    failing(ModuleNotFoundError("No module named 'torch.nn'", name="torch.nn"))
    ran = command("fail")
    assert ran.code == 2
    assert ran.err == (
        "Error: this needs the library torch, which is not installed\nHint: pip install 'semifactual[train]'\n"
    )


def test_version(command: Command) -> None:
    assert command("--version").out == f"semifactual {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "complaint", "hint"),
    [
        (["frobnicate"], "frobnicate", "see `semifactual --help`"),
        (["kinds", "--frobnicate"], "--frobnicate", "see `semifactual kinds --help`"),
        (["show"], "DIR", "see `semifactual show --help`"),
        (["show", "somewhere", "--limit", "0"], "--limit", "see `semifactual show --help`"),
    ],
)
def test_a_wrong_call_is_one_sentence_and_a_hint(
    command: Command, arguments: list[str], complaint: str, hint: str
) -> None:
    ran = command(*arguments)
    assert (ran.code, ran.out) == (2, "")
    error, hinted = ran.err.splitlines()
    assert error.startswith("Error: ") and complaint in error
    assert hinted == f"Hint: {hint}"


def test_a_known_error_is_its_sentence_and_hint(command: Command, failing: Callable[[BaseException], None]) -> None:
    failing(SourceError("row 3 has no answer", hint="name the field"))
    ran = command("fail")
    assert (ran.code, ran.out, ran.err) == (2, "", "Error: row 3 has no answer\nHint: name the field\n")


def test_an_error_cannot_act_on_the_terminal(command: Command, failing: Callable[[BaseException], None]) -> None:
    failing(SourceError("bad id '\x1b[2Jx'"))
    assert command("fail").err == "Error: bad id '\\x1b[2Jx'\n"


def test_an_unexpected_error_is_one_sentence(command: Command, failing: Callable[[BaseException], None]) -> None:
    failing(ValueError("deep\ntrouble"))
    ran = command("fail")
    assert ran.code == 2
    assert ran.err.startswith("Error: something went wrong inside semifactual (ValueError: deep trouble)\n")
    assert "--debug" in ran.err and "Traceback" not in ran.err


@pytest.mark.parametrize("arguments", [["--debug", "fail"], ["fail", "--debug"]])
def test_debug_shows_the_traceback_wherever_it_stands(
    command: Command, failing: Callable[[BaseException], None], arguments: list[str]
) -> None:
    failing(ValueError("deep trouble"))
    ran = command(*arguments)
    assert ran.code == 2
    assert ran.err.startswith("Traceback")


def test_an_interrupt_is_one_sentence(command: Command, failing: Callable[[BaseException], None]) -> None:
    failing(KeyboardInterrupt())
    ran = command("fail")
    assert ran.code == 130
    assert len(ran.err.splitlines()) == 1


def test_a_failed_condition_is_exit_code_1(command: Command, failing: Callable[[BaseException], None]) -> None:
    failing(typer.Exit(1))
    ran = command("fail")
    assert (ran.code, ran.err) == (1, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["kinds"], ["kinds", "--json"], ["--help"]])
def test_a_closed_pipe_is_quiet(arguments: list[str], unbuffered: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "semifactual.cli.main", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["kinds"], ["kinds", "--json"], ["--help"]])
def test_a_full_disk_behind_stdout_is_one_sentence(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "semifactual.cli.main", *arguments]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert "No space left" in done.stderr and "Traceback" not in done.stderr and "ignored" not in done.stderr


def test_a_closed_stdout_is_no_error() -> None:
    program = "import os, sys; os.close(1); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    command = [sys.executable, "-c", program, "-m", "semifactual.cli.main", "--version"]
    done = subprocess.run(command, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")
