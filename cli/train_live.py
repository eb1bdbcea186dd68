"""The live view of a training run: one small table on the terminal, drawn anew once a second."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from .console import printable

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 32
"""Characters of a sparkline."""
_KEPT = 4096
"""Values of a key that are kept; of a longer run, every other is dropped, as often as need be."""
_TIMES = (("rollout", "generate"), ("reward", "reward"), ("probe", "probe"), ("old", "score"), ("update", "update"))
_ROWS = (
    ("reward/mean", "reward"),
    ("group/uniform", "equal rewards"),
    ("length/mean", "length"),
    ("length/truncated", "cut"),
    ("policy/entropy", "entropy"),
    ("credit/mass", "credit mass"),
    ("credit/lambda", "λ"),
)
_SHARES = frozenset({"group/uniform", "length/truncated"})


class Board:
    """What has been heard of a run, and how it looks; rich draws it whenever it likes."""

    def __init__(self) -> None:
        self.phase = "loading"
        self._lock = threading.Lock()
        self._began = time.monotonic()
        self._first: int | None = None
        self._step, self._steps = 0, 0
        self._heard: dict[str, list[float]] = {}
        self._seconds: dict[str, float] = {}
        self._speed: float | None = None

    def hear_step(self, metrics: Mapping[str, Any], steps: int) -> None:
        """A line of metrics.jsonl."""
        with self._lock:
            self._hear_step(metrics, steps)

    def hear_evaluation(self, metrics: Mapping[str, Any]) -> None:
        """A line of eval.jsonl."""
        with self._lock:
            self._hear_evaluation(metrics)

    def __rich__(self) -> Group:
        with self._lock:
            return Group(self._progress(), self._table(), self._breakdown())

    def _hear_step(self, metrics: Mapping[str, Any], steps: int) -> None:
        self._step, self._steps = int(metrics["step"]), steps
        if self._first is None:
            self._first = self._step - 1
        self._speed = metrics.get("time/generated_tokens_per_second", self._speed)
        for key, value in metrics.items():
            if key.startswith("time/"):
                self._seconds[key] = self._seconds.get(key, 0.0) + (value or 0.0)
            elif _is_number(value):
                self._hear(key, float(value))

    def _hear_evaluation(self, metrics: Mapping[str, Any]) -> None:
        for key, value in metrics.items():
            if key.endswith(("/accuracy", "/variants", "/sealed")) and _is_number(value):
                self._hear(key, float(value))
        self._seconds["validation"] = self._seconds.get("validation", 0.0) + (metrics.get("time/seconds") or 0.0)

    def _hear(self, key: str, value: float) -> None:
        values = self._heard.setdefault(key, [])
        values.append(value)
        if len(values) > _KEPT:
            del values[1:-1:2]

    def _progress(self) -> Table:
        elapsed = time.monotonic() - self._began
        done = self._step - (self._first or 0)
        left = (self._steps - self._step) * elapsed / done if done else None
        line = Table.grid(padding=(0, 2))
        total = f"/{self._steps:,}" if self._steps else ""
        line.add_row(
            Text(f"step {self._step:,}{total}", "bold"),
            ProgressBar(total=max(self._steps, 1), completed=self._step, width=WIDTH),
            Text(f"{clock(elapsed)} gone" + ("" if left is None else f", {clock(left)} left")),
            Text(self.phase, "dim"),
        )
        return line

    def _table(self) -> Table:
        table = Table.grid(padding=(0, 2))
        for name, values, is_share in self._rows():
            table.add_row(Text(name), Text(shown(values[-1], is_share), "bold", justify="right"), sparkline(values))
        return table

    def _rows(self) -> Iterator[tuple[str, Sequence[float], bool]]:
        for key, name in _ROWS:
            if key in self._heard:
                yield name, self._heard[key], key in _SHARES
        for key, values in self._heard.items():
            if key.startswith("drift/kind/"):
                yield printable(f"drift {key.removeprefix('drift/kind/')}"), values, False
        for key, values in self._heard.items():
            if key.endswith(("/accuracy", "/variants", "/sealed")) and not key.startswith("reward/"):
                yield printable(key), values, True

    def _breakdown(self) -> Text:
        parts = [(name, self._seconds.get(f"time/{key}", 0.0)) for key, name in _TIMES]
        parts.append(("validate", self._seconds.get("validation", 0.0)))
        total = self._seconds.get("time/step", 0.0) + self._seconds.get("validation", 0.0)
        if not total:
            return Text("")
        shares = [f"{name} {seconds / total:.0%}" for name, seconds in parts if seconds >= 0.005 * total]
        speed = "" if self._speed is None else f" · {self._speed:,.0f} tokens/s generated"
        return Text(f"time: {', '.join(shares)}{speed}", "dim")


def sparkline(values: Sequence[float], width: int = WIDTH) -> str:
    """Values as bars from their lowest to their highest; of many, the means of equal stretches.

    >>> sparkline([0.0, 0.5, 1.0]), sparkline([2.0, 2.0])
    ('▁▅█', '▁▁')
    """
    size = max(math.ceil(len(values) / width), 1)
    parts = [values[start : start + size] for start in range(0, len(values), size)]
    means = [math.fsum(part) / len(part) for part in parts]
    low, high = min(means), max(means)
    scale = (len(BARS) - 1) / (high - low) if high > low else 0.0
    return "".join(BARS[round((mean - low) * scale + 1e-9)] for mean in means)


def clock(seconds: float) -> str:
    """A stretch of time as on a clock.

    >>> clock(8), clock(187), clock(7260)
    ('0:08', '3:07', '2:01:00')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def shown(value: float, is_share: bool) -> str:
    """A number for the table."""
    return f"{value:.1%}" if is_share else f"{value:.3g}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
