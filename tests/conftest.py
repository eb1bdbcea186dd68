"""Fixtures that any test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Before torch is imported: several test processes that each take every core are slower than one.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real problem sets, which is no part of the repository; tests that need it skip without it."""
    folder = Path(os.environ.get("SEMIFACTUAL_SHARED", ROOT.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip("the real problem sets are absent: set SEMIFACTUAL_SHARED to their folder")
    return folder


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-demand", action="store_true", help="also run the long rounds that are marked `demand`")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--run-demand"):
        return
    for item in items:
        if item.get_closest_marker("demand"):
            item.add_marker(pytest.mark.skip(reason="runs only with --run-demand"))
