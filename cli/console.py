"""What every command prints with: JSON, tables, progress, errors, and text that cannot act on the terminal."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

JsonFlag = Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.")]

WIDTH = 100
"""No line of a table or list is meant to be longer than this many characters."""

INTERRUPTED = 130
"""The exit code that a shell gives to a process ended by Ctrl-C."""

_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Control, format (with the bidirectional overrides), no character at all, and separators that break lines unseen."""


def printable(text: str) -> str:
    r"""Untrusted text, with every character that could act on a terminal or hide in it written as an escape.

    Line feeds and tabs stay.

    >>> printable("a\x1b[31mb\u202ec\tü")
    'a\\x1b[31mb\\u202ec\tü'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(character) for character in text)


def print_json(value: Any) -> None:
    """One JSON value on one line of stdout, in ASCII, so that no text in it acts on a terminal."""
    print(json.dumps(value))


def print_table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Aligned columns on stdout; a column that holds only numbers is aligned to the right. Text is made printable."""
    cells = [[printable(str(cell)) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(headings, *cells, strict=True)]
    numeric = [all(isinstance(cell, int | float) for cell in column) for column in zip(*rows, strict=True)]
    for line in [list(headings), *cells]:
        aligned = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric or [False] * len(widths), strict=True)
        )
        print("  ".join(aligned).rstrip())


def print_error(message: str, hint: str | None = None) -> None:
    """One sentence on stderr and, on a line of its own, the way out."""
    print(f"Error: {printable(message)}", file=sys.stderr)
    if hint:
        print(f"Hint: {printable(hint)}", file=sys.stderr)


def print_news(sentence: str) -> None:
    """One sentence on stderr about what long work waits for."""
    print(printable(sentence), file=sys.stderr)


@contextmanager
def progress(description: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr, moved by calls with (done, total); nothing at all where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def stages(first: str) -> Iterator[tuple[Callable[[int, int], None], Callable[[str], None]]]:
    """A bar on stderr, which is a terminal, and what it says: calls with (done, total), and with what is being done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(first, total=None)
        yield (
            lambda done, total: bar.update(task, completed=done, total=total),
            lambda words: bar.update(task, description=words, refresh=True),
        )


def keep_libraries_quiet() -> None:
    """Let transformers draw its own bars, such as that of loading a model, on a terminal alone."""
    if not sys.stderr.isatty():
        import_module("transformers.utils.logging").disable_progress_bar()


def colour_console() -> Console:
    """A console on stdout that takes text as it is: no markup, no guessed colours, no wrapping at a fixed width."""
    from rich.console import Console

    class PipeConsole(Console):
        def on_broken_pipe(self) -> None:
            """Leave a reader's departure to the caller; rich would end the process with exit code 1."""
            raise BrokenPipeError

    return PipeConsole(markup=False, highlight=False, emoji=False, soft_wrap=True)


def _escaped(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character) not in _UNSAFE_CATEGORIES:
        return character
    return character.encode("unicode_escape").decode("ascii")
