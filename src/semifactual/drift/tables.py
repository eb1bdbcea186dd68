"""The files of a run that hold one row a response: responses.jsonl, prompts.jsonl, logps.parquet, drift.parquet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from semifactual.drift.measures import ProblemDrift
from semifactual.drift.scored import ScoredProblem, ScoredResponse, told_of
from semifactual.pipeline.output import write_all
from semifactual.pipeline.records import to_json

RESPONSES, PROMPTS, LOGPS, DRIFT = "responses.jsonl", "prompts.jsonl", "logps.parquet", "drift.parquet"
TABLES = (RESPONSES, PROMPTS, LOGPS, DRIFT)

_IDS = pa.list_(pa.int32())
_VALUES = pa.list_(pa.float32())

LOGPS_SCHEMA = pa.schema(
    [
        ("problem_id", pa.string()),
        ("sample", pa.int32()),
        ("kind", pa.string()),
        ("variant", pa.int32()),
        ("prompt_ids", _IDS),
        ("token_ids", _IDS),
        ("logps", _VALUES),
    ]
)
"""A row a response and variant. `kind` is "original", "identity" or a kind; `variant` counts within a kind."""

DRIFT_SCHEMA = pa.schema(
    [
        ("problem_id", pa.string()),
        ("sample", pa.int32()),
        ("tokens", pa.list_(pa.string())),
        ("categories", pa.list_(pa.string())),
        ("drift", _VALUES),
        ("drift_by_kind", pa.list_(pa.struct([("kind", pa.string()), ("drift", _VALUES)]))),
    ]
)
"""A row a response; `drift` is the mean over the kinds that its problem has."""


class RunTables:
    """Writes the tables of a run into a folder, some problems at a time; nothing is held that was written."""

    def __init__(self, folder: Path) -> None:
        with ExitStack() as opened:
            self._responses: FileIO = opened.enter_context((folder / RESPONSES).open("wb", buffering=0))
            self._prompts: FileIO = opened.enter_context((folder / PROMPTS).open("wb", buffering=0))
            self._logps = opened.enter_context(pq.ParquetWriter(folder / LOGPS, LOGPS_SCHEMA, compression="zstd"))
            self._drift = opened.enter_context(pq.ParquetWriter(folder / DRIFT, DRIFT_SCHEMA, compression="zstd"))
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    def write(self, problems: Sequence[tuple[ScoredProblem, ProblemDrift]]) -> None:
        """Append some problems with their drift: a row group of each parquet file."""
        if not problems:
            return
        write_all(self._prompts, "".join(f"{to_json(_prompt_row(problem))}\n" for problem, _ in problems))
        rows = [_response_row(problem, one) for problem, _ in problems for one in problem.responses]
        write_all(self._responses, "".join(f"{to_json(row)}\n" for row in rows))
        logps = [row for problem, _ in problems for row in _logp_rows(problem)]
        self._logps.write_table(pa.Table.from_pylist(logps, LOGPS_SCHEMA), row_group_size=len(logps))
        drift = [row for problem, found in problems for row in _drift_rows(problem, found)]
        self._drift.write_table(pa.Table.from_pylist(drift, DRIFT_SCHEMA), row_group_size=len(drift))


def _prompt_row(problem: ScoredProblem) -> dict[str, Any]:
    variants = list(problem.variants())[1:-1]
    return {
        "problem_id": problem.id,
        "text": problem.text,
        "answer": problem.answer,
        "rewrites": [
            {"kind": kind, "variant": number, "text": text}
            for (kind, number, _), text in zip(variants, problem.rewrites, strict=True)
        ],
    }


def _response_row(problem: ScoredProblem, response: ScoredResponse) -> dict[str, Any]:
    return {"problem_id": problem.id, **told_of(response)}


def _logp_rows(problem: ScoredProblem) -> Iterator[dict[str, Any]]:
    for response in problem.responses:
        token_ids = np.array(response.token_ids, dtype=np.int32)
        for (kind, variant, prompt), logps in zip(problem.variants(), response.logps, strict=True):
            yield {
                "problem_id": problem.id,
                "sample": response.sample,
                "kind": kind,
                "variant": variant,
                "prompt_ids": np.array(prompt, dtype=np.int32),
                "token_ids": token_ids,
                "logps": logps,
            }


def _drift_rows(problem: ScoredProblem, found: ProblemDrift) -> Iterator[dict[str, Any]]:
    for number, response in enumerate(problem.responses):
        tokens = found.response == number
        yield {
            "problem_id": problem.id,
            "sample": response.sample,
            "tokens": response.tokens,
            "categories": [category.value for category in response.categories],
            "drift": found.mean[tokens].astype(np.float32),
            "drift_by_kind": [
                {"kind": kind, "drift": drift[tokens].astype(np.float32)}
                for kind, drift in zip(found.kinds, found.by_kind, strict=True)
            ],
        }
