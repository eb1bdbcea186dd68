"""What `pull` refuses before any word goes over the network; tests/hub/ does the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.utils._http.get_session", lambda: pytest.fail("the network was used"))


def test_a_name_and_a_folder_are_looked_at_first(command: Command, tmp_path: Path) -> None:
    assert "is not OWNER/NAME" in command("pull", "words", "--out", tmp_path / "out").err
    assert "no name of a branch" in command("pull", "a/b", "--out", tmp_path / "out", "--revision", "a..b").err
    (tmp_path / "mine.txt").write_text("")
    ran = command("pull", "ann/words", "--out", tmp_path)
    assert ran.code == 2 and "holds other files: mine.txt" in ran.err


def test_a_build_under_way_is_left_alone(command: Command, tmp_path: Path) -> None:
    (tmp_path / "out" / ".journal").mkdir(parents=True)
    ran = command("pull", "ann/words", "--out", tmp_path / "out")
    assert ran.code == 2 and "not finished" in ran.err
