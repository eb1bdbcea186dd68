"""How fast to ask: a rate that learns what the server allows, a number in flight that learns what it can bear.

Pure arithmetic on a clock that the caller reads, so that a test can play hours in a moment.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

_START_RATE = 64.0
"""Requests a second that any server is first asked for; doubled as long as nobody complains."""
_DOUBLING_SECONDS = 0.25
_FAST_GROWTH = 0.04
"""A second, while the rate is well below the one that was last refused, or has left it far behind."""
_SLOW_GROWTH = 0.002
"""A second, near the rate that was last refused: it is probably the limit, and every probe of it is refused."""
_NEAR = 0.97
_FAR = 1.08
_FIRST_CUT, _LATER_CUT, _HARD_CUT = 0.7, 0.92, 0.6
_SOON = 3.0
"""Seconds. A second refusal within these after a cut says that the cut was too small."""
_PAUSE = 1.0
"""Seconds to send nothing after a refusal that does not say how long to wait."""
_SLOWEST = 0.05
_TPM_BURST = 10.0
"""Seconds whose tokens may be used at once."""


@dataclass(slots=True)
class Pace:
    """When the next request may be sent. `ceiling` is the user's limit (--rpm), in requests a second."""

    ceiling: float | None = None
    rate: float | None = field(default=None, init=False)
    """Requests a second; None while nothing says that there is any limit."""
    refusals: int = field(default=0, init=False)
    _refused_rate: float | None = field(default=None, init=False)
    _next: float = field(default=0.0, init=False)
    _blocked_until: float = field(default=0.0, init=False)
    _cut_at: float = field(default=-1e9, init=False)
    _grown_at: float | None = field(default=None, init=False)
    _sent: deque[float] = field(default_factory=lambda: deque(maxlen=4096), init=False)
    _starting: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        self.rate = _START_RATE if self.ceiling is None else min(_START_RATE, self.ceiling)

    def wait(self, now: float) -> float:
        """The seconds until a request may be sent; ask again when they are over, because the rate may have changed."""
        self._grow(now)
        return max(0.0, self._next - now, self._blocked_until - now)

    def take(self, now: float) -> None:
        """A request is sent now."""
        if self.rate is not None:
            self._next = max(now, self._next) + 1.0 / self.rate
        self._sent.append(now)

    def refused(self, now: float, sent: float, retry_after: float | None) -> None:
        """A request sent at `sent` got 429. Refusals of what was sent before the last cut say nothing new."""
        self.refusals += 1
        self._blocked_until = max(self._blocked_until, now + (_PAUSE if retry_after is None else retry_after))
        if sent <= self._cut_at:
            return
        if self.rate is None:
            self.rate = self._recent_rate(now)
        factor = _FIRST_CUT if self._starting else _HARD_CUT if now - self._cut_at < _SOON else _LATER_CUT
        self._starting = False
        self._refused_rate = self.rate
        self.rate = max(_SLOWEST, self.rate * factor)
        self._cut_at = self._grown_at = now
        self._next = max(self._next, now + 1.0 / self.rate)

    def _grow(self, now: float) -> None:
        if self.rate is None or self._grown_at is None:
            self._grown_at = now if self._grown_at is None else self._grown_at
            return
        seconds = min(now, max(now, self._blocked_until)) - self._grown_at
        if seconds <= 0 or now < self._blocked_until:
            return
        if self._starting:
            self._start(now, seconds)
            return
        self._grown_at = now
        assert self._refused_rate is not None
        near = _NEAR * self._refused_rate <= self.rate <= _FAR * self._refused_rate
        growth = _SLOW_GROWTH if near else _FAST_GROWTH
        self.rate = self._under_ceiling(self.rate * (1 + growth) ** min(seconds, 5.0))

    def _start(self, now: float, seconds: float) -> None:
        """Double while starting; once the rate is far more than anybody asks for, stop holding anybody back."""
        assert self.rate is not None
        if seconds < _DOUBLING_SECONDS:
            return
        self._grown_at = now
        if self.ceiling is None and self.rate > 4 * max(self._recent_rate(now), _START_RATE):
            self.rate = None
        else:
            self.rate = self._under_ceiling(2 * self.rate)

    def _under_ceiling(self, rate: float) -> float:
        return rate if self.ceiling is None else min(rate, self.ceiling)

    def _recent_rate(self, now: float) -> float:
        """Requests sent a second, over the last two seconds."""
        recent = sum(1 for moment in self._sent if now - 2.0 <= moment <= now)
        return max(recent / 2.0, 1.0)


@dataclass(slots=True)
class Window:
    """How many requests may be in flight: fewer after a sign of overload, one more after a round of successes."""

    most: int
    size: float = field(init=False)
    _shrunk_at: float = field(default=-1e9, init=False)

    def __post_init__(self) -> None:
        self.size = float(self.most)

    def succeeded(self) -> None:
        """A request came back whole."""
        self.size = min(float(self.most), self.size + 1.0 / self.size)

    def overloaded(self, now: float, sent: float) -> None:
        """A request sent at `sent` met an overloaded server. One that was sent before the last cut says nothing new."""
        if sent > self._shrunk_at:
            self.size = max(1.0, self.size * 0.6)
            self._shrunk_at = now

    def admits(self, in_flight: int) -> bool:
        """Whether one more may be sent beside so many."""
        return in_flight < max(1, int(self.size))


@dataclass(slots=True)
class TokenRate:
    """The user's limit on tokens a minute (--tpm)."""

    per_minute: int | None
    _free_at: float = field(default=0.0, init=False)

    def slot(self, now: float, tokens: int) -> float:
        """The moment from which a request of so many tokens may be sent; the tokens count as used."""
        if self.per_minute is None:
            return now
        per_second = self.per_minute / 60.0
        start = max(self._free_at, now)
        self._free_at = start + tokens / per_second
        return max(now, self._free_at - _TPM_BURST)

    def returned(self, tokens: int) -> None:
        """Tokens that were set aside and not used."""
        if self.per_minute is not None:
            self._free_at -= tokens / (self.per_minute / 60.0)
