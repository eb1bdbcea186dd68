"""What `semifactual check` prints: outcomes by kind and by column, and rates beside their intervals."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from .console import WIDTH, print_table, printable
from .spending import print_failures, spending

if TYPE_CHECKING:
    from semifactual.pipeline.agreement import Agreement, Tally
    from semifactual.pipeline.check_report import CheckReport
    from semifactual.pipeline.proportions import Proportion

SHOWN_CHECKS = 3
SHOWN_GROUPS = 20
SHOWN_LABELS = 12
_WIDEST_NAME = 25
_SHORTEST_NAME = 8
_RATES = ("changed: caught", "kept: rejected", "unsure")
_OUTCOMES = ("valid", "invalid", "unsure")


def print_report(report: CheckReport, written: Mapping[str, str | None]) -> None:
    """The tables that were asked for, a line on the whole, and where the files are."""
    print_table(["kind", *_OUTCOMES, "most often failed"], [_kind_row(report, kind) for kind in report.outcomes])
    if report.agreement.column is not None:
        _print_groups(report.agreement, report.agreement.column)
    if report.agreement.labels is not None:
        _print_rates(report.agreement)
    print(_whole(report))
    if report.traffic is not None:
        asked = any(report.traffic["requests"].values())
        words = spending(report.traffic, report.traffic["currency"]) if asked else "no rewrite needed asking"
        print(f"models: {words}")
        print_failures(report.traffic)
    for name, path in written.items():
        if path is not None:
            print(printable(f"{'verdicts' if name == 'out' else 'page'} in {path}"))


def share(rate: Proportion) -> str:
    """A share in per cent, its count, and its interval: ``9/10 90.0 % (59.6-98.2)``."""
    if not rate.of:
        return "-"
    low, high = (100 * bound for bound in rate.interval)
    return f"{_share(rate)} ({low:.1f}-{high:.1f})"


def _share(rate: Proportion) -> str:
    return f"{rate.count}/{rate.of} {rate.count / rate.of:.1%}".replace("%", " %") if rate.of else "-"


def _whole(report: CheckReport) -> str:
    skipped = f"; {report.skipped:,} unusable row{'s' * (report.skipped != 1)} left out" if report.skipped else ""
    refuted = report.valid + report.rejected - report.rows
    but = f", but the answer of {refuted:,} is refuted" if refuted else ""
    nouns = "rewrite is" if report.rows == 1 else "rewrites are"
    return f"{report.valid:,} of {report.rows:,} {nouns} valid{but}{skipped}"


def _kind_row(report: CheckReport, kind: str) -> list[object]:
    outcomes = report.outcomes[kind]
    often = ", ".join(f"{name} {count}" for name, count in list(report.failed_checks[kind].items())[:SHOWN_CHECKS])
    return [kind, *(outcomes.get(name, 0) for name in _OUTCOMES), often]


def _print_groups(agreement: Agreement, column: str) -> None:
    groups = agreement.by_group()
    rows = [
        [_name(name), part.rows, *(part.outcomes[outcome] for outcome in _OUTCOMES), share(part.accepted)]
        for name, part in _first(groups)
    ]
    print()
    print_table([_name(column), "rows", *_OUTCOMES, "accepted (95 %)"], rows)
    _print_rest(groups)


def _print_rates(agreement: Agreement) -> None:
    """A table of the kinds, where there are several, one of the column's values, and a line for all rows."""
    labels, groups = agreement.labels, agreement.by_group() if agreement.column is not None else {}
    assert labels is not None
    kinds = agreement.by_kind() if len(agreement.by_kind()) > 1 else {}
    tables = [("kind", list(kinds.items())), (agreement.column or "", list(_first(groups)))]
    named = [(heading, parts) for heading, parts in tables if parts] or [("", [])]
    named[-1][1].append(("all", agreement.all))
    print(printable(f"\nagainst the labels in {_name(labels.column)}, with 95 % intervals:"))
    for heading, parts in named:
        print_table(*_fitting([_name(heading), *_RATES], [_rate_row(name, part) for name, part in parts]))
        print()
    _print_rest(groups)
    if labels.unnamed:
        few = len(labels.unnamed) <= SHOWN_LABELS
        values = ", ".join(map(_name, labels.unnamed)) if few else f"{len(labels.unnamed):,} labels"
        _print_wrapped(f"counted as {labels.sides[labels.unnamed[0]]}, because no option names them: {values}")
    if labels.left_out:
        _print_wrapped(f"no rate counts the label {', '.join(map(_name, labels.left_out))}")


def _rate_row(name: str, part: Tally) -> list[str]:
    """Name and rates; for the interval of the unsure there is no room."""
    rates = part.rates
    return [_name(name), share(rates.caught), share(rates.falsely_rejected), _share(rates.unsure)]


def _fitting(headings: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """The table with names as short as its width asks for."""
    others = [max(map(len, column)) for column in zip(headings[1:], *(row[1:] for row in rows), strict=True)]
    room = max(WIDTH - sum(others) - 2 * len(others), _SHORTEST_NAME)
    return [_name(headings[0], room), *headings[1:]], [[_name(row[0], room), *row[1:]] for row in rows]


def _print_wrapped(sentence: str) -> None:
    print(textwrap.fill(printable(sentence), WIDTH, break_on_hyphens=False))


def _first(groups: Mapping[str, Tally]) -> Iterator[tuple[str, Tally]]:
    return (item for _, item in zip(range(SHOWN_GROUPS), groups.items(), strict=False))


def _print_rest(groups: Mapping[str, Tally]) -> None:
    if len(groups) > SHOWN_GROUPS:
        print(f"and {len(groups) - SHOWN_GROUPS:,} more values, which --json and --html give")


def _name(text: str, room: int = _WIDEST_NAME) -> str:
    """A name from the file that leaves room for its row."""
    flat, room = " ".join(text.split()), min(room, _WIDEST_NAME)
    return flat if len(flat) <= room else f"{flat[: room - 1]}…"
