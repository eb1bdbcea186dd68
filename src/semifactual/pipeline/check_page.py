"""check.html: how verdicts fall, and every rewrite that somebody should look at, as one file opened from anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from semifactual import __version__
from semifactual.errors import OutputError
from semifactual.html import count, percent, render_page, visible
from semifactual.interventions.registry import get_intervention
from semifactual.pipeline.agreement import Agreement, Tally
from semifactual.pipeline.cases import Case, CaseGroup, Cases, CheckCounts, Sort
from semifactual.pipeline.check_report import CheckReport
from semifactual.pipeline.labels import Side
from semifactual.pipeline.marking import Segment, marked_pair
from semifactual.pipeline.output import write_text_durably
from semifactual.pipeline.proportions import Proportion
from semifactual.types import AnswerCheck
from semifactual.validate.verdict import Mode, Outcome

TEMPLATE = "report/check.html.jinja"
SCRIPTS = ("report/check.js",)
_TITLES = {
    Sort.FALSELY_REJECTED: "Kept by the label, and rejected",
    Sort.MISSED: "Changed by the label, and valid",
    Sort.REJECTED: "Rejected",
}


def require_place(page: Path, out: Path | None) -> None:
    """Check, before long work, that a page can be put there.

    Raises:
        OutputError: its folder is not there, or it is the file of verdicts.
    """
    if not page.parent.is_dir():
        raise OutputError(f"cannot write {page}: there is no folder {page.parent}", hint="make it, or name another")
    if out is not None and out.absolute() == page.absolute():
        raise OutputError(f"{page} cannot hold both the verdicts and the page", hint="give --out and --html two names")


def write_check_page(path: Path, source: str, mode: Mode, report: CheckReport, cases: Cases) -> None:
    """Write the page of a check.

    Raises:
        OutputError: the disk refuses it.
    """
    agreement = report.agreement
    sections = [_section(sort, groups) for sort, groups in sorted(cases.groups.items())]
    context = {
        "headline": _headline(report, cases),
        "source": source,
        "mode": mode.value,
        "report": report,
        "agreement": agreement,
        "meanings": [(side.value, agreement.labels.values(side)) for side in Side] if agreement.labels else [],
        "key": list(_key(report)),
        "kinds": [_row(name, part, agreement) for name, part in agreement.by_kind().items()],
        "groups": [_row(name, part, agreement) for name, part in agreement.by_group().items()]
        if agreement.column
        else [],
        "all": _row("all", agreement.all, agreement),
        "checks": _check_rows(cases.checks),
        "summaries": _summaries(report),
        "sections": sections,
        "filters": _filters(cases, agreement),
        "listed": cases.held,
        "left_out": sum(section["total"] for section in sections) - cases.held,
        "version": __version__,
    }
    page = render_page(TEMPLATE, SCRIPTS, {}, context)
    whole = page.encode("utf-8", "replace").decode()  # half surrogates have no place in a file
    write_text_durably(path, whole, "--html")


def _headline(report: CheckReport, cases: Cases) -> str:
    if not cases.labelled:
        return f"{report.rejected:,} of {count(report.rows, 'rewrite')} were rejected"
    wrong = cases.total(Sort.FALSELY_REJECTED) + cases.total(Sort.MISSED)
    labelled = report.agreement.all.rates.unsure.of
    return f"{wrong:,} of {count(labelled, 'verdict')} disagree with the label"


def _key(report: CheckReport) -> Iterator[tuple[str, str, str]]:
    """Name, figure and remark of what a reader wants first."""
    yield "rewrites", count(report.rows), f"{report.skipped:,} more left out" if report.skipped else ""
    if report.agreement.labels is None:
        outcomes = report.agreement.all.outcomes
        for outcome in Outcome:
            yield outcome.value, count(outcomes[outcome]), percent(outcomes[outcome] / report.rows)
        return
    rates = report.agreement.all.rates
    for name, rate, unsure in (
        ("changed, and caught", rates.caught, rates.caught_unsure),
        ("kept, and rejected", rates.falsely_rejected, rates.falsely_unsure),
        ("unsure", rates.unsure, 0),
    ):
        remark = f"{rate.count:,} of {rate.of:,}" + (f", {unsure:,} as unsure" if unsure else "")
        yield name, percent(rate.share), f"{remark}; {_interval(rate)}" if rate.of else "no such label"


def _row(name: str, part: Tally, agreement: Agreement) -> dict[str, Any]:
    """A line of a table: counts, and rates as cells."""
    outcomes = part.outcomes
    row: dict[str, Any] = {
        "name": name,
        "rows": part.rows,
        "outcomes": [outcomes[outcome] for outcome in Outcome],
        "accepted": _cell(part.accepted),
        "rates": [],
    }
    if agreement.labels is not None:
        rates = part.rates
        row["rates"] = [_cell(rate) for rate in (rates.caught, rates.falsely_rejected, rates.unsure)]
    return row


def _cell(rate: Proportion) -> dict[str, Any] | None:
    if not rate.of:
        return None
    low, high = rate.interval
    return {
        "share": percent(rate.share),
        "counts": f"{rate.count:,} of {rate.of:,}",
        "interval": _interval(rate),
        "at": round(100 * rate.count / rate.of, 2),
        "low": round(100 * low, 2),
        "width": round(100 * (high - low), 2),
    }


def _interval(rate: Proportion) -> str:
    low, high = (f"{100 * bound:.1f}" for bound in rate.interval)
    return f"{low} to {high}\u202f%"


def _summaries(report: CheckReport) -> dict[str, str]:
    """What each check of the kinds that were judged says of a rewrite that passes."""
    contracts = (get_intervention(kind).contract for kind in report.outcomes)
    return {check.name: check.summary for contract in contracts for check in contract.checks}


def _check_rows(checks: Mapping[str, CheckCounts]) -> list[dict[str, Any]]:
    """The checks that refused something, the most frequent first."""
    ranked = sorted(checks.items(), key=lambda item: (-item[1].rows, item[0]))
    return [
        {
            "name": name,
            "rows": counts.rows,
            "alone": counts.alone,
            "sides": [(counts.sides[side], counts.alone_of[side]) for side in (Side.CHANGED, Side.KEPT)],
        }
        for name, counts in ranked
    ]


def _section(sort: Sort, groups: Mapping[str, CaseGroup]) -> dict[str, Any]:
    ranked = sorted(groups.items(), key=lambda item: (-item[1].total, item[0]))
    return {
        "id": sort.value.replace(" ", "-"),
        "title": _TITLES[sort],
        "total": sum(group.total for group in groups.values()),
        "groups": [
            {"name": name, "total": group.total, "cases": map(_shown_case, group.cases), "listed": len(group.cases)}
            for name, group in ranked
        ],
    }


def _shown_case(case: Case) -> dict[str, Any]:
    """A case as the template wants it: both texts in segments, and what the checks said."""
    checks = [dict(check) for check in case.checks]
    before, after = marked_pair(case.pair.problem, case.pair.rewrite, [check["evidence"] for check in checks])
    return {
        "pair": case.pair,
        "outcome": case.outcome,
        "refuted": case.answer_check == AnswerCheck.REFUTED,
        "checks": checks,
        "names": " ".join(check["name"] for check in checks),
        "before": [_shown_segment(segment) for segment in before],
        "after": [_shown_segment(segment) for segment in after],
    }


def _shown_segment(segment: Segment) -> tuple[str, bool, bool]:
    """The text with nothing in it that acts; line feeds still break lines, and are signs too where they differ."""
    feed = "⏎\n" if segment.changed else "\n"
    return feed.join(map(visible, segment.text.split("\n"))), segment.changed, segment.marked


def _filters(cases: Cases, agreement: Agreement) -> list[dict[str, Any]]:
    """What the listed cases may be narrowed by: each with a name, the attribute it looks at, and its values."""
    shown = [case for groups in cases.groups.values() for group in groups.values() for case in group.cases]
    names = {
        ("Kind", "kind"): {case.pair.kind for case in shown},
        (agreement.column or "", "by"): {case.pair.by or "" for case in shown} if agreement.column else set(),
        ("Outcome", "outcome"): {case.outcome for case in shown},
        ("Check", "checks"): {check["name"] for case in shown for check in case.checks},
    }
    return [
        {"name": name, "key": key, "values": sorted(values)} for (name, key), values in names.items() if len(values) > 1
    ]
