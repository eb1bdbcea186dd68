from __future__ import annotations

from pathlib import Path

import pytest

from semifactual.pipeline.card_notes import NOTES_BEGIN
from tests.cli.conftest import Command


@pytest.fixture
def folder(command: Command, tmp_path: Path) -> Path:
    assert command("build", "builtin:word_problems?n=2", "--out", tmp_path / "out", "--workers", "1").code == 0
    return tmp_path / "out"


def test_a_card_is_made_anew_and_notes_kept(command: Command, folder: Path) -> None:
    card = folder / "README.md"
    assert "is as it should be" in command("card", folder).out
    card.write_text(card.read_text().replace(NOTES_BEGIN, f"{NOTES_BEGIN}\nMine.").replace("## Limits", "## Others"))
    ran = command("card", folder)
    assert ran.code == 0 and "made anew; 1 line of notes kept" in ran.out
    assert "\nMine.\n" in card.read_text()
    assert command("card", folder, "--json").json == {"card": str(card), "changed": False, "notes": "Mine."}


def test_force_replaces_a_card_without_markers(command: Command, folder: Path) -> None:
    (folder / "README.md").write_text("mine")
    ran = command("card", folder)
    assert ran.code == 2 and "--force" in ran.err
    assert command("card", folder, "--force").code == 0


def test_no_dataset_is_one_sentence(command: Command, tmp_path: Path) -> None:
    ran = command("card", tmp_path / "nothing")
    assert ran.code == 2 and "no built dataset" in ran.err
