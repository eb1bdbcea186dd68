"""How many pairs `semifactual check` judges a second, by kind, beside a naive checker on the same files.

    python benchmarks/check.py [SOURCE] [--limit 3000] [--workers 2] [--kinds KIND,...]

SOURCE is a file of problems; without one, 3,000 built-in word problems. Rules rewrite every problem, and in every other
rewrite one number is changed. The naive checker compares the digits and number words of both texts as multisets, in
the same number of processes, through the same reader. Rates count from the first result on: processes that start up are
no part of them. The first line is of the four kinds that freeze what matters, in one file.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random

from semifactual.interventions.registry import get_intervention, interventions
from semifactual.pipeline.checking import PAIRS_PER_BATCH, check_source
from semifactual.pipeline.config import BuildConfig
from semifactual.pipeline.pair_fields import PairFields
from semifactual.pipeline.pairs import PairRow, scan_pairs
from semifactual.pipeline.problems import open_problems
from semifactual.pipeline.workers import batches, ordered_map
from semifactual.text.document import Document

DEFAULT_SOURCE = "builtin:word_problems?n=3000"
FROZEN_KINDS = ("paraphrase", "typo_noise", "scenario_wrap", "irrelevant_context")
NUMBER = re.compile(
    r"\d+|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)"
    r"teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|half|twice|double|triple)\b",
    re.IGNORECASE,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", default=DEFAULT_SOURCE)
    parser.add_argument("--limit", type=int, default=3000, help="how many problems to take")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=list(interventions()))
    arguments = parser.parse_args()

    problems = list(islice(open_problems(BuildConfig(source=arguments.source)).problems(), arguments.limit))
    made = {kind: list(pairs_of(kind, [problem.text for problem in problems])) for kind in arguments.kinds}
    files = {"the four frozen kinds": [row for kind in FROZEN_KINDS for row in made.get(kind, [])], **made}
    print("| kind | pairs | of them valid | pairs/s | naive, pairs/s | ours to naive |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in files.items():
            if len(rows) > 2 * PAIRS_PER_BATCH:
                path = Path(folder) / "pairs.jsonl"
                path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
                print_rates(name, str(path), arguments.workers)


def pairs_of(kind: str, problems: Sequence[str]) -> Iterator[dict[str, str]]:
    """A pair for each problem that rules rewrite; in every other one the first digits of the rewrite are one more."""
    for number, problem in enumerate(problems):
        draft = next(iter(get_intervention(kind).rewrite(Document(problem), Random(f"{kind} {number}"))), None)
        if draft is None:
            continue
        text = changed(draft.text) if number % 2 else draft.text
        if number % 2 == 0 or text != draft.text:
            yield {"kind": kind, "problem": problem, "rewrite": text}


def changed(text: str) -> str:
    """The text with its first number one higher."""
    return re.sub(r"\d+", lambda match: str(int(match[0]) + 1), text, count=1)


def print_rates(name: str, path: str, workers: int) -> None:
    """Judge one file both ways, and print its line."""
    ticks: list[float] = []
    report = check_source(path, workers=workers, on_progress=lambda done, total: ticks.append(time.perf_counter()))
    ours = steady_rate(ticks)
    naive = steady_rate(list(naive_ticks(path, workers)))
    print(
        f"| {name} | {report.rows:,} | {report.valid:,} | {ours:,.0f} | {naive:,.0f} | {ours / naive:.3f} |", flush=True
    )


def steady_rate(ticks: Sequence[float]) -> float:
    """Results a second after the first batch of them."""
    return (len(ticks) - PAIRS_PER_BATCH) / (ticks[-1] - ticks[PAIRS_PER_BATCH - 1])


def naive_ticks(path: str, workers: int) -> Iterator[float]:
    """When each pair was done by the naive checker."""
    chunks = batches(scan_pairs(path, PairFields(), skip_bad_rows=False).rows(), PAIRS_PER_BATCH)
    for verdicts in ordered_map(naive_verdicts, chunks, workers=workers):
        for _ in verdicts:
            yield time.perf_counter()


def naive_verdicts(pairs: Iterable[PairRow]) -> list[bool]:
    """Whether the digits and number words of both texts are the same, in any order."""
    return [numbers(pair.problem) == numbers(pair.rewrite) for pair in pairs]


def numbers(text: str) -> Counter[str]:
    return Counter(match.lower() for match in NUMBER.findall(text))


if __name__ == "__main__":
    main()
