"""A headless Chromium, where there is one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser; the test is skipped where playwright or Chromium is absent."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=CHROMIUM, args=["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


class Opened:
    """A page from a file, with everything that it said and asked for."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())


Open = Callable[..., Opened]


@pytest.fixture
def open_page(chromium: Any) -> Iterator[Open]:
    opened: list[Opened] = []

    def open_(path: Path, **options: Any) -> Opened:
        opened.append(Opened(chromium, path, **options))
        return opened[-1]

    yield open_
    for one in opened:
        one.context.close()


def embedded(page: Any) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(page.locator("#data").text_content())
    return data


def tints(page: Any) -> list[int]:
    found: list[int] = page.eval_on_selector_all(".t", "spans => spans.map((span) => Number(span.dataset.heat))")
    return found
