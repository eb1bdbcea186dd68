from __future__ import annotations

from pathlib import Path

import pytest

from semifactual.errors import ConfigError
from semifactual.train.placing import check_place
from semifactual.train.recipe import ModelRecipe


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no folder"):
        check_place(ModelRecipe(name=str(tmp_path / "absent")))
    assert check_place(ModelRecipe(name=str(tmp_path))) == []


def test_a_device_that_is_not_there_is_noticed() -> None:
    (notice,) = check_place(ModelRecipe(device="cuda:99"))
    assert notice == "model.device is cuda:99, and this machine has no such device."
    assert check_place(ModelRecipe(device="cpu")) == check_place(ModelRecipe(device="auto")) == []
