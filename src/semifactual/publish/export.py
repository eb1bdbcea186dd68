"""From a dataset to a file in a trainer's schema."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from semifactual.errors import ConfigError
from semifactual.pipeline.output import refuse_overwriting, write_rows, writing
from semifactual.pipeline.records import ROWS_PER_GROUP, Description, Record, arrow_type
from semifactual.pipeline.variants import VariantSource, open_variants
from semifactual.publish.formats import FORMATS, Format, Place
from semifactual.publish.prompting import Prompting, Style

DEFAULT_PROMPT = "default"
ENDINGS = (".parquet", ".jsonl")


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export wrote."""

    out: Path
    format: str
    rows: int
    problems: int
    rewrites: int
    without_rewrites: int
    """Problems that have no rewrite of any kind; their lists are empty."""
    notices: tuple[str, ...]
    """What a user should hear of the source."""


@dataclass(slots=True)
class _Counts:
    rows: int = 0
    problems: int = 0
    rewrites: int = 0
    without_rewrites: int = 0


def export(
    source: str,
    to: str,
    out: Path,
    *,
    prompt: str | None = None,
    style: Style | None = None,
    row_split: str = "train",
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    **reading: Any,
) -> ExportReport:
    """Write the problems of `source` with their semifactuals to `out`, in the schema of the trainer `to`.

    `prompt` names a prompt template, or is "source" for each problem's own format; `style` is the prompts' form;
    `row_split` is what verl's rows call their split. `reading` goes to `open_variants`. Evaluation variants and
    counterfactuals never enter an export. A file that `out` names is replaced once the new one is whole.

    Raises:
        ConfigError: the format or template is unknown, or an option means nothing for the format.
        SourceError: the source cannot be read.
        OutputError: `out` cannot be written, or is read.
    """
    wanted = _format(to)
    prompting = _prompting(wanted, prompt, style)
    _require_ending(out, wanted)
    variants = open_variants(source, **reading)
    refuse_overwriting(out, _files_of(source))
    counts = _Counts()
    rows = _rows(variants, wanted, prompting, row_split, counts, on_progress)
    if out.suffix == ".parquet":
        _write_parquet(out, rows, wanted.columns(prompting.style))
    else:
        for _ in write_rows(rows, out):
            pass
    return ExportReport(
        out, to, counts.rows, counts.problems, counts.rewrites, counts.without_rewrites, variants.notices
    )


def _format(name: str) -> Format:
    if name not in FORMATS:
        raise ConfigError(f"there is no export format {name!r}", hint=f"the formats are: {', '.join(FORMATS)}")
    return FORMATS[name]


def _prompting(wanted: Format, prompt: str | None, style: Style | None) -> Prompting:
    if not wanted.takes_prompts and prompt is not None:
        raise ConfigError(f"a prompt format means nothing for {wanted.name}, whose rows hold the bare texts")
    if wanted.only_style and style not in (None, wanted.style):
        raise ConfigError(f"the prompts of {wanted.name} are always of the style {wanted.style}, never {style}")
    return Prompting.named(prompt or DEFAULT_PROMPT, style or wanted.style)


def _require_ending(out: Path, wanted: Format) -> None:
    endings = ENDINGS[:1] if wanted.only_parquet else ENDINGS
    if out.suffix not in endings:
        raise ConfigError(
            f"{out} has an ending that is no format for {wanted.name}", hint=f"end it in {' or '.join(endings)}"
        )


def _files_of(source: str) -> list[Path]:
    path = Path(source).expanduser()
    if path.is_dir():
        return [file for file in path.rglob("*") if file.is_file()]
    return [path] if path.is_file() else []


def _rows(
    variants: VariantSource,
    wanted: Format,
    prompting: Prompting,
    split: str,
    counts: _Counts,
    on_progress: Callable[[int, int], None],
) -> Iterator[Record]:
    for index, problem in enumerate(variants.problems()):
        for row in wanted.rows(problem, Place(index, split), prompting):
            counts.rows += 1
            yield row
        counts.problems += 1
        counts.rewrites += len(problem.semifactuals)
        counts.without_rewrites += not problem.semifactuals
        on_progress(counts.problems, variants.count)


def _write_parquet(out: Path, rows: Iterator[Record], columns: dict[str, Description]) -> None:
    """Write a parquet file whose types are said, not guessed, so that an empty list has the type of a full one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(arrow_type(columns))
    temporary = out.with_name(f".{out.name}.tmp")
    try:
        with writing(out):
            writer = pq.ParquetWriter(temporary, schema, compression="zstd")
        with writer:
            while group := list(islice(rows, ROWS_PER_GROUP)):
                with writing(out):
                    writer.write_table(pa.Table.from_pylist(group, schema=schema))
        with writing(out):
            os.replace(temporary, out)
    finally:
        temporary.unlink(missing_ok=True)
