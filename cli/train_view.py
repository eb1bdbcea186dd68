"""What `scapo-train` shows while it trains: a live table on a terminal, else a plain line for every step."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .console import printable

if TYPE_CHECKING:
    from semifactual.train.watching import Watcher

    from .train_live import Board


class PlainView:
    """Sentences, a line a step and a line a validation, as a log file wants them."""

    def __init__(self, write: Callable[[str], None] | None = None) -> None:
        self._write = write or _print_now
        self._said: set[str] = set()

    def phase(self, name: str) -> None:
        """Nothing: a line a step is enough."""

    def step(self, metrics: Mapping[str, Any], steps: int) -> None:
        """The step's most telling numbers, and its warnings, each sort once."""
        self.warn(metrics)
        self._write(step_line(metrics, steps))

    def evaluation(self, metrics: Mapping[str, Any]) -> None:
        """The accuracies of a validation."""
        shown = [f"{key} {value:.1%}" for key, value in metrics.items() if key.endswith(("accuracy", "sealed"))]
        self._write(f"step {metrics['step']}: {', '.join(shown)}")

    def warn(self, metrics: Mapping[str, Any]) -> None:
        """The warnings of a step; those that differ in numbers alone are one sort."""
        for warning in metrics.get("warnings", ()):
            sort = "".join("#" if character.isdigit() else character for character in warning)
            self.say(f"step {metrics['step']}: {warning}", once=sort)

    def say(self, sentence: str, once: str | None = None) -> None:
        """A sentence, the first time that it is said."""
        if (once or sentence) not in self._said:
            self._said.add(once or sentence)
            self._write(sentence)


class LiveView(PlainView):
    """Sentences above a table that is drawn anew once a second, by a thread of its own."""

    def __init__(self, board: Board, write: Callable[[str], None]) -> None:
        super().__init__(write)
        self._board = board

    def phase(self, name: str) -> None:
        """What goes on now."""
        self._board.phase = name

    def step(self, metrics: Mapping[str, Any], steps: int) -> None:
        """The step's numbers go into the table."""
        self.warn(metrics)
        self._board.hear_step(metrics, steps)

    def evaluation(self, metrics: Mapping[str, Any]) -> None:
        """A line, as without a table, and the accuracies into the table."""
        super().evaluation(metrics)
        self._board.hear_evaluation(metrics)


@contextmanager
def watching(*, quiet: bool) -> Iterator[Watcher]:
    """Who looks on: nobody, a terminal, or a log."""
    from semifactual.train.watching import Nobody

    if quiet:
        yield Nobody()
    elif sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        with _live() as view:
            yield view
    else:
        yield PlainView()


@contextmanager
def _live() -> Iterator[LiveView]:
    from rich.console import Console
    from rich.live import Live

    from .train_live import Board

    board = Board()
    console = Console(markup=False, highlight=False, emoji=False)
    with Live(board, console=console, refresh_per_second=1, redirect_stderr=False) as live:
        yield LiveView(board, lambda sentence: live.console.print(printable(sentence)))
        board.phase = "ended"


def step_line(metrics: Mapping[str, Any], steps: int) -> str:
    """The most telling numbers of a step, on one line."""
    shown = [f"step {metrics['step']}/{steps}"]
    named = (
        ("reward/mean", "reward"),
        ("length/mean", "length"),
        ("policy/entropy", "entropy"),
        ("drift/mean", "drift"),
    )
    shown += [f"{name} {metrics[key]:.3g}" for key, name in named if metrics.get(key) is not None]
    return f"{'  '.join(shown)}  {metrics['time/step']:.1f} s"


def _print_now(sentence: str) -> None:
    print(printable(sentence), flush=True)
