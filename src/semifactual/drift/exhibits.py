"""What a report shows of a run beside its summary, picked in two passes over the run's files in bounded memory."""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from semifactual.drift.scored import IDENTITY, ORIGINAL
from semifactual.drift.tables import DRIFT, LOGPS, PROMPTS, RESPONSES
from semifactual.errors import SourceError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float32]
    Counts: TypeAlias = NDArray[np.int64]

Key: TypeAlias = tuple[str, int]
"""Problem id and sample."""

MOST_DRIFTING = 12
AT_RANDOM = 18
MOMENTS = 15
CELLS = 32
"""Cells of a transition on each side."""
MOVED = 0.1
"""The drift above which a token is said to fall or to rise."""

_ROWS = 64
"""Rows of a parquet file that are in memory at a time."""
_SCORED_APART = (ORIGINAL, IDENTITY)


@dataclass
class Shown:
    """One response that the report shows."""

    key: Key
    tokens: list[str]
    categories: list[str]
    drift: Floats
    by_kind: dict[str, Floats]
    original: Floats | None = None
    """log p of its tokens under the original prompt."""
    rewritten: dict[str, list[Floats]] = field(default_factory=dict)
    """The same under the rewrites of each kind."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Its row of responses.jsonl."""

    @property
    def mean(self) -> float:
        return float(self.drift.mean(dtype=np.float64)) if len(self.drift) else 0.0


_Moment: TypeAlias = tuple[float, Shown, int]
"""A drift, the response in which it occurs, and the token's place."""


@dataclass
class Transition:
    """Where the tokens' probabilities go under the rewrites of one kind."""

    cells: Counts
    """``cells[i, j]``: tokens with p0 in the i-th and pk in the j-th of `CELLS` equal parts of [0, 1]."""
    fell: int = 0
    """Tokens that lose probability, by a drift above `MOVED`: smaller moves may be arithmetic."""
    rose: int = 0
    """Tokens that gain as much."""

    @property
    def tokens(self) -> int:
        return int(self.cells.sum())


@dataclass
class Exhibits:
    """Everything beside the summary that a report shows."""

    most_drifting: list[Shown]
    """The responses with the highest mean drift, highest first."""
    at_random: list[Shown]
    """A random sample of the others, in the order of the run."""
    moments: list[tuple[Shown, int]]
    """Responses with the highest drift of a token, and its place; at most one a problem, highest first."""
    transitions: dict[str, Transition]
    prompts: dict[str, Mapping[str, Any]]
    """Rows of prompts.jsonl by problem id, of the responses that are shown."""


def read_exhibits(run: Path, seed: int = 0) -> Exhibits:
    """Read drift.parquet, then logps.parquet, responses.jsonl and prompts.jsonl; keep only what is shown.

    In logps.parquet the rows of a problem must follow each other. Equal files and seed give equal exhibits.

    Raises:
        SourceError: a file is missing, or the rows of a problem do not follow each other.
    """
    most, random, moments = _pick(run_file(run, DRIFT), seed)
    shown = {one.key: one for one in [*most, *random, *(one for one, _ in moments)]}
    transitions = _transitions(run_file(run, LOGPS), shown)
    for row in _json_rows(run_file(run, RESPONSES)):
        if one := shown.get((row["problem_id"], row["sample"])):
            one.facts = row
    problems = {problem for problem, _ in shown}
    prompts: dict[str, Mapping[str, Any]] = {
        row["problem_id"]: row for row in _json_rows(run_file(run, PROMPTS)) if row["problem_id"] in problems
    }
    return Exhibits(most, random, [(shown[one.key], at) for one, at in moments], transitions, prompts)


def read_transitions(run: Path) -> dict[str, Transition]:
    """The transitions alone, by kind.

    Raises:
        SourceError: there is no logps.parquet, or the rows of a problem do not follow each other.
    """
    return _transitions(run_file(run, LOGPS), {})


def run_file(run: Path, name: str) -> Path:
    """A file of the run.

    Raises:
        SourceError: there is none of this name.
    """
    path = run / name
    if not path.is_file():
        raise SourceError(f"{run} holds no {name}", hint="give a folder that `semifactual drift` has written")
    return path


def _pick(path: Path, seed: int) -> tuple[list[Shown], list[Shown], list[tuple[Shown, int]]]:
    rng = Random(seed)
    highest: list[tuple[float, int, Shown]] = []
    sharpest: list[_Moment] = []
    reservoir: list[tuple[int, Shown]] = []
    wanted = MOST_DRIFTING + AT_RANDOM
    for number, (row, drift) in enumerate(_drift_rows(path)):
        mean, place = float(drift.mean(dtype=np.float64)), int(drift.argmax())
        peak = float(drift[place])
        slot = number if number < wanted else rng.randrange(number + 1)
        is_high = len(highest) < MOST_DRIFTING or mean > highest[0][0]
        is_sharp = peak > 0 and (len(sharpest) < MOMENTS or peak > sharpest[-1][0])
        if not (is_high or is_sharp or slot < wanted):
            continue
        one = row()
        if is_high:
            push = heapq.heappush if len(highest) < MOST_DRIFTING else heapq.heappushpop
            push(highest, (mean, -number, one))  # numbers differ, so that no response is compared
        if is_sharp:
            sharpest = _with_moment(sharpest, (peak, one, place))
        if slot < wanted:
            reservoir[slot : slot + 1] = [(number, one)]
    most = [one for _, _, one in sorted(highest, key=lambda kept: kept[:2], reverse=True)]
    taken = {one.key for one in most}
    rng.shuffle(reservoir)  # early responses sit in early places, so that cutting would favour them
    others = sorted([pair for pair in reservoir if pair[1].key not in taken][:AT_RANDOM], key=lambda pair: pair[0])
    return most, [one for _, one in others], [(one, at) for _, one, at in sharpest]


def _with_moment(kept: list[_Moment], new: _Moment) -> list[_Moment]:
    """The highest `MOMENTS`, highest first, of which no two are of one problem; of equals, the earlier."""
    problem = new[1].key[0]
    rival = next((moment for moment in kept if moment[1].key[0] == problem), None)
    if rival is not None and rival[0] >= new[0]:
        return kept
    others = [moment for moment in kept if moment is not rival]
    return sorted([*others, new], key=lambda moment: -moment[0])[:MOMENTS]


def _drift_rows(path: Path) -> Iterator[tuple[Any, Floats]]:
    """For each response with tokens, a function that makes it, and its drift; most are looked at and never made."""
    for batch in _batches(path, ["problem_id", "sample", "tokens", "categories", "drift", "drift_by_kind"]):
        drift = list(_lists(batch.column("drift")))
        for i in range(batch.num_rows):
            if len(drift[i]):
                yield (lambda batch=batch, i=i, drift=drift: _shown(batch, i, drift[i])), drift[i]


def _shown(batch: Any, i: int, drift: Floats) -> Shown:
    row = {name: batch.column(name)[i].as_py() for name in ("problem_id", "sample", "tokens", "categories")}
    by_kind = {
        entry["kind"].as_py(): np.array(entry["drift"].values.to_numpy(zero_copy_only=False))
        for entry in batch.column("drift_by_kind")[i]
    }
    return Shown((row["problem_id"], row["sample"]), row["tokens"], row["categories"], np.array(drift), by_kind)


def _transitions(path: Path, shown: Mapping[Key, Shown]) -> dict[str, Transition]:
    transitions: dict[str, Transition] = {}
    for key, logps in _scored(path):
        original = logps[ORIGINAL][0]
        for kind in logps.keys() - set(_SCORED_APART):
            transition = transitions.setdefault(kind, Transition(np.zeros((CELLS, CELLS), np.int64)))
            for rewritten in logps[kind]:
                _add(transition, original, rewritten)
        if key in shown:
            shown[key].original = original
            shown[key].rewritten = {kind: rows for kind, rows in logps.items() if kind not in _SCORED_APART}
    return dict(sorted(transitions.items()))


def _add(transition: Transition, original: Floats, rewritten: Floats) -> None:
    p0, pk = (np.minimum((np.exp(logps) * CELLS).astype(np.int64), CELLS - 1) for logps in (original, rewritten))
    transition.cells += np.bincount(p0 * CELLS + pk, minlength=CELLS * CELLS).reshape(CELLS, CELLS)
    rise = rewritten - original
    bound = 2 * math.atanh(MOVED / 2)  # d = 2 tanh(|rise| / 2)
    transition.fell += int((rise < -bound).sum())
    transition.rose += int((rise > bound).sum())


def _scored(path: Path) -> Iterator[tuple[Key, dict[str, list[Floats]]]]:
    """For each response, its log-probs by kind; one problem's responses are in memory at a time."""
    problem: str | None = None
    open_: dict[Key, dict[str, list[Floats]]] = {}
    for batch in _batches(path, ["problem_id", "sample", "kind", "logps"]):
        names = (batch.column(name).to_pylist() for name in ("problem_id", "sample", "kind"))
        for row_problem, sample, kind, logps in zip(*names, _lists(batch.column("logps")), strict=True):
            if row_problem != problem:
                yield from _closed(path, open_)
                problem, open_ = row_problem, {}
            open_.setdefault((row_problem, sample), {}).setdefault(kind, []).append(np.array(logps))
    yield from _closed(path, open_)


def _closed(path: Path, rows: Mapping[Key, dict[str, list[Floats]]]) -> Iterator[tuple[Key, dict[str, list[Floats]]]]:
    for key, logps in rows.items():
        if ORIGINAL not in logps:
            raise SourceError(f"{path} does not keep the rows of problem {key[0]!r} together, or lacks its original")
        yield key, logps


def _batches(path: Path, columns: list[str]) -> Iterator[Any]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, pre_buffer=False) as file:
        yield from file.iter_batches(batch_size=_ROWS, columns=columns, use_threads=False)


def _lists(column: Any) -> Iterator[Floats]:
    """The rows of a list column as arrays, without a Python number in between."""
    values, offsets = column.values.to_numpy(zero_copy_only=False), column.offsets.to_numpy()
    return (values[start:stop] for start, stop in pairwise(offsets))


def _json_rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())
