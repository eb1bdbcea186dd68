"""The plots of a run as files."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from semifactual.drift.plots import write_plots
from semifactual.errors import ConfigError

pytest.importorskip("matplotlib")
NAMES = ("kinds", "categories", "histogram", "transitions")


@pytest.fixture(scope="module")
def plots(made_up_run: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    run = tmp_path_factory.mktemp("plots") / "run"
    shutil.copytree(made_up_run, run)
    return write_plots(run)


def test_each_plot_is_there_as_png_and_svg(plots: list[Path]) -> None:
    assert [path.name for path in plots] == [f"{name}.{ending}" for name in NAMES for ending in ("png", "svg")]
    for path in plots:
        if path.suffix == ".png":
            assert path.read_bytes().startswith(b"\x89PNG")
        else:
            assert ElementTree.parse(path).getroot().tag.endswith("svg")


@pytest.mark.slow
def test_another_process_draws_the_same_bytes(plots: list[Path], tmp_path: Path) -> None:
    shutil.copytree(plots[0].parent.parent, tmp_path / "run", ignore=shutil.ignore_patterns("plots"))
    program = (
        f"from pathlib import Path; from semifactual.drift.plots import *; write_plots(Path({str(tmp_path / 'run')!r}))"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert {path.name: path.read_bytes() for path in plots} == {
        path.name: path.read_bytes() for path in (tmp_path / "run" / "plots").iterdir()
    }


def test_without_matplotlib_it_says_what_to_install(
    made_up_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(made_up_run, tmp_path / "run")
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConfigError, match="matplotlib"):
        write_plots(tmp_path / "run")
