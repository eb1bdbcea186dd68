"""What `push` and `build --push` refuse before any word goes over the network; tests/hub/ does the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command


@pytest.fixture(autouse=True)
def no_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No token, and a network that fails the test when it is used."""
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "none"))
    monkeypatch.setattr("huggingface_hub.utils._http.get_session", lambda: pytest.fail("the network was used"))


def test_a_folder_that_is_no_dataset(command: Command, tmp_path: Path) -> None:
    ran = command("push", tmp_path, "ann/words")
    assert ran.code == 2 and "no built dataset" in ran.err


def test_a_name_comes_before_everything(command: Command, tmp_path: Path) -> None:
    ran = command("push", tmp_path, "words", "--dry-run")
    assert ran.code == 2 and "is not OWNER/NAME" in ran.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--push", "ann/words"], "no token"),
        (["--push", "words"], "is not OWNER/NAME"),
        (["--private"], "--private means nothing without --push"),
        (["--push", "ann/words", "--dry-run"], "--push means nothing"),
    ],
)
def test_build_does_no_work_that_it_could_not_push(
    command: Command, tmp_path: Path, options: list[str], said: str
) -> None:
    ran = command("build", "builtin:word_problems?n=2", "--out", tmp_path / "out", *options)
    assert ran.code == 2 and said in ran.err and not (tmp_path / "out").exists()
