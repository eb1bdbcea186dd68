"""From a complete journal to the dataset folder: parquet, rejected.jsonl, manifest.json and the data card.

Everything is written inside the journal's folder first and moved to its place when it is whole, the manifest last:
a folder with a manifest is a finished dataset.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from semifactual.errors import OutputError
from semifactual.pipeline.card import render_card
from semifactual.pipeline.card_examples import choose_examples
from semifactual.pipeline.config import BuildConfig
from semifactual.pipeline.error_budget import error_budget
from semifactual.pipeline.journal import MANIFEST_NAME, Journal
from semifactual.pipeline.output import move_durably, writing
from semifactual.pipeline.records import SCHEMA_VERSION, Record, read_parquet, to_json, write_parquet
from semifactual.pipeline.rewriting import kinds_without
from semifactual.validate.verdict import Outcome

PARQUET_NAME = "data/train-00000-of-00001.parquet"
REJECTED_NAME = "rejected.jsonl"
CARD_NAME = "README.md"
PAYLOAD = (PARQUET_NAME, REJECTED_NAME, CARD_NAME)
"""The files of a finished dataset but for its manifest."""


@dataclass(slots=True)
class ModelTally:
    """How the rewrites ended that models had a part in, and what all their replies used, whenever they were paid."""

    problems: Counter[str] = field(default_factory=Counter)
    rewrites: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    repairs: int = 0
    cost: float | None = 0.0

    def add(self, part: Mapping[str, Any]) -> None:
        """Count what one row of the journal says of the models."""
        self.problems[part["ended"]] += 1
        self.rewrites.update(part["rewrites"])
        self.tokens.update(part["tokens"])
        self.requests += part["requests"]
        self.repairs += part["repairs"]
        self.cost = None if self.cost is None or part["cost"] is None else self.cost + part["cost"]

    def to_json(self) -> dict[str, Any]:
        """The counts as the manifest holds them; those of problems, and those of rewrites, add up to all."""
        endings = ("accepted", "rejected", "failed")
        return {
            "problems": {name: self.problems[name] for name in endings},
            "rewrites": {name: self.rewrites[name] for name in endings},
            "requests": self.requests,
            "repairs": self.repairs,
            "tokens": dict(self.tokens),
            "cost": None if self.cost is None else round(self.cost, 6),
        }


@dataclass(slots=True)
class KindCounts:
    """What became of one kind's drafts over a whole dataset."""

    sealed: bool = False
    """The rewrites of the kind are evaluation variants, and no semifactuals."""
    valid: int = 0
    rejected: int = 0
    unsure: int = 0
    """How many of the rejected are so because rules could not decide, and nothing else could."""
    missing: int = 0
    problems_covered: int = 0
    answer_checks: Counter[str] = field(default_factory=Counter)
    failed_checks: Counter[str] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Any]:
        """The counts as the manifest holds them."""
        return {
            "sealed": self.sealed,
            "valid": self.valid,
            "rejected": self.rejected,
            "unsure": self.unsure,
            "missing": self.missing,
            "problems_covered": self.problems_covered,
            "answer_checks": dict(sorted(self.answer_checks.items())),
            "failed_checks": dict(sorted(self.failed_checks.items())),
        }


class Tally:
    """The counts of a dataset, added up row by row."""

    def __init__(self, config: BuildConfig) -> None:
        self.kinds = {kind: KindCounts(kind in config.selection.sealed) for kind in config.selection.kinds}
        self.wants_counterfactuals = config.counterfactuals > 0
        self.problems = 0
        self.dropped = 0
        self.counterfactuals = 0
        self.without_counterfactuals = 0
        self.models = ModelTally()

    def add(self, row: Mapping[str, Any], kept: bool) -> None:
        """Count one row of the journal; of a row that is not kept, what it lacks and why."""
        self.problems += 1
        self._count_failures(row)
        if (part := row.get("llm")) is not None:
            self.models.add(part)
        if kept:
            self._count_entries(row["record"], row["sealed"])
        else:
            self.dropped += 1

    def _count_failures(self, row: Mapping[str, Any]) -> None:
        for rejection in row["rejected"]:
            counts = self.kinds[rejection["kind"]]
            counts.rejected += 1
            counts.unsure += rejection["outcome"] == Outcome.UNSURE
            counts.failed_checks.update(check["name"] for check in rejection["checks"])
        for kind, missing in row["missing"].items():
            self.kinds[kind].missing += missing

    def _count_entries(self, record: Record, sealed: list[Record]) -> None:
        entries = record["semifactuals"] + sealed
        for entry in entries:
            counts = self.kinds[entry["kind"]]
            counts.valid += 1
            counts.answer_checks[entry["answer_check"]] += 1
        for kind in {entry["kind"] for entry in entries}:
            self.kinds[kind].problems_covered += 1
        self.counterfactuals += len(record["counterfactuals"])
        self.without_counterfactuals += self.wants_counterfactuals and not record["counterfactuals"]

    def to_json(self) -> dict[str, Any]:
        """The counts as the manifest holds them."""
        return {
            "problems": self.problems,
            "rows": self.problems - self.dropped,
            "dropped_by_require_all": self.dropped,
            "counterfactuals": self.counterfactuals,
            "without_counterfactuals": self.without_counterfactuals,
            "kinds": {kind: counts.to_json() for kind, counts in self.kinds.items()},
        }


def assemble(
    journal: Journal,
    out: Path,
    config: BuildConfig,
    identity: Mapping[str, Any],
    source: Mapping[str, Any],
    models: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Write the dataset of a complete journal into `out`, remove the journal, and return the manifest.

    `identity` is what the journal was opened with, `source` what the scan of the source found, `models` what is said
    of the models, where any were asked.

    Raises:
        OutputError: something could not be written; the journal stays, and the next run assembles again.
    """
    staging = journal.folder / "assembly"
    tally = Tally(config)
    with writing(out):
        (staging / "data").mkdir(parents=True, exist_ok=True)
        (out / "data").mkdir(exist_ok=True)
        with (staging / REJECTED_NAME).open("w", encoding="utf-8", newline="\n") as rejected:
            write_parquet(staging / PARQUET_NAME, _kept_records(journal, tally, config.require_all, rejected))
    counts = tally.to_json()
    manifest = {
        "schema": SCHEMA_VERSION,
        **identity,
        "config": config.identity(),
        "source": dict(source),
        "seed": config.seed,
        "counts": counts,
        "error_budget": error_budget(counts["kinds"]),
        "tokens": 0,
        "cost": 0,
    }
    if models is not None:
        used = tally.models.to_json()
        manifest["tokens"] = used["tokens"].get("prompt", 0) + used["tokens"].get("completion", 0)
        manifest["cost"] = used["cost"]
        manifest["llm"] = {**models, **used}
    with writing(out):
        card = render_card(manifest, choose_examples(read_parquet(staging / PARQUET_NAME)))
        (staging / CARD_NAME).write_text(card, encoding="utf-8", newline="\n")
        manifest_text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        (staging / MANIFEST_NAME).write_text(manifest_text, encoding="utf-8", newline="\n")
        for name in (*PAYLOAD, MANIFEST_NAME):
            move_durably(staging / name, out / name)
    journal.remove()
    return manifest


def require_whole(out: Path) -> None:
    """Check that the folder `out`, which has a manifest, has the other files of a dataset too.

    Raises:
        OutputError: with those that are missing.
    """
    if missing := [name for name in PAYLOAD if not (out / name).is_file()]:
        raise OutputError(
            f"{out} has a {MANIFEST_NAME}, but lacks {', '.join(missing)}",
            hint="bring the files back, or delete the folder and run the same command again to build it anew",
        )


def _kept_records(journal: Journal, tally: Tally, require_all: bool, rejected: IO[str]) -> Iterator[Record]:
    """The records that enter the dataset; on the way, rows are counted and their rejected rewrites written."""
    for row in journal.rows():
        rejected.writelines(f"{to_json(rejection)}\n" for rejection in row["rejected"])
        keep = not (require_all and kinds_without(row))
        tally.add(row, keep)
        if keep:
            yield row["record"]
