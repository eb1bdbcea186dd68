"""How many bad rewrites `semifactual check` catches, and how many good ones it turns away, on labelled pairs.

    python benchmarks/pairs.py PAIRS.jsonl [--mode frozen|semantic] [--misses]

A pair has `type`, `problem`, `perturbed`, `answer`, `label` (preserving or violating) and `note`. Notes of violating
pairs begin with ``semantic:`` (the problem itself is no longer the same) or ``rule:`` (only the kind's rules are
broken). A violating pair is caught, and a preserving one falsely rejected, where the outcome is not `valid`.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Mapping
from math import sqrt
from pathlib import Path
from typing import Any

from semifactual.interventions.registry import interventions
from semifactual.pipeline.checking import check_pair
from semifactual.pipeline.pairs import PairRow
from semifactual.validate.verdict import Mode

COLUMNS = ("semantic caught", "rule caught", "falsely rejected")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--mode", type=Mode, choices=list(Mode), default=Mode.FROZEN)
    parser.add_argument("--misses", action="store_true", help="also print every pair that was judged wrongly")
    arguments = parser.parse_args()

    tally: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    with arguments.pairs.open(encoding="utf-8") as lines:
        for pair in map(json.loads, lines):
            if pair["type"] not in interventions():
                continue
            column = column_of(pair)
            verdict = verdict_of(pair, arguments.mode)
            turned_away = verdict["outcome"] != "valid"
            for kind in (pair["type"], "all kinds"):
                tally[kind, column][0] += turned_away
                tally[kind, column][1] += 1
            if arguments.misses and turned_away == (column == "falsely rejected"):
                print_miss(pair, verdict)
    print_table(tally)


def column_of(pair: Mapping[str, Any]) -> str:
    """The column of the table in which a pair counts."""
    if pair["label"] == "preserving":
        return "falsely rejected"
    return f"{pair['note'].partition(':')[0]} caught"


def verdict_of(pair: Mapping[str, Any], mode: Mode) -> dict[str, Any]:
    """The verdict row of one pair, from the function that `semifactual check` uses."""
    row = PairRow(0, pair["id"], pair["type"], pair["problem"], pair["perturbed"], pair["answer"])
    return check_pair(row, mode)


def wilson(successes: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    """The Wilson score interval of a proportion, 95 % by default.

    >>> tuple(round(bound, 3) for bound in wilson(9, 10))
    (0.596, 0.982)
    """
    if not trials:
        return 0.0, 1.0
    share = successes / trials
    centre = share + z * z / (2 * trials)
    spread = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return max(0.0, (centre - spread) / (1 + z * z / trials)), min(1.0, (centre + spread) / (1 + z * z / trials))


def print_table(tally: Mapping[tuple[str, str], list[int]]) -> None:
    print(f"| kind | {' | '.join(COLUMNS)} |")
    print(f"| --- {'| ---: ' * len(COLUMNS)}|")
    for kind in sorted({kind for kind, _ in tally}, key=lambda kind: (kind == "all kinds", kind)):
        print(f"| {kind} | {' | '.join(cell(*tally.get((kind, column), (0, 0))) for column in COLUMNS)} |")


def cell(successes: int, trials: int) -> str:
    if not trials:
        return "none"
    low, high = wilson(successes, trials)
    return f"{successes}/{trials} = {successes / trials:.1%} ({low:.1%} to {high:.1%})"


def print_miss(pair: Mapping[str, Any], verdict: Mapping[str, Any]) -> None:
    failed = "; ".join(f"{c['name']}: {c['evidence']}" for c in verdict["checks"] if not c["passed"])
    print(f"{pair['id']} {pair['type']} {pair['label']} ({pair['note']}): {verdict['outcome']} {failed}")
    print(f"  - {pair['problem']!r}\n  + {pair['perturbed']!r}\n")


if __name__ == "__main__":
    main()
