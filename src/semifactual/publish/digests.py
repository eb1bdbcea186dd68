"""What tells whether a file on the Hub is the file here, without bringing it over."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Digest:
    """How the Hub knows a file: large ones by the SHA-256 of their bytes, others by git's hash of a blob."""

    size: int
    sha256: str | None
    blob: str

    @classmethod
    def told(cls, entry: Any) -> Digest:
        """The digest of a file as the Hub's listing tells it."""
        return cls(entry.size, None if entry.lfs is None else entry.lfs.sha256, entry.blob_id)

    def is_of(self, path: Path) -> bool:
        """Whether the file here has the same bytes."""
        size = path.stat().st_size
        if size != self.size:
            return False
        with path.open("rb") as file:
            if self.sha256 is not None:
                return hashlib.file_digest(file, "sha256").hexdigest() == self.sha256
            blob = hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
            while chunk := file.read(1 << 20):
                blob.update(chunk)
            return blob.hexdigest() == self.blob
