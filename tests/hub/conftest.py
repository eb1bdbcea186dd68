from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from semifactual.pipeline.build import build
from semifactual.pipeline.config import BuildConfig
from tests.hub.driver import Driver
from tests.hub.server import Hub


@pytest.fixture(scope="session")
def running_hub() -> Iterator[Hub]:
    hub = Hub()
    yield hub
    hub.close()


@pytest.fixture
def hub(running_hub: Hub) -> Hub:
    """A hub that holds nothing yet."""
    running_hub.reset()
    return running_hub


@pytest.fixture(scope="session")
def running_driver(running_hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    driver = Driver(running_hub.url, tmp_path_factory.mktemp("client") / "home")
    yield driver
    driver.close()


@pytest.fixture
def client(running_driver: Driver, hub: Hub) -> Driver:
    """Runs command lines that talk to the hub."""
    return running_driver


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset that no test may change."""
    out = tmp_path_factory.mktemp("built") / "words"
    build(BuildConfig(source="builtin:word_problems?n=8", counterfactuals=1, workers=1, license="apache-2.0"), out)
    return out


@pytest.fixture
def dataset(built: Path, tmp_path: Path) -> Path:
    """A dataset that a test may change."""
    return Path(shutil.copytree(built, tmp_path / "words"))
