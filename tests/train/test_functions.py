from __future__ import annotations

from pathlib import Path

import pytest

from semifactual.errors import ConfigError
from semifactual.train.functions import load_function


def test_a_module_in_the_current_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_own_reward_module.py").write_text(
        "class Judge:\n    @staticmethod\n    def score(p, r):\n        return 0.25\n"
    )
    monkeypatch.chdir(tmp_path)
    assert load_function("my_own_reward_module:Judge.score", "reward.function")(None, "") == 0.25


@pytest.mark.parametrize("path", ["math", ":floor", "math:", ""])
def test_a_path_without_a_module_or_name(path: str) -> None:
    with pytest.raises(ConfigError, match="is no import path"):
        load_function(path, "reward.function")


def test_a_module_that_fails_to_load_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_broken_module.py").write_text("1 / 0\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="ZeroDivisionError: division by zero"):
        load_function("my_broken_module:score", "credit.function")
