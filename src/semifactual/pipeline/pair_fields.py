"""Which columns of a file of rewrites hold what, and the one sentence on a column that no row has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from semifactual.errors import SourceError

SHOWN_COLUMNS = 30
_PURPOSE = {
    "problem": ", which would hold the problem",
    "rewrite": ", which would hold the rewrite",
    "kind": ", which would hold the kind",
    "answer": ", which would hold the answer",
    "label": ", which would hold the label",
    "by": ", by which to count",
}


@dataclass(frozen=True, slots=True)
class PairFields:
    """Which fields of a row hold what: the first of these names that a row has."""

    problem: tuple[str, ...] = ("problem", "original")
    rewrite: tuple[str, ...] = ("rewrite", "perturbed", "text")
    kind: tuple[str, ...] = ("kind", "type")
    answer: tuple[str, ...] = ("answer",)
    every_kind: str | None = None
    """The kind of all rows, whatever they say themselves."""
    by: str | None = None
    """The column by whose values the verdicts are counted."""
    label: str | None = None
    """The column that says whether the problem was kept."""

    @classmethod
    def named(
        cls,
        problem: str | None = None,
        rewrite: str | None = None,
        kind: str | None = None,
        answer: str | None = None,
        every_kind: str | None = None,
        by: str | None = None,
        label: str | None = None,
    ) -> PairFields:
        """The usual names, but exactly the given one where one is given."""
        given = {"problem": problem, "rewrite": rewrite, "kind": kind, "answer": answer}
        named = {role: (name,) for role, name in given.items() if name is not None}
        return cls(**named, every_kind=every_kind, by=by, label=label)

    def wanted(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """What the rows must have, each with the names that the column may have."""
        yield "problem", self.problem
        yield "rewrite", self.rewrite
        if self.every_kind is None:
            yield "kind", self.kind
        if self.answer != type(self)().answer:
            yield "answer", self.answer
        for role, name in (("label", self.label), ("by", self.by)):
            if name is not None:
                yield role, (name,)


@dataclass(slots=True)
class Columns:
    """Which columns the rows of a source were seen to have."""

    seen: set[str] = field(default_factory=set)
    of_first: tuple[str, ...] = ()
    """Those of the first row that hold one value."""

    def add(self, *parts: Mapping[str, Any]) -> None:
        """Look at the fields of a row, of its metadata too."""
        if not self.of_first:
            single = (name for part in parts for name, value in part.items() if not isinstance(value, dict | list))
            self.of_first = tuple(dict.fromkeys(single))
        for part in parts:
            self.seen.update(part)

    def require(self, fields: PairFields) -> None:
        """Check that each column which is wanted stands in some row, where any row was seen.

        Raises:
            SourceError: with the first one that does not.
        """
        if not self.seen:
            return
        for role, names in fields.wanted():
            if self.seen.isdisjoint(names):
                raise SourceError(f"no row has the field {' or '.join(names)}{_PURPOSE[role]}", hint=self._hint(role))

    def _hint(self, role: str) -> str:
        shown = ", ".join(self.of_first[:SHOWN_COLUMNS])
        more = f" and {len(self.of_first) - SHOWN_COLUMNS:,} more" if len(self.of_first) > SHOWN_COLUMNS else ""
        ways = f"name the right one with --{role}{'' if role == 'by' else '-field'} FIELD"
        of_all = ", or the kind of all rows with --kind K" if role == "kind" else ""
        return f"the first row has: {shown}{more}; {ways}{of_all}"
