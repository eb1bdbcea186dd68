"""How many bad rewrites `semifactual check` catches, and how many good ones it turns away, on labelled pairs.

    python benchmarks/pairs.py PAIRS.jsonl... [--mode frozen|semantic] [--groups] [--misses]
                               [--write [--measured-on TEXT]]

A pair has `type`, `problem`, `perturbed`, `answer`, `label` (preserving or violating) and `note`. Notes of violating
pairs begin with ``semantic:`` (the problem itself is no longer the same) or ``rule:`` (only the kind's rules are
broken). A violating pair is caught, and a preserving one falsely rejected, where it is not accepted; unsure is not.

``--groups`` pools kinds that are judged by the same means, ``--misses`` prints every pair that was judged wrongly, and
``--write`` makes the counts those that the error budget of every data card goes by (templates/checks/measured.yaml),
which say that they were measured on so many labelled rewrites of what ``--measured-on`` says.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from semifactual import __version__
from semifactual.interventions.registry import interventions
from semifactual.pipeline.agreement import Agreement, Tally, is_rejected
from semifactual.pipeline.checking import check_pair
from semifactual.pipeline.error_budget import MEASURED, MeasuredKind, Measurement
from semifactual.pipeline.labels import LabelOptions, Side, read_labels
from semifactual.pipeline.pairs import PairRow
from semifactual.pipeline.proportions import Proportion
from semifactual.pipeline.workers import default_workers, ordered_map
from semifactual.validate.verdict import Mode, Outcome

MEASUREMENT = Path(__file__).resolve().parent.parent / "templates" / MEASURED
HEADER = "# How the checks did on labelled rewrites. Written by `python benchmarks/pairs.py PAIRS.jsonl --write`.\n"
GROUPS = (
    ("typo_noise", "irrelevant_context", "format_change", "name_swap", "number_word"),
    ("scenario_wrap", "notation"),
    ("paraphrase", "register"),
    ("noop_distractor",),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path, nargs="+")
    parser.add_argument("--mode", type=Mode, choices=list(Mode), default=Mode.FROZEN)
    parser.add_argument("--groups", action="store_true", help="pool kinds that are judged by the same means")
    parser.add_argument("--misses", action="store_true", help="also print every pair that was judged wrongly")
    parser.add_argument("--write", action="store_true", help=f"write the counts to {MEASURED}")
    parser.add_argument("--measured-on", metavar="TEXT", help="with --write: of what the pairs are rewrites")
    parser.add_argument("--workers", type=int, default=default_workers())
    arguments = parser.parse_args()
    if arguments.write and arguments.mode is not Mode.FROZEN:
        parser.error("datasets are built in mode frozen, so the error budget goes by it")
    if arguments.measured_on is not None and not arguments.write:
        parser.error("--measured-on means nothing without --write")

    rows = [json.loads(line) for path in arguments.pairs for line in path.open(encoding="utf-8")]
    known = [row for row in rows if row["type"] in interventions()]
    pairs = [pair_of(number, row) for number, row in enumerate(known)]
    agreement = Agreement("class", read_labels("label", {row["label"] for row in known}, LabelOptions()))
    judged = ordered_map(partial(check_pair, mode=arguments.mode), pairs, workers=arguments.workers)
    for row, pair, verdict in zip(known, pairs, judged, strict=True):
        cell = agreement.add(pair, verdict)
        if arguments.misses and is_rejected(verdict) == (cell.side is Side.KEPT):
            print_miss(row, verdict)
    print_table(agreement, arguments.groups)
    unknown = Counter(row["type"] for row in rows if row["type"] not in interventions())
    if unknown:
        print(f"\nnot judged, because the kind is unknown: {', '.join(f'{n} {kind}' for kind, n in unknown.items())}")
    if arguments.write:
        write_measurement(agreement, arguments.measured_on)


def pair_of(number: int, row: Mapping[str, Any]) -> PairRow:
    """The pair of a row, grouped by what a violation does."""
    what = row["note"].partition(":")[0] if row["label"] == "violating" else None
    texts = (row["type"], row["problem"], row["perturbed"], row["answer"])
    return PairRow(number, row["id"], *texts, by=what, label=row["label"])


def print_table(agreement: Agreement, pooled: bool) -> None:
    """A line a kind, or a group of kinds, and one for all."""
    lines = (
        [(", ".join(group), pooled_rows(agreement, group)) for group in GROUPS]
        if pooled
        else [*agreement.by_kind().items()]
    )
    print("| kinds | semantic missed | rule missed | good ones rejected | unsure, of all |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, part in [*lines, ("all", agreement.all)]:
        if part.rows:
            print(f"| {name} | {' | '.join(map(cell_text, columns(part)))} |")


def pooled_rows(agreement: Agreement, kinds: tuple[str, ...]) -> Tally:
    """The rows of several kinds together."""
    return agreement.all.split(lambda cell: "in" if cell.kind in kinds else "out").get("in", Tally())


def columns(part: Tally) -> Iterator[Proportion]:
    """Missed violations of either class, good ones that were rejected, and unsure verdicts."""
    classes = part.split(lambda cell: cell.group)
    for what in ("semantic", "rule"):
        caught = classes.get(what, Tally()).rates.caught
        yield Proportion(caught.of - caught.count, caught.of)
    yield part.rates.falsely_rejected
    yield Proportion(part.outcomes[Outcome.UNSURE], part.rows)


def cell_text(rate: Proportion) -> str:
    if not rate.of:
        return "none"
    low, high = rate.interval
    return f"{rate.count} of {rate.of} ({low:.1%} to {high:.1%})"


def write_measurement(agreement: Agreement, problems: str | None) -> None:
    kinds = {
        kind: MeasuredKind(part.rates.caught, part.rates.falsely_rejected) for kind, part in agreement.by_kind().items()
    }
    words = f"{agreement.all.rows:,} labelled rewrites of {problems or 'public problems'}"
    measurement = Measurement(__version__, date.today().isoformat(), Mode.FROZEN.value, words, kinds)
    text = yaml.safe_dump(measurement.to_json(), sort_keys=False)
    MEASUREMENT.write_text(f"{HEADER}{text}", encoding="utf-8")
    print(f"\nwritten: {MEASUREMENT}")


def print_miss(row: Mapping[str, Any], verdict: Mapping[str, Any]) -> None:
    failed = "; ".join(f"{c['name']}: {c['evidence']}" for c in verdict["checks"] if not c["passed"])
    print(f"{row['id']} {row['type']} {row['label']} ({row['note']}): {verdict['outcome']} {failed}")
    print(f"  - {row['problem']!r}\n  + {row['perturbed']!r}\n")


if __name__ == "__main__":
    main()
