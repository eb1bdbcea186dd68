"""The repository under test: its root, and the files that a commit of it would hold."""

from __future__ import annotations

import subprocess
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


@cache
def repository_files() -> tuple[str, ...]:
    """The paths that git tracks or would add, in order; skips the test where this is no git checkout."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs a git checkout")
    return tuple(sorted(name for name in listing.split("\0") if name and (ROOT / name).is_file()))


@cache
def pyproject() -> dict[str, Any]:
    """The contents of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def package_folders() -> dict[str, str]:
    """From each package that pyproject.toml lists to its folder in the repository."""
    setuptools = pyproject()["tool"]["setuptools"]
    mapped: dict[str, str] = setuptools["package-dir"]
    folders = {}
    for package in setuptools["packages"]:
        base = max((name for name in mapped if f"{package}.".startswith(f"{name}.")), key=len)
        folders[package] = mapped[base] + package.removeprefix(base).replace(".", "/")
    return folders
