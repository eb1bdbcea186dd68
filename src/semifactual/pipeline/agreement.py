"""How verdicts fall by the values of a column, and how far they agree with what people say of the same rewrites.

A rewrite is *rejected* where a dataset may not hold it: it is invalid, unsure, or its answer is refuted. A violating
one that is rejected is *caught*, a preserving one *falsely rejected*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from semifactual.pipeline.labels import Labels, Side
from semifactual.pipeline.pairs import PairRow
from semifactual.pipeline.proportions import Proportion
from semifactual.types import AnswerCheck
from semifactual.validate.verdict import Outcome

NO_VALUE = "(none)"
"""The group of the rows that have no value in the column."""


class Cell(NamedTuple):
    """What rows that are counted together have in common."""

    kind: str
    group: str
    side: Side | None
    outcome: str
    rejected: bool


@dataclass(frozen=True, slots=True)
class Rates:
    """How far the verdicts on some labelled rows agree with their labels."""

    caught: Proportion
    """Of the rows whose label says that the problem changed, those that were rejected."""
    caught_unsure: int
    """How many of these only because the verdict is unsure."""
    falsely_rejected: Proportion
    """Of the rows whose label says that it was kept, those that were rejected."""
    falsely_unsure: int
    unsure: Proportion
    """Of all labelled rows, those with the verdict unsure."""

    def to_json(self) -> dict[str, Any]:
        """Every rate with its counts and interval."""
        return {
            "caught": {**self.caught.to_json(), "unsure": self.caught_unsure},
            "falsely_rejected": {**self.falsely_rejected.to_json(), "unsure": self.falsely_unsure},
            "unsure": self.unsure.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Tally:
    """How many rows of each sort there are."""

    cells: Counter[Cell] = field(default_factory=Counter)

    @property
    def rows(self) -> int:
        """All rows."""
        return self.cells.total()

    @property
    def outcomes(self) -> Counter[str]:
        """How often each outcome came."""
        counts: Counter[str] = Counter()
        for cell, count in self.cells.items():
            counts[cell.outcome] += count
        return counts

    @property
    def accepted(self) -> Proportion:
        """How many rows were not rejected."""
        return Proportion(self._count(rejected=False), self.rows)

    @property
    def rates(self) -> Rates:
        """How far the rows agree with their labels; those without one do not count."""
        kept, changed = (self._count(side=side) for side in (Side.KEPT, Side.CHANGED))
        kept_unsure, changed_unsure = (
            self._count(side=side, outcome=Outcome.UNSURE) for side in (Side.KEPT, Side.CHANGED)
        )
        return Rates(
            Proportion(self._count(side=Side.CHANGED, rejected=True), changed),
            changed_unsure,
            Proportion(self._count(side=Side.KEPT, rejected=True), kept),
            kept_unsure,
            Proportion(kept_unsure + changed_unsure, kept + changed),
        )

    def split(self, key: Callable[[Cell], str]) -> dict[str, Tally]:
        """The same rows, apart by what `key` says of them."""
        parts: dict[str, Tally] = {}
        for cell, count in self.cells.items():
            parts.setdefault(key(cell), Tally()).cells[cell] += count
        return parts

    def _count(self, **wanted: object) -> int:
        return sum(
            count
            for cell, count in self.cells.items()
            if all(getattr(cell, name) == value for name, value in wanted.items())
        )


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts of verdicts by kind, by the value of a column, and by what the label says."""

    column: str | None = None
    """The column by whose values rows are grouped."""
    labels: Labels | None = None
    all: Tally = field(default_factory=Tally)

    def add(self, pair: PairRow, verdict: Mapping[str, Any]) -> Cell:
        """Count one verdict, and say where it was counted."""
        side = None if self.labels is None or pair.label is None else self.labels.sides.get(pair.label)
        group = NO_VALUE if pair.by is None else pair.by
        cell = Cell(pair.kind, group, side, verdict["outcome"], is_rejected(verdict))
        self.all.cells[cell] += 1
        return cell

    def by_kind(self) -> dict[str, Tally]:
        """The rows of each kind, in order."""
        return dict(sorted(self.all.split(lambda cell: cell.kind).items()))

    def by_group(self) -> dict[str, Tally]:
        """The rows of each value of the column, the most frequent first."""
        parts = self.all.split(lambda cell: cell.group)
        return dict(sorted(parts.items(), key=lambda part: (-part[1].rows, part[0])))

    def to_json(self) -> dict[str, Any]:
        """The parts `by` and `labels` of what `check --json` prints, each where it was asked for."""
        groups = {} if self.column is None else self.by_group()
        parts: dict[str, Any] = {}
        if self.column is not None:
            counts = {
                name: {
                    "rows": part.rows,
                    "outcomes": dict(sorted(part.outcomes.items())),
                    "accepted": part.accepted.to_json(),
                }
                for name, part in groups.items()
            }
            parts["by"] = {"column": self.column, "values": counts}
        if self.labels is not None:
            parts["labels"] = {
                "column": self.labels.column,
                **{side.value: self.labels.values(side) for side in Side},
                "left_out": list(self.labels.left_out),
                "all": self.all.rates.to_json(),
                "kinds": {kind: part.rates.to_json() for kind, part in self.by_kind().items()},
                **({"by": {name: part.rates.to_json() for name, part in groups.items()}} if groups else {}),
            }
        return parts


def is_rejected(verdict: Mapping[str, Any]) -> bool:
    """Whether a dataset may not hold the rewrite of this verdict row."""
    return bool(verdict["outcome"] != Outcome.VALID or verdict["answer_check"] == AnswerCheck.REFUTED)
