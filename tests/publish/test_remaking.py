"""A card made anew: nothing changes where nothing changed, and a person's words stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from semifactual.errors import OutputError, SourceError
from semifactual.pipeline.build import build
from semifactual.pipeline.card_notes import NOTES_BEGIN, NOTES_END
from semifactual.pipeline.config import BuildConfig
from semifactual.publish.remaking import remake_card


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build(BuildConfig(source="builtin:word_problems?n=3", workers=1), tmp_path / "out")
    return tmp_path / "out"


def test_the_card_of_a_build_is_the_card_made_anew(folder: Path) -> None:
    before = (folder / "README.md").read_bytes()
    report = remake_card(folder)
    assert not report.changed and (folder / "README.md").read_bytes() == before


def test_notes_stay_and_everything_else_is_ours(folder: Path) -> None:
    card = folder / "README.md"
    text = card.read_text(encoding="utf-8")
    own = text.replace(NOTES_BEGIN, f"{NOTES_BEGIN}\n\nMade for *Ann*.\n").replace("## Limits", "## Boundaries")
    card.write_text(own, encoding="utf-8")
    report = remake_card(folder)
    assert report.changed and report.notes == "Made for *Ann*."
    remade = card.read_text(encoding="utf-8")
    assert "## Limits" in remade and "## Boundaries" not in remade
    assert f"{NOTES_BEGIN}\nMade for *Ann*.\n{NOTES_END}" in remade


def test_a_card_without_the_markers_is_replaced_only_by_force(folder: Path) -> None:
    (folder / "README.md").write_text("# My own card\n", encoding="utf-8")
    with pytest.raises(OutputError, match="would be lost"):
        remake_card(folder)
    assert (folder / "README.md").read_text(encoding="utf-8") == "# My own card\n"
    assert remake_card(folder, force=True).changed


def test_a_card_that_is_gone_comes_back(folder: Path) -> None:
    before = (folder / "README.md").read_bytes()
    (folder / "README.md").unlink()
    assert remake_card(folder).changed and (folder / "README.md").read_bytes() == before


def test_what_is_no_dataset(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no built dataset"):
        remake_card(tmp_path / "nothing")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    (folder / "manifest.json").write_text(json.dumps(manifest | {"schema": 2}), encoding="utf-8")
    with pytest.raises(OutputError, match="schema 2"):
        remake_card(folder)
