"""docs/publishing.md says what the code does."""

from __future__ import annotations

import re

from semifactual.integrations import easyr1_reward, rewards, verl_reward
from semifactual.publish.formats import FORMATS
from semifactual.publish.hub import PAUSES
from semifactual.resources import template_names
from tests.repository import ROOT

TEXT = (ROOT / "docs" / "publishing.md").read_text(encoding="utf-8")


def test_the_table_of_formats_is_that_of_the_code() -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in TEXT.splitlines() if line[:1] == "|"][2:]
    assert [row[0] for row in rows] == list(FORMATS)
    for name, _, columns, file in rows:
        known = FORMATS[name]
        assert columns.split(", ") == list(known.columns(known.style))
        assert file == (".parquet" if known.only_parquet else ".parquet, .jsonl")


def test_what_it_names_is_there() -> None:
    assert "after 1, 3, 9 and 27 seconds" in TEXT and PAUSES == (1, 3, 9, 27)
    assert f"longer than {rewards.DEADLINE_SECONDS:.0f} seconds" in TEXT
    assert {"prompts/default.txt", "prompts/bare.txt"} <= set(template_names("prompts"))
    for module in (verl_reward, easyr1_reward):
        assert callable(module.compute_score) and module.__name__.rpartition(".")[2] in TEXT


def test_every_command_that_it_calls_exists() -> None:
    from semifactual.cli.main import COMMANDS

    named = set(re.findall(r"`semifactual (\w+)", TEXT))
    assert named <= {command.__name__ for command in COMMANDS} and {"export", "card", "push", "pull"} <= named
