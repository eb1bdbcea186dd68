"""The published cards are what their options give today, and pass the Hub's validation."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from semifactual.pipeline.card_notes import NOTES_BEGIN
from semifactual.publish import data_cards
from semifactual.resources import template_yaml
from tests.hub.server import front_matter_errors
from tests.repository import ROOT

CARDS = ROOT / "data_cards"


@pytest.mark.slow
def test_the_cards_are_those_of_today() -> None:
    """Made anew by ``python -m semifactual.publish.data_cards data_cards``."""
    assert data_cards.out_of_date(CARDS) == []


def test_every_published_set_has_a_card_and_no_other_has() -> None:
    assert {path.stem for path in CARDS.glob("*.md")} == set(template_yaml(data_cards.PUBLISHED))
    assert len(list(CARDS.glob("*.md"))) >= 2


def test_the_hub_would_take_them() -> None:
    for path in CARDS.glob("*.md"):
        assert front_matter_errors(path.read_text(encoding="utf-8")) == []


def test_notes_stay_and_a_changed_card_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {"words": {"source": "builtin:word_problems?n=2", "workers": 1}}
    monkeypatch.setattr(data_cards, "template_yaml", lambda name: small)
    assert data_cards.out_of_date(tmp_path) == ["words.md"]
    card = tmp_path / "words.md"
    for path, text in data_cards.remade_cards(tmp_path):
        path.write_text(text, encoding="utf-8")
    own = card.read_text(encoding="utf-8").replace(NOTES_BEGIN, f"{NOTES_BEGIN}\nOurs: {{}}.")
    card.write_text(own.replace("| `paraphrase` | 2 |", "| `paraphrase` | 3 |"), encoding="utf-8")
    assert data_cards.out_of_date(tmp_path) == ["words.md"]
    for path, text in data_cards.remade_cards(tmp_path):
        path.write_text(text, encoding="utf-8")
    assert "Ours: {}." in card.read_text(encoding="utf-8") and data_cards.out_of_date(tmp_path) == []
    shutil.rmtree(tmp_path)
