from __future__ import annotations

import hashlib
from pathlib import Path
from types import SimpleNamespace

from semifactual.publish.content import Content
from semifactual.publish.digests import Digest

ROWS = [{"id": "a", "list": [{"x": "1"}]}, {"id": "b", "list": []}]


def test_the_hash_is_that_of_the_rows_and_nothing_else() -> None:
    text = '{"id": "a", "list": [{"x": "1"}]}\n{"id": "b", "list": []}\n'
    assert Content.of(ROWS) == Content(2, hashlib.sha256(text.encode()).hexdigest())
    assert Content.of([{"list": row["list"], "id": row["id"]} for row in ROWS]) == Content.of(ROWS)


def test_order_and_values_count() -> None:
    assert Content.of(ROWS[::-1]) != Content.of(ROWS)
    assert Content.of([ROWS[0], {"id": "b", "list": [{}]}]) != Content.of(ROWS)
    assert Content.of(ROWS[:1]) != Content.of(ROWS)


def test_digests_of_large_and_small_files(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"hello\n")
    sha256 = hashlib.sha256(b"hello\n").hexdigest()
    small = SimpleNamespace(size=6, lfs=None, blob_id="ce013625030ba8dba906f756967f9e9ca394464a")  # git hash-object
    large = SimpleNamespace(size=6, lfs=SimpleNamespace(sha256=sha256), blob_id="of the pointer")
    assert Digest.told(small).is_of(file) and Digest.told(large).is_of(file)
    file.write_bytes(b"hellO\n")
    assert not Digest.told(small).is_of(file) and not Digest.told(large).is_of(file)
