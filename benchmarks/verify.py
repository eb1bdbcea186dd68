"""How often `semifactual verify` is right, and how fast, beside math-verify on the same labelled pairs in one run.

    python benchmarks/verify.py CASES.jsonl [--peer-timeout 5] [--misses]

A case has `kind`, `gold`, `prediction` (or `expand`: runs of text and count), `equivalent`, and may have `contested`
and `mode: response`. Three tables: accuracy, false accepts and false rejects by kind; the same over all cases, ordinary
ones and uncontested ones; time per case and cases a second on two workers. Times are ratios on the machine at hand.
"""

from __future__ import annotations

import argparse
import json
import logging
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path

from semifactual.answers import Verifier

DEADLINE_SECONDS = 3.0
WORKERS = 2
SLOW_KINDS = ("hostile", "huge", "calculus")
"""Kinds left out of the throughput: a few timeouts would drown everything else."""


@dataclass(frozen=True)
class Case:
    """One labelled pair."""

    kind: str
    gold: str
    answer: str
    is_response: bool
    equivalent: bool
    contested: bool


@dataclass(frozen=True)
class Ran:
    """What one verifier said of one case, and how long it took."""

    case: Case
    said_equal: bool
    milliseconds: float

    @property
    def right(self) -> bool:
        return self.said_equal == self.case.equivalent


Judge = Callable[[Case], bool]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--peer-timeout", type=int, default=5, help="whole seconds that math-verify may take a step")
    parser.add_argument("--misses", action="store_true", help="print the cases that semifactual judges wrongly")
    arguments = parser.parse_args()
    cases = read_cases(arguments.cases)

    verifier().warm_up()
    mine = [run(ours, case) for case in cases]
    peer = [run(partial(math_verify, arguments.peer_timeout), case) for case in cases]

    print_kinds(mine, peer)
    print_summary(mine, peer)
    print_speed(mine, peer, [case for case in cases if not case.kind.startswith(SLOW_KINDS)], arguments.peer_timeout)
    if arguments.misses:
        for ran in mine:
            if not ran.right:
                print(
                    f"{ran.case.kind}: {ran.case.gold!r} {ran.case.answer[:80]!r} said {ran.said_equal}",
                    file=sys.stderr,
                )


def read_cases(path: Path) -> list[Case]:
    """The labelled pairs of a file."""
    cases = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        answer = "".join(text * count for text, count in row["expand"]) if "expand" in row else row["prediction"]
        is_response = row.get("mode") == "response"
        contested = bool(row.get("contested"))
        cases.append(Case(row["kind"], row["gold"], answer, is_response, row["equivalent"], contested))
    return cases


@cache
def verifier() -> Verifier:
    """This process's verifier."""
    return Verifier(deadline=DEADLINE_SECONDS)


def ours(case: Case) -> bool:
    """Semifactual's verdict."""
    if case.is_response:
        return verifier().grade(case.gold, case.answer).verdict.equal
    return verifier().equivalent(case.gold, case.answer).equal


def math_verify(timeout: int, case: Case) -> bool:
    """math-verify's verdict with its defaults, both sides boxed: its best configuration on such pairs."""
    from math_verify import parse, verify

    logging.disable(logging.ERROR)  # it logs every timeout, with the whole text
    answer = case.answer if case.is_response else f"\\boxed{{{case.answer}}}"
    gold = parse(f"\\boxed{{{case.gold}}}", parsing_timeout=timeout)
    return bool(verify(gold, parse(answer, parsing_timeout=timeout), timeout_seconds=timeout))


def run(judge: Judge, case: Case) -> Ran:
    """Judge one case against the clock."""
    started = time.perf_counter()
    said_equal = judge(case)
    return Ran(case, said_equal, (time.perf_counter() - started) * 1000)


def score(runs: Iterable[Ran]) -> str:
    """Accuracy in percent, with false accepts and false rejects."""
    runs = list(runs)
    accepts = sum(ran.said_equal and not ran.right for ran in runs)
    rejects = sum(not ran.said_equal and not ran.right for ran in runs)
    return f"{100 * sum(ran.right for ran in runs) / len(runs):.1f} ({accepts}/{rejects})"


def print_kinds(mine: Sequence[Ran], peer: Sequence[Ran]) -> None:
    by_kind: dict[str, list[tuple[Ran, Ran]]] = defaultdict(list)
    for pair in zip(mine, peer, strict=True):
        by_kind[pair[0].case.kind].append(pair)
    print("| kind | cases | semifactual | math-verify |\n| --- | ---: | ---: | ---: |")
    for kind, pairs in sorted(by_kind.items()):
        print(f"| {kind} | {len(pairs)} | {score(a for a, _ in pairs)} | {score(b for _, b in pairs)} |")


def print_summary(mine: Sequence[Ran], peer: Sequence[Ran]) -> None:
    print("\n| accuracy % (false accepts/rejects) | cases | semifactual | math-verify |\n| --- | ---: | ---: | ---: |")
    for name, wanted in (
        ("all", lambda case: True),
        ("ordinary (not hostile, malformed or gaming)", lambda case: not case.kind.startswith(("host", "mal", "gam"))),
        ("uncontested", lambda case: not case.contested),
    ):
        chosen = [(a, b) for a, b in zip(mine, peer, strict=True) if wanted(a.case)]
        print(f"| {name} | {len(chosen)} | {score(a for a, _ in chosen)} | {score(b for _, b in chosen)} |")


def print_speed(mine: Sequence[Ran], peer: Sequence[Ran], ordinary: Sequence[Case], timeout: int) -> None:
    figures = [
        (name, at(mine), at(peer))
        for name, at in (
            ("median ms", partial(percentile, 0.5)),
            ("p99 ms", partial(percentile, 0.99)),
            ("max ms", largest),
        )
    ]
    rates = [throughput(worker, ordinary) for worker in (ours, partial(math_verify, timeout))]
    print("\n| time per case | semifactual | math-verify | ratio |\n| --- | ---: | ---: | ---: |")
    for name, first, second in figures:
        print(f"| {name} | {first:.2f} | {second:.2f} | {second / first:.1f} |")
    print(f"| cases a second on {WORKERS} workers | {rates[0]:.0f} | {rates[1]:.0f} | {rates[0] / rates[1]:.1f} |")


def percentile(share: float, runs: Sequence[Ran]) -> float:
    """The time that this share of cases stays below."""
    return statistics.quantiles([ran.milliseconds for ran in runs], n=1000)[round(share * 1000) - 1]


def largest(runs: Sequence[Ran]) -> float:
    """The longest time."""
    return max(ran.milliseconds for ran in runs)


def throughput(judge: Judge, cases: Sequence[Case]) -> float:
    """Cases a second on two processes, their start not counted."""
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as processes:
        list(processes.map(judge, cases[: 20 * WORKERS], chunksize=20))
        started = time.perf_counter()
        list(processes.map(judge, cases, chunksize=25))
        return len(cases) / (time.perf_counter() - started)


if __name__ == "__main__":
    main()
