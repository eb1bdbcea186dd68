"""The limits, played on a clock of their own."""

from __future__ import annotations

import heapq
from collections import deque
from itertools import count

import pytest

from semifactual.llm.limits import Pace, TokenRate, Window

Sent = list[tuple[float, bool]]


def play(
    allowed: int,
    latency: float,
    seconds: float,
    at_once: int = 64,
    retry_after: float | None = 1.0,
    pace: Pace | None = None,
) -> Sent:
    """What a client with so many askers sends to a server that allows so many requests in any second."""
    pace = pace or Pace()
    recent: deque[float] = deque()
    sent: Sent = []
    order = count()
    events: list[tuple[float, int, str, float]] = [(0.0, next(order), "gate", 0.0)]
    waiting, gate_waits = at_once, True
    while events:
        now, _, kind, when = heapq.heappop(events)
        if now > seconds:
            break
        if kind == "gate":
            gate_waits = False
            if waiting:
                wait = pace.wait(now)
                if wait <= 1e-9:
                    pace.take(now)
                    waiting -= 1
                    while recent and recent[0] <= now - 1:
                        recent.popleft()
                    served = len(recent) < allowed
                    if served:
                        recent.append(now)
                    sent.append((now, served))
                    end = now + (latency if served else 0.005)
                    heapq.heappush(events, (end, next(order), "served" if served else "refused", now))
                    wait = 0.0
                heapq.heappush(events, (now + wait, next(order), "gate", 0.0))
                gate_waits = True
            continue
        if kind == "refused":
            pace.refused(now, when, retry_after)
        waiting += 1
        if not gate_waits:
            heapq.heappush(events, (now, next(order), "gate", 0.0))
            gate_waits = True
    return sent


@pytest.mark.parametrize("latency", [0.05, 2.0])
@pytest.mark.parametrize("retry_after", [1.0, None])
def test_a_server_that_allows_20_a_second_refuses_few_once_its_limit_is_known(
    latency: float, retry_after: float | None
) -> None:
    adapted = [served for moment, served in play(20, latency, 150, retry_after=retry_after) if moment > 30]
    assert adapted.count(False) <= 0.02 * len(adapted)
    assert adapted.count(True) >= 0.85 * 20 * 120


def test_a_slow_server_is_not_flooded() -> None:
    adapted = [served for moment, served in play(2, 1.0, 300) if moment > 60]
    assert adapted.count(False) <= 0.05 * len(adapted)
    assert adapted.count(True) >= 0.7 * 2 * 240


def test_a_server_without_limits_gets_all_that_the_window_allows() -> None:
    sent = play(10**9, 0.2, 20)
    assert len(sent) >= 0.95 * 20 * 64 / 0.2
    assert all(served for _, served in sent)


def test_a_limit_that_is_raised_is_found() -> None:
    pace = Pace()
    play(10, 0.1, 60, pace=pace)
    slow = pace.rate
    assert slow is not None and slow < 12
    for second in range(60, 240):
        pace.wait(float(second))
    assert pace.rate is not None and pace.rate > 3 * slow


def test_the_users_own_limit_is_a_ceiling() -> None:
    sent = play(10**9, 0.01, 30, pace=Pace(ceiling=5.0))
    assert len(sent) <= 5 * 30 + 1


def test_retry_after_is_obeyed_by_everybody() -> None:
    pace = Pace()
    pace.take(10.0)
    pace.refused(10.1, 10.0, 7.0)
    assert pace.wait(10.2) == pytest.approx(6.9)


def test_refusals_of_what_was_sent_before_a_cut_cut_no_further() -> None:
    pace = Pace()
    for _ in range(5):
        pace.take(1.0)
    pace.refused(1.1, 1.0, None)
    rate = pace.rate
    pace.refused(1.1, 1.0, None)
    assert pace.rate == rate


def test_the_window_shrinks_once_for_one_overload_and_grows_back() -> None:
    window = Window(10)
    assert window.admits(9) and not window.admits(10)
    for _ in range(5):
        window.overloaded(now=2.0, sent=1.0)
    assert not window.admits(6) and window.admits(5)
    for _ in range(200):
        window.succeeded()
    assert window.admits(9) and not window.admits(10)


def test_the_window_never_closes() -> None:
    window = Window(1)
    for moment in range(50):
        window.overloaded(now=moment + 0.5, sent=float(moment))
    assert window.admits(0)


def test_tokens_a_minute_hold_in_the_long_run() -> None:
    rate = TokenRate(6000)  # 100 a second
    moments = [rate.slot(0.0, 500) for _ in range(13)]
    assert moments[0] == 0.0
    assert moments[-1] == pytest.approx(13 * 5 - 10)
    rate.returned(500)
    assert rate.slot(0.0, 500) == pytest.approx(moments[-1])


def test_no_limit_on_tokens_never_waits() -> None:
    assert TokenRate(None).slot(3.0, 10**9) == 3.0
