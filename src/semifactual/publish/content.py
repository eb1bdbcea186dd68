"""What a dataset says, whatever file or library it is read with: the number of its rows and a hash over them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semifactual.pipeline.records import read_parquet, to_json


@dataclass(frozen=True, slots=True)
class Content:
    """The rows of a dataset, in short."""

    rows: int
    sha256: str

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]]) -> Content:
        """The content of rows in their order; the order of a row's columns does not matter."""
        digest, count = hashlib.sha256(), 0
        for row in rows:
            digest.update(to_json(dict(row)).encode("utf-8", "backslashreplace") + b"\n")
            count += 1
        return cls(count, digest.hexdigest())

    @classmethod
    def of_file(cls, path: Path) -> Content:
        """The content of a parquet file here."""
        return cls.of(read_parquet(path))

    def __str__(self) -> str:
        return f"{self.rows:,} rows, content {self.sha256[:16]}"
