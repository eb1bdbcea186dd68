"""How many changed problems `semifactual check` catches: mutants of real problems, made by the rules of mutators.py.

    python benchmarks/mutants.py PROBLEMS.jsonl... [--problems 500] [--seed 0] [--kind paraphrase]
        [--mode frozen|semantic] [--on-paraphrase] [--problem-field question] [--misses]

A mutant is caught where its outcome is not `valid`; `unsure` counts as caught and is shown apart. The first table has
a row for each kind of mutant. The second holds controls, of every registered kind: a problem against itself may fail
the check `unchanged` only, and the first rewrite that a kind makes of a problem may fail none.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from mutators import ADDITIONS, MUTATORS

from semifactual.interventions.registry import get_intervention, interventions
from semifactual.pipeline.checking import check_pair
from semifactual.pipeline.pairs import PairRow
from semifactual.pipeline.proportions import Proportion
from semifactual.text.document import Document
from semifactual.validate.verdict import Mode

PROBLEM_FIELDS = ("problem", "question")
WANTED = 0.97
"""The share of each kind of change that should be caught."""


@dataclass(frozen=True, slots=True)
class Base:
    """A problem, and the text that is mutated: the problem itself or a rewrite of it."""

    name: str
    problem: str
    text: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path, nargs="+", metavar="PROBLEMS.jsonl")
    parser.add_argument("--problem-field", help="the field of the problems; by default problem or question")
    parser.add_argument("--problems", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", default="paraphrase", help="what the mutants are said to be")
    parser.add_argument("--mode", type=Mode, choices=list(Mode), default=Mode.FROZEN)
    parser.add_argument("--on-paraphrase", action="store_true", help="mutate rule-made paraphrases of the problems")
    parser.add_argument("--misses", action="store_true", help="also print every mutant that was taken for valid")
    arguments = parser.parse_args()

    bases = list(read_bases(arguments.sources, arguments.problem_field, arguments.problems, arguments.seed))
    starts = list(paraphrased(bases, arguments.seed, arguments.mode)) if arguments.on_paraphrase else bases
    misses = print_mutants(starts, arguments.kind, arguments.mode, arguments.seed)
    print_controls(bases, arguments.mode, arguments.seed)
    if arguments.misses:
        print("", *misses, sep="\n")


def read_bases(sources: Sequence[Path], field: str | None, wanted: int, seed: int) -> Iterator[Base]:
    """The same number of problems from each file, chosen by the seed."""
    for position, source in enumerate(sources):
        rows = [json.loads(line) for line in source.open(encoding="utf-8") if line.strip()]
        share = wanted // len(sources) + (position < wanted % len(sources))
        for number in sorted(Random(seed).sample(range(len(rows)), min(share, len(rows)))):
            problem = problem_of(rows[number], field)
            yield Base(f"{source.parent.name}/{source.name}:{number + 1}", problem, problem)


def problem_of(row: Mapping[str, Any], field: str | None) -> str:
    """The text of a row's problem.

    Raises:
        SystemExit: the row has no such field.
    """
    for name in (field,) if field else PROBLEM_FIELDS:
        if isinstance(row.get(name), str):
            return str(row[name])
    raise SystemExit(f"a row has no {field or ' or '.join(PROBLEM_FIELDS)}; it has {', '.join(row)}")


def paraphrased(bases: Sequence[Base], seed: int, mode: Mode) -> Iterator[Base]:
    """Each problem with its first valid rule-made paraphrase, where there is one."""
    for base in bases:
        for text in drafts(base, "paraphrase", seed):
            if verdict_of(base.problem, text, "paraphrase", mode)["outcome"] == "valid":
                yield Base(base.name, base.problem, text)
                break


def drafts(base: Base, kind: str, seed: int) -> Iterator[str]:
    """The rewrites that a kind's rules make of a problem."""
    rewrites = get_intervention(kind).rewrite(Document(base.problem), Random(f"{seed}/{kind}/{base.name}"))
    return (draft.text for draft in rewrites)


def verdict_of(problem: str, rewrite: str, kind: str, mode: Mode) -> dict[str, Any]:
    """The verdict row of one rewrite, from the function that `semifactual check` uses."""
    return check_pair(PairRow(0, None, kind, problem, rewrite), mode)


def failed_checks(verdict: Mapping[str, Any]) -> list[str]:
    return [check["name"] for check in verdict["checks"] if not check["passed"]]


def print_mutants(bases: Sequence[Base], kind: str, mode: Mode, seed: int) -> list[str]:
    """The table of mutants; returns those that were taken for valid."""
    outcomes: dict[str, Counter[str]] = {name: Counter() for name in MUTATORS}
    misses = []
    for base in bases:
        for name, mutate in MUTATORS.items():
            mutant = mutate(base.text, Random(f"{seed}/{name}/{base.name}"))
            if mutant is None:
                continue
            outcome = verdict_of(base.problem, mutant, kind, mode)["outcome"]
            outcomes[name][outcome] += 1
            if outcome == "valid":
                misses.append(f"{name}: {base.name}\n  - {base.problem!r}\n  + {mutant!r}")
    print(f"| mutants of {len(bases)} texts, as {kind}, {mode} | caught | of these unsure |\n| --- | ---: | ---: |")
    for name, counts in outcomes.items():
        print_row(name, counts)
    changed = [name for name in MUTATORS if name not in ADDITIONS]
    print_row("**every change of the problem**", sum((outcomes[name] for name in changed), Counter()))
    print_row("**every addition to it**", sum((outcomes[name] for name in ADDITIONS), Counter()))
    rates = {name: 1 - outcomes[name]["valid"] / outcomes[name].total() for name in changed if outcomes[name]}
    low = sorted((rate, name) for name, rate in rates.items() if rate < WANTED)
    print(f"\n{len(rates)} kinds of change, {fmean(rates.values()):.1%} caught on average of the kinds.")
    print(f"Below {WANTED:.0%}: {', '.join(f'{name} ({rate:.0%})' for rate, name in low) or 'none'}.")
    return misses


def print_row(name: str, counts: Counter[str]) -> None:
    print(f"| {name} | {cell(counts.total() - counts['valid'], counts.total())} | {counts['unsure']} |")


def cell(count: int, trials: int) -> str:
    """A share with its Wilson 95 % interval."""
    if not trials:
        return "none"
    low, high = Proportion(count, trials).interval
    return f"{count} of {trials} = {count / trials:.1%} ({low:.1%} to {high:.1%})"


def print_controls(bases: Sequence[Base], mode: Mode, seed: int) -> None:
    """Every kind's verdicts on a problem against itself, with what it failed beside, and on its own first rewrite."""
    print("\n| controls | itself fails `unchanged` only | beside it | first own rewrite fails nothing |")
    print("| --- | ---: | --- | ---: |")
    for kind in sorted(interventions()):
        alone = [failed_checks(verdict_of(base.problem, base.problem, kind, mode)) for base in bases]
        beside = sorted({check for failed in alone for check in failed} - {"unchanged"})
        firsts = [(base.problem, text) for base in bases for text in [next(drafts(base, kind, seed), None)] if text]
        passed = sum(not failed_checks(verdict_of(problem, text, kind, mode)) for problem, text in firsts)
        itself = cell(alone.count(["unchanged"]), len(bases))
        print(f"| {kind} | {itself} | {', '.join(beside) or 'nothing'} | {cell(passed, len(firsts))} |")


if __name__ == "__main__":
    main()
