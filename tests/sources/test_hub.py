"""A Hub id as a source, read from a hub of our own by the official client."""

import json
import os
import subprocess
import sys

import pytest

from tests.sources.reading_hub import serve

ROWS = [{"question": f"Ann has {n} cats. How many legs have they?", "answer": str(4 * n)} for n in range(1, 4)]

READ = """
import json, sys
from semifactual.errors import SourceError
from semifactual.sources.source import open_source, scan
from semifactual.types import Problem
try:
    source = open_source(sys.argv[1], split=sys.argv[2] or None)
    scan(source)
    rows = [[row.id, row.text, row.answer] for row in source.rows() if isinstance(row, Problem)]
    print(json.dumps({"name": source.name, "rows": rows, "fingerprint": source.fingerprint()}))
except SourceError as error:
    print(json.dumps({"error": error.message, "hint": error.hint}))
"""


@pytest.fixture
def hub(tmp_path):
    data = tmp_path / "repository" / "data"
    data.mkdir(parents=True)
    for split in ("train", "test"):
        (data / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    with serve(tmp_path / "repository", "someone/pets") as address:
        yield address


def read(hub, tmp_path, name, split=""):
    settings = {"HF_ENDPOINT": hub, "HF_HOME": str(tmp_path / "home"), "HF_HUB_DISABLE_XET": "1", "HF_HUB_OFFLINE": "0"}
    command = [sys.executable, "-c", READ, name, split]
    done = subprocess.run(command, env=os.environ | settings, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_hub_dataset_is_read_at_its_revision(hub, tmp_path):
    found = read(hub, tmp_path, "someone/pets", "test")
    assert [row[1:] for row in found["rows"]] == [[row["question"], row["answer"]] for row in ROWS]
    assert found["fingerprint"] != read(hub, tmp_path, "someone/pets", "train")["fingerprint"]


def test_several_splits_want_a_choice(hub, tmp_path):
    assert "--split: test, train" in read(hub, tmp_path, "someone/pets")["hint"]


def test_an_unknown_dataset_is_one_sentence(hub, tmp_path):
    assert "someone/nothing" in read(hub, tmp_path, "someone/nothing")["error"]
