"""The rewrites that a reader of many verdicts wants to see: those that disagree with their label, or were rejected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from semifactual.pipeline.agreement import Cell
from semifactual.pipeline.labels import Side
from semifactual.pipeline.pairs import PairRow

MOST_A_GROUP = 500
MOST = 5000
"""More than these nobody reads, and no browser opens quickly; what is left out is counted."""


class Sort(StrEnum):
    """Why a rewrite is shown."""

    FALSELY_REJECTED = "falsely rejected"
    """Its label says kept, and it is rejected."""
    MISSED = "missed"
    """Its label says changed, and it is not rejected."""
    REJECTED = "rejected"
    """It is rejected, and there are no labels."""


@dataclass(frozen=True, slots=True)
class Case:
    """One rewrite to look at, with what was said of it."""

    pair: PairRow
    outcome: str
    answer_check: str
    checks: tuple[Mapping[str, Any], ...]
    """The checks that did not pass."""


@dataclass(slots=True)
class CaseGroup:
    """Rewrites of one sort that are shown together."""

    total: int = 0
    cases: list[Case] = field(default_factory=list)
    """The first of them."""


@dataclass(slots=True)
class CheckCounts:
    """How many rows a check did not pass, by what their labels say."""

    rows: int = 0
    alone: int = 0
    """Rows that every other check passed."""
    sides: Counter[Side] = field(default_factory=Counter)
    alone_of: Counter[Side] = field(default_factory=Counter)


@dataclass(slots=True)
class Cases:
    """What is shown of many verdicts, grouped; memory stays bounded however many they are."""

    labelled: bool
    by_column: bool = False
    """Whether rows are grouped by the column, and not by their kind."""
    groups: dict[Sort, dict[str, CaseGroup]] = field(default_factory=dict)
    checks: dict[str, CheckCounts] = field(default_factory=dict)
    held: int = 0

    def add(self, pair: PairRow, verdict: Mapping[str, Any], cell: Cell) -> None:
        """Look at one verdict, which was counted in this cell, and keep it if it is to be shown."""
        failed = tuple(check for check in verdict["checks"] if not check["passed"])
        for check in failed:
            counts = self.checks.setdefault(check["name"], CheckCounts())
            alone = len(failed) == 1
            counts.rows += 1
            counts.alone += alone
            if cell.side is not None:
                counts.sides[cell.side] += 1
                counts.alone_of[cell.side] += alone
        sort = self._sort(cell)
        if sort is None:
            return
        name = cell.group if self.by_column else cell.kind
        group = self.groups.setdefault(sort, {}).setdefault(name, CaseGroup())
        group.total += 1
        if len(group.cases) < MOST_A_GROUP and self.held < MOST:
            self.held += 1
            group.cases.append(Case(pair, verdict["outcome"], verdict["answer_check"], failed))

    def total(self, sort: Sort) -> int:
        """How many rewrites there are of this sort, shown or not."""
        return sum(group.total for group in self.groups.get(sort, {}).values())

    def _sort(self, cell: Cell) -> Sort | None:
        if not self.labelled:
            return Sort.REJECTED if cell.rejected else None
        if cell.side is Side.KEPT and cell.rejected:
            return Sort.FALSELY_REJECTED
        return Sort.MISSED if cell.side is Side.CHANGED and not cell.rejected else None
