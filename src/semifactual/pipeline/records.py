"""Schema 1: the one description of a dataset's rows, and the parquet file that holds them.

The Arrow schema and the features that `datasets` reads both come from `COLUMNS`, so that they cannot disagree.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from semifactual.types import Counterfactual, Draft, Problem
    from semifactual.validate.verdict import Verdict

SCHEMA_VERSION = 1
RULE_ENGINE = "rule"
ROWS_PER_GROUP = 512

Description = str | list[Any] | dict[str, Any]
"""``"string"`` or another simple type by its Arrow name; ``[X]``, a list of X; or ``{name: X}``, a record."""

COLUMNS: dict[str, Description] = {
    "id": "string",
    "problem": "string",
    "answer": "string",
    "source": "string",
    "semifactuals": [
        {
            "kind": "string",
            "text": "string",
            "engine": "string",
            "checks": ["string"],
            "answer_check": "string",
            "params": "string",
        }
    ],
    "evaluation_variants": [{"kind": "string", "text": "string", "answer": "string"}],
    "counterfactuals": [{"kind": "string", "text": "string", "answer": "string", "derivation": "string"}],
    "metadata": "string",
}

Record = dict[str, Any]
"""One row, as JSON values in the shape of `COLUMNS`."""


def to_json(value: Any) -> str:
    """The one JSON text of a value: sorted keys, no spaces that could vary, characters as they are."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def semifactual_entry(
    kind: str, draft: Draft, verdict: Verdict, made_with: Mapping[str, Any], engine: str = RULE_ENGINE
) -> Record:
    """The entry of one accepted rewrite; `made_with` (seed, index, template hashes) goes into its params."""
    return {
        "kind": kind,
        "text": draft.text,
        "engine": engine,
        "checks": [check.name for check in verdict.checks if check.passed],
        "answer_check": verdict.answer_check.value,
        "params": to_json({**draft.params, **made_with}),
    }


def record(
    problem: Problem,
    semifactuals: list[Record],
    sealed: Sequence[Record] = (),
    counterfactuals: Sequence[Counterfactual] = (),
) -> Record:
    """The row of one problem. Of `sealed` entries, which are like those of semifactuals, it holds kind and text."""
    return {
        "id": problem.id,
        "problem": problem.text,
        "answer": problem.answer,
        "source": problem.source,
        "semifactuals": semifactuals,
        "evaluation_variants": [
            {"kind": entry["kind"], "text": entry["text"], "answer": problem.answer} for entry in sealed
        ],
        "counterfactuals": [
            {"kind": c.kind, "text": c.text, "answer": c.answer, "derivation": c.derivation} for c in counterfactuals
        ],
        "metadata": to_json(dict(problem.metadata)),
    }


def arrow_schema() -> pa.Schema:
    """Schema 1 as Arrow, with the features under the metadata key where `datasets` looks for them."""
    import pyarrow as pa

    fields = arrow_type(COLUMNS)
    features = {name: _feature(description) for name, description in COLUMNS.items()}
    metadata = {
        "huggingface": json.dumps({"info": {"features": features}}),
        "semifactual_schema": str(SCHEMA_VERSION),
    }
    return pa.schema(fields, metadata=metadata)


def write_parquet(path: Path, records: Iterable[Record]) -> int:
    """Write records to one parquet file, a row group at a time, and return their number.

    The bytes depend on the records alone, whatever the memory, the time or the number of processes.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = arrow_schema()
    count = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for group in _groups(records, ROWS_PER_GROUP):
            writer.write_table(pa.Table.from_pylist(group, schema=schema), row_group_size=ROWS_PER_GROUP)
            count += len(group)
    return count


def read_parquet(path: Path) -> Iterator[Record]:
    """The records of one parquet file, a batch at a time."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=ROWS_PER_GROUP):
            yield from batch.to_pylist()


def arrow_type(description: Description) -> pa.DataType:
    """The Arrow type that a description stands for."""
    import pyarrow as pa

    if isinstance(description, list):
        return pa.list_(arrow_type(description[0]))
    if isinstance(description, dict):
        return pa.struct([pa.field(name, arrow_type(inner)) for name, inner in description.items()])
    return pa.type_for_alias(description)


def _feature(description: Description) -> dict[str, Any]:
    if isinstance(description, list):
        return {"feature": _feature(description[0]), "_type": "List"}
    if isinstance(description, dict):
        return {name: _feature(inner) for name, inner in description.items()}
    return {"dtype": description, "_type": "Value"}


def _groups(records: Iterable[Record], size: int) -> Iterator[list[Record]]:
    iterator = iter(records)
    while group := list(islice(iterator, size)):
        yield group
