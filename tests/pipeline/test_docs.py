"""docs/checking.md is true: its code runs, and its words are those of the code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from semifactual.pipeline.cases import MOST, MOST_A_GROUP
from semifactual.pipeline.labels import USUALLY_CHANGED, USUALLY_KEPT
from semifactual.validate.verdict import Mode, Outcome
from tests.repository import ROOT
from tests.test_readme import blocks, is_marked, run_block

DOCUMENT = (ROOT / "docs" / "checking.md").read_text(encoding="utf-8")


def test_every_block_says_what_becomes_of_it() -> None:
    assert [block for block in blocks(DOCUMENT) if not is_marked(block)] == []


@pytest.mark.slow
def test_runnable_blocks_run_in_order(tmp_path: Path) -> None:
    for block in blocks(DOCUMENT):
        if block.note == "runnable":
            run_block(block, tmp_path)
    verdicts = [json.loads(line) for line in (tmp_path / "verdicts.jsonl").read_text().splitlines()]
    assert [verdict["outcome"] for verdict in verdicts] == ["valid", "invalid", "valid", "invalid"]
    assert "0 of 4 verdicts disagree with the label" in (tmp_path / "check.html").read_text(encoding="utf-8")


def test_outcomes_modes_labels_and_limits_are_those_of_the_code() -> None:
    for name in (*Outcome, *Mode):
        assert f"\n| {name.value}" in DOCUMENT
    for words, meaning in ((USUALLY_KEPT, "kept"), (USUALLY_CHANGED, "changed")):
        assert f"{', '.join(words[:-1])} and {words[-1]} mean {meaning}" in DOCUMENT
    assert f"up to {MOST_A_GROUP:,} rewrites of a group and {MOST:,} in all" in DOCUMENT
