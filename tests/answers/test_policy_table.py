"""Every line of the policy table in docs/answers.md does what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from semifactual.answers import Verifier

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "answers.md"
LINE = re.compile(r"^\| (?P<what>[^|]+) \| `(?P<gold>.+?)` \| `(?P<answer>.+?)` \| (?P<outcome>\w+) \|$")


def policy_lines() -> list[re.Match[str]]:
    table = DOCUMENT.read_text(encoding="utf-8").split("## Policy")[1].split("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][2:]
    matches = [LINE.match(row) for row in rows]
    unread = [row for row, match in zip(rows, matches, strict=True) if match is None]
    assert not unread, unread
    return [match for match in matches if match]


@pytest.mark.parametrize("line", policy_lines(), ids=lambda line: line["what"])
def test_the_documented_policy_holds_both_ways(line: re.Match[str], verifier: Verifier) -> None:
    gold, answer = line["gold"].replace(r"\|", "|"), line["answer"].replace(r"\|", "|")
    assert verifier.equivalent(gold, answer).outcome == line["outcome"]
    assert verifier.equivalent(answer, gold).outcome == line["outcome"]
