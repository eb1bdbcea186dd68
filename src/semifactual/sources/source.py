"""The face of this floor: open what the user named, scan it to its end, and hand out its problems in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

from semifactual.answers.verifier import equivalent
from semifactual.errors import SourceError
from semifactual.sources.duplicates import Index, Seen
from semifactual.sources.fields import Fields, find_fields
from semifactual.sources.problems import is_built, to_problem
from semifactual.sources.readers import open_table
from semifactual.sources.rows import BadRow, Place, Row, Table
from semifactual.types import Problem

BUILTIN_PREFIX = "builtin:"
SAMPLED_ROWS = 20
"""Fields are guessed from so many rows."""
SHOWN_ANSWERS = 3
SHOWN_ROWS = 20
"""So many of the rows that cannot be used are shown; all are counted."""

Placed = tuple[Place, Problem | BadRow]


@dataclass(frozen=True, slots=True)
class Source:
    """Problems from one place, in its order, as often as wanted."""

    name: str
    """What the column `source` says."""
    placed: Callable[[], Iterator[Placed]]
    fingerprint: Callable[[], str]
    """Changes whenever the problems may have changed."""
    reads: str
    """What is read from where: "problems from question (guessed), ..."."""

    def rows(self) -> Iterator[Problem | BadRow]:
        """What each row holds."""
        return (item for _, item in self.placed())

    def describe(self) -> str:
        """The source and what is read from where, as a sentence."""
        return f"{self.name}: {self.reads}."


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What a whole source holds."""

    rows: int
    problems: int
    """How many different problems can be used."""
    duplicates: int
    bad_rows: int
    shown: tuple[BadRow, ...]
    """The first of the bad rows."""
    prompt_formats: Counter[str] = field(default_factory=Counter)
    """How many problems had which instructions around them."""
    unverifiable: int = 0
    """How many reference answers the verifier cannot find equal to themselves, so that no response could match them."""
    shown_unverifiable: tuple[str, ...] = ()
    """The first of those, with their places."""

    def notices(self) -> list[str]:
        """What a user should hear of it, a sentence each."""
        framed = self.prompt_formats.total()
        formats = len(self.prompt_formats)
        said = [f"{self.problems:,} problems in {self.rows:,} rows."]
        if framed:
            said.append(f"Instructions around {framed:,} problems ({formats} forms) were set apart as prompt_format.")
        if self.duplicates:
            said.append(f"{self.duplicates:,} exact duplicates were merged.")
        if self.unverifiable:
            few = "; ".join(self.shown_unverifiable)
            said.append(f"{self.unverifiable:,} answers do not verify even against themselves: {few}.")
        if self.bad_rows:
            said.append(f"{self.bad_rows:,} rows that cannot be used were left out.")
        return said


def open_source(
    spec: str,
    *,
    seed: int = 0,
    split: str | None = None,
    config_name: str | None = None,
    problem_field: str | None = None,
    answer_field: str | None = None,
    id_field: str | None = None,
) -> Source:
    """The source that `spec` names: ``builtin:NAME?options``, a data file, a folder, or a Hub id.

    Raises:
        SourceError: there is no such source, it is not what its ending says, or its fields cannot be found.
    """
    if spec.startswith(BUILTIN_PREFIX):
        return _open_builtin(spec, seed)
    table = open_table(spec, split=split, config_name=config_name)
    samples = [row.fields for row in islice(_good_rows(table), SAMPLED_ROWS)]
    if not samples:
        first = next(table.rows(), None)
        why = f"no row of {spec} can be read: {first}" if first is not None else f"{spec} has no rows"
        raise SourceError(why)
    fields = find_fields(samples, problem=problem_field, answer=answer_field, id=id_field)
    reads = "the rows of a built dataset" if all(map(is_built, samples)) else fields.describe()
    return Source(table.name, partial(_placed, table, fields), table.fingerprint, reads)


def _good_rows(table: Table) -> Iterator[Row]:
    return (row for row in table.rows() if isinstance(row, Row))


def _placed(table: Table, fields: Fields) -> Iterator[Placed]:
    for index, row in enumerate(table.rows()):
        yield row.place, row if isinstance(row, BadRow) else to_problem(row, index, table.name, fields)


def _open_builtin(spec: str, seed: int) -> Source:
    from semifactual.sources.builtin import open_builtin

    problems = open_builtin(spec, seed)

    def placed() -> Iterator[Placed]:
        return ((Place(spec, number, "row"), problem) for number, problem in enumerate(problems, start=1))

    return Source(problems.name, placed, problems.sha256, problems.describe())


def scan(source: Source, *, skip_bad_rows: bool = False) -> ScanReport:
    """Read the whole source once, so that nothing that costs work starts on one that cannot be used.

    Raises:
        SourceError: rows cannot be used (unless they are to be skipped), two rows ask the same and answer differently,
            two problems have one id, or no problem is left.
    """
    counts: Counter[str] = Counter()
    shown: list[BadRow] = []
    clashes: list[str] = []
    formats: Counter[str] = Counter()
    unverifiable: list[str] = []
    for seen, place, item, earlier in _seen(source):
        counts["rows"] += 1
        if isinstance(item, BadRow):
            counts["bad"] += 1
            shown += [item] if len(shown) < SHOWN_ROWS else []
        elif seen in _CLASHES:
            counts["clashes"] += 1
            clashes += [_CLASHES[seen].format(place=place, earlier=earlier)] if len(clashes) < SHOWN_ROWS else []
        else:
            counts[seen] += 1
            _count_format(formats, item.metadata)
            if seen is Seen.NEW and not _verifies(item.answer):
                counts["unverifiable"] += 1
                unverifiable += [f"{place} {item.answer[:40]!r}"] if len(unverifiable) < SHOWN_ANSWERS else []
    if counts["bad"] and not skip_bad_rows:
        raise SourceError(
            _listing(f"{counts['bad']:,} of {counts['rows']:,} rows cannot be used", counts["bad"], map(str, shown)),
            hint="mend them, or leave them out with --skip-bad-rows",
        )
    if clashes:
        raise SourceError(
            _listing(f"rows that contradict an earlier one: {counts['clashes']:,}", counts["clashes"], clashes),
            hint="mend the source (or, where ids clash, name another --id-field, or none to number the rows)",
        )
    if not counts[Seen.NEW]:
        raise SourceError(f"{source.name} has no problem that can be used")
    return ScanReport(
        counts["rows"],
        counts[Seen.NEW],
        counts[Seen.DUPLICATE],
        counts["bad"],
        tuple(shown),
        formats,
        counts["unverifiable"],
        tuple(unverifiable),
    )


def problems(source: Source) -> Iterator[Problem]:
    """The problems of a source that was scanned: without bad rows, and each duplicate once."""
    return (item for seen, _, item, _ in _seen(source) if seen is Seen.NEW and isinstance(item, Problem))


_CLASHES = {
    Seen.CONFLICT: "{place} has the text of {earlier} with another answer.",
    Seen.SAME_ID: "{place} has the id of {earlier} with another text.",
}


def _seen(source: Source) -> Iterator[tuple[Seen, Place, Problem | BadRow, str]]:
    with Index() as index:
        for place, item in source.placed():
            if isinstance(item, BadRow):
                yield Seen.NEW, place, item, ""
            else:
                sighting = index.see(item, str(place))
                yield sighting.seen, place, item, sighting.earlier


def _verifies(answer: str) -> bool:
    """Whether a reference answer equals itself. A plain number does, without asking."""
    return answer.removeprefix("-").isdecimal() or equivalent(answer, answer).equal


def _count_format(formats: Counter[str], metadata: Any) -> None:
    if (prompt_format := metadata.get("prompt_format")) is not None and len(formats) < 1000:
        formats[str(prompt_format)] += 1


def _listing(what: str, total: int, shown: Iterable[str]) -> str:
    """A sentence with one line for each of the rows that it is about, as far as they are shown."""
    lines = [f"\n  {line}" for line in shown]
    more = f"\n  and {total - len(lines):,} more" if total > len(lines) else ""
    return f"{what}:{''.join(lines)}{more}"
