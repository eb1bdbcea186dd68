"""The page of a check in a browser: it narrows, fits, and asks for nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from semifactual.pipeline.checking import check_source
from semifactual.pipeline.pair_fields import PairFields
from tests.browser.conftest import Open

PROBLEM = "A gardener plants 4 rows of beans and 3 rows of peas. How many rows does the gardener plant?"


@pytest.fixture(scope="module")
def check_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("check")
    rewrites = [(PROBLEM.replace("3", str(number)), "irrelevant_context") for number in range(5, 9)]
    rewrites += [(PROBLEM.replace("4", "40"), "typo_noise"), ("x" * 3000, "typo_noise")]
    rows = [
        {"id": str(n), "problem": PROBLEM, "rewrite": text, "kind": kind, "writer": "eva" if n % 2 else "tom"}
        for n, (text, kind) in enumerate(rewrites)
    ]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    check_source(str(folder / "pairs.jsonl"), fields=PairFields(by="writer"), page=folder / "check.html", workers=1)
    return folder / "check.html"


def test_it_says_and_asks_for_nothing(check_page: Path, open_page: Open) -> None:
    opened = open_page(check_page)
    assert opened.said == []
    assert opened.asked == [check_page.as_uri()]


def test_a_choice_narrows_the_list_and_opens_what_is_left(check_page: Path, open_page: Open) -> None:
    page = open_page(check_page).page
    assert page.locator(".case:visible").count() == 0
    page.locator("select[data-key=kind]").select_option("typo_noise")
    assert page.locator(".case:visible").count() == 2
    assert page.locator("#matching").text_content() == "2 of 6 match"
    assert page.locator("#rejected h2").text_content() == "Rejected: 2 of 6"
    page.locator("select[data-key=checks]").select_option("one_typo")
    page.locator("select[data-key=by]").select_option("eva")
    assert page.locator(".case:visible").count() == 1
    assert page.locator(".group:visible").count() == 1
    for key in ("kind", "checks", "by"):
        page.locator(f"select[data-key={key}]").select_option("")
    assert page.locator(".group:visible").count() == 2
    assert page.locator("#matching").text_content() == ""
    assert page.locator("#rejected h2").text_content() == "Rejected: 6"


@pytest.mark.parametrize("width", [375, 1280, 1700])
def test_all_parts_share_their_left_edge(width: int, check_page: Path, open_page: Open) -> None:
    page = open_page(check_page, viewport={"width": width, "height": 800}).page
    edges = page.eval_on_selector_all("h1, h2", "all => all.map((one) => Math.round(one.getBoundingClientRect().left))")
    assert len(set(edges)) == 1


def test_all_is_there_without_scripts(check_page: Path, open_page: Open) -> None:
    page = open_page(check_page, java_script_enabled=False).page
    page.locator(".group summary").first.click()
    assert page.locator(".case:visible").count() == 3
    assert not page.locator("#filters").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_nothing_is_wider_than_the_window(width: int, scheme: str, check_page: Path, open_page: Open) -> None:
    page = open_page(check_page, viewport={"width": width, "height": 800}, color_scheme=scheme).page
    page.eval_on_selector_all("details", "all => all.forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("getComputedStyle(document.body).colorScheme") in (scheme, "normal")
