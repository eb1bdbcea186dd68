from __future__ import annotations

import os
import signal
import threading

import pytest

from semifactual.train.distributed import Ranks
from semifactual.train.interrupts import Stopping, heeding_interrupts


def press(number: int = signal.SIGINT) -> None:
    """What Ctrl-C does."""
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_droppable_work_is_dropped_at_once(number: int) -> None:
    done = []
    with heeding_interrupts(Ranks()) as interrupts, pytest.raises(Stopping), interrupts.droppable():
        press(number)
        done.append("more")
    assert done == []


def test_other_work_is_finished_first() -> None:
    done = []
    with heeding_interrupts(Ranks()) as interrupts, pytest.raises(Stopping):
        press()
        done.append("update")
        with interrupts.droppable():
            done.append("rollout")
    assert done == ["update"]


def test_the_second_ends_it_at_once() -> None:
    with heeding_interrupts(Ranks()):
        press()
        with pytest.raises(KeyboardInterrupt):
            press()


def test_a_launchers_request_after_ctrl_c_is_the_same_one() -> None:
    with heeding_interrupts(Ranks()) as interrupts:
        press()
        press(signal.SIGTERM)
        with pytest.raises(Stopping):
            interrupts.check()


def test_of_several_processes_none_stops_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ranks, "any", lambda self, condition: condition)
    done = []
    with heeding_interrupts(Ranks(0, 2)) as interrupts, pytest.raises(Stopping), interrupts.droppable():
        press()
        done.append("rollout")  # finished, so that both stop at the same place
    assert done == ["rollout"]


def test_afterwards_ctrl_c_is_pythons_again() -> None:
    with heeding_interrupts(Ranks()):
        pass
    with pytest.raises(KeyboardInterrupt):
        press()


def test_outside_the_main_thread_nothing_is_heeded() -> None:
    before = signal.getsignal(signal.SIGINT)

    def elsewhere() -> None:
        with heeding_interrupts(Ranks()):
            seen.append(signal.getsignal(signal.SIGINT))

    seen: list[object] = []
    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [before]
