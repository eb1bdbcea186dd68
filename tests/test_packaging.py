"""What is built is what git holds: every module and every data file, no more and no less."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.repository import ROOT, package_folders, pyproject, repository_files

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel made from that sdist, of a clean copy of the repository.

    The copy has no build/ and no egg-info, which setuptools would otherwise take stale files from.
    """
    copy, dist = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("dist")
    for name in repository_files():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(dist), str(copy)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return dist


def expected() -> set[str]:
    """The files of all packages, by their path in an installed package."""
    packages = {folder: package.replace(".", "/") for package, folder in package_folders().items()}
    found = set()
    for name in repository_files():
        folder = name.rpartition("/")[0]
        owner = next((f for f in sorted(packages, key=len, reverse=True) if f"{folder}/".startswith(f"{f}/")), None)
        if owner is not None:
            found.add(packages[owner] + name.removeprefix(owner))
    return found


def test_the_wheel_holds_what_git_holds(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == expected()


def test_the_wheel_holds_more_than_modules(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "semifactual/py.typed" in names
    assert "semifactual/cli/main.py" in names
    assert any(name.startswith("semifactual/templates/") and not name.endswith(".py") for name in names)
    assert any(name.startswith("semifactual/data_cards/") for name in names)
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_sdist_holds_what_a_build_needs(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    folders = {path.split("/")[0] for path in package_folders().values()}
    sources = {name for name in repository_files() if name.split("/")[0] in folders}
    assert sources | {"pyproject.toml", "README.md", "LICENSE"} <= names


def test_the_version_is_the_same_everywhere() -> None:
    from importlib.metadata import version

    import semifactual

    assert semifactual.__version__ == pyproject()["project"]["version"] == version("semifactual")
    assert f"## [{semifactual.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
