"""Ctrl-C while a run goes on.

The first one ends the run at the next place where nothing is lost: what is being generated or scored is dropped (it
would come out the same again), updates that have begun are finished, and a checkpoint is written. The second one ends
it at once; the last checkpoint stands, and a resumed run goes on from it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from semifactual.train.distributed import Ranks


class Stopping(Exception):
    """Raised at a place where the run can stop without losing anything."""


class Interrupts:
    """Whether the user wants the run to end. Where several processes run, they agree on it before they act."""

    def __init__(self, ranks: Ranks) -> None:
        self.requested = False
        self._ranks = ranks
        self._droppable = False

    def check(self) -> None:
        """Stop here if that was asked for. Every process calls it, in the same places.

        Raises:
            Stopping: the user has pressed Ctrl-C.
        """
        if self._ranks.any(self.requested):
            raise Stopping

    @contextmanager
    def droppable(self) -> Iterator[None]:
        """Work that may be dropped half-way: alone, the run stops in the middle of it."""
        self.check()
        self._droppable = self._ranks.world == 1
        try:
            yield
        except KeyboardInterrupt:
            if not self.requested:
                raise
            raise Stopping from None
        finally:
            self._droppable = False
        self.check()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.requested and number == signal.SIGINT:  # a launcher's SIGTERM often comes with a Ctrl-C: that is one
            raise KeyboardInterrupt
        self.requested = True
        if self._droppable:
            raise KeyboardInterrupt


@contextmanager
def heeding_interrupts(ranks: Ranks) -> Iterator[Interrupts]:
    """Heed Ctrl-C, and a polite request to end (SIGTERM), for as long as this lasts; in the main thread only."""
    interrupts = Interrupts(ranks)
    if threading.current_thread() is not threading.main_thread():
        yield interrupts
        return
    before = {number: signal.signal(number, interrupts._on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield interrupts
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
