"""The drift report in a browser, as a reader opens it: from a file, without a network."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from semifactual.drift.report import HEAT_EDGES, write_report
from tests.browser.conftest import Open, embedded, tints
from tests.drift.synthetic import HOSTILE, Shape, write_run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(write_run(tmp_path_factory.mktemp("run"), Shape(problems=6, samples=2), warnings=[HOSTILE]))


@pytest.fixture
def open_report(open_page: Open, report: Path) -> Open:
    return partial(open_page, report)


def classes(drift: list[int]) -> list[int]:
    return [sum(value / 10000 >= edge for edge in HEAT_EDGES) for value in drift]


def test_it_opens_from_a_file_without_an_error_or_a_request(open_report: Open, report: Path) -> None:
    opened = open_report()
    assert opened.page.locator(".t").count() > 10
    assert opened.said == []
    assert opened.asked == [report.as_uri()]


def test_the_switch_changes_tints_and_prompts(open_report: Open) -> None:
    page = open_report().page
    response = embedded(page)["responses"][0]
    assert tints(page) == classes(response["drift"])
    for kind, name in enumerate(embedded(page)["kinds"]):
        page.get_by_role("radio", name=name).check(force=True)
        assert tints(page) == classes(response["drift_by_kind"][kind])
        assert page.locator("#prompts h4").all_text_contents() == ["original", name]
        assert page.locator("#inspector tr.chosen th").text_content() == name
    assert page.locator("#prompts ins, #prompts del").count()


def test_a_tint_is_a_colour(open_report: Open) -> None:
    page = open_report().page
    hot, calm = (f".t[data-heat='{level}']" for level in (max(tints(page)), 0))
    colour = "(span) => getComputedStyle(span).backgroundColor"
    assert page.eval_on_selector(hot, colour) != page.eval_on_selector(calm, colour)


def test_pointing_and_arrow_keys_show_values(open_report: Open) -> None:
    page = open_report().page
    response = embedded(page)["responses"][0]
    tokens = page.locator(".t")
    note = page.locator("#inspector .note")

    tokens.nth(4).hover()
    assert f"token 5 of {response['total']}" in note.text_content()
    cells = page.locator("#inspector tbody tr").last.locator("td").all_text_contents()
    assert float(cells[1]) == pytest.approx(response["drift"][4] / 10000, rel=0.01)

    tokens.nth(4).click()
    page.keyboard.press("ArrowRight")
    assert f"token 6 of {response['total']}" in note.text_content()
    assert page.evaluate("document.activeElement.dataset.i") == "5"
    assert "drift" in page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("End")
    assert f"token {response['total']} of {response['total']}" in note.text_content()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    below, first = tokens.nth(int(page.evaluate("document.activeElement.dataset.i"))), tokens.first
    assert below.bounding_box()["y"] > first.bounding_box()["y"]


def test_the_picker_and_the_buttons_open_responses(open_report: Open) -> None:
    page = open_report().page
    responses = embedded(page)["responses"]

    def shown() -> tuple[str, int]:
        return page.locator("#response-name").text_content(), page.locator(".t").count()

    def named(place: int) -> tuple[str, int]:
        one = responses[place]
        return f"{one['problem']}, sample {one['sample']}", len(one["tokens"])

    assert shown() == named(0)
    page.locator("#pick").select_option("3")
    assert shown() == named(3)
    page.locator("#previous").click()
    assert shown() == named(2)
    page.locator("#sharpest").click()
    assert int(page.evaluate("document.activeElement.dataset.i")) == responses[2]["drift"].index(
        max(responses[2]["drift"])
    )
    link = page.locator("a[data-response]").nth(3)
    link.click()
    assert shown() == named(int(link.get_attribute("data-response")))
    assert page.evaluate("document.activeElement.dataset.i") == link.get_attribute("data-place")


def test_probabilities_and_drift_agree(open_report: Open) -> None:
    page = open_report().page
    page.locator("#sharpest").click()
    rows = [row.locator("td").all_text_contents() for row in page.locator("#inspector tbody tr").all()]
    p0 = float(rows[0][0])
    for pk, drift in rows[1:-1]:
        assert abs(p0 - float(pk)) / ((p0 + float(pk)) / 2) == pytest.approx(float(drift), abs=0.02)


def test_the_theme_follows_the_system_and_the_button(open_report: Open) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    light, dark = (open_report(color_scheme=scheme).page for scheme in ("light", "dark"))
    papers = light.evaluate(colour), dark.evaluate(colour)
    assert papers[0] != papers[1]
    button = light.get_by_role("button", name="Theme")
    seen = []
    for _ in range(3):
        button.click()
        seen.append(light.evaluate(colour))
    assert seen == [papers[0], papers[1], papers[0]]
    button.click()
    button.click()
    light.reload()
    assert light.evaluate(colour) == papers[1]


def test_hostile_text_is_only_shown(open_report: Open) -> None:
    opened = open_report()
    page = opened.page
    for place in range(len(embedded(page)["responses"])):
        page.locator("#pick").select_option(str(place))
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert page.get_by_label("Warnings").get_by_text("</script><img").count() == 1
    assert any(HOSTILE in response["tokens"] for response in embedded(page)["responses"])
    assert opened.said == []


def test_a_hostile_token_and_prompt_are_legible(open_report: Open) -> None:
    page = open_report().page
    place = next(i for i, one in enumerate(embedded(page)["responses"]) if HOSTILE in one["tokens"])
    page.locator("#pick").select_option(str(place))
    texts = page.locator(".t").all_text_contents()
    assert any(text.startswith("</script><img src=x") and "⟨U+2028⟩" in text for text in texts)
    assert "⟨U+202E⟩evil⟨U+202C⟩" in texts
    assert "∅" in texts
    assert "</script><img src=x" in page.locator("#prompts .text").first.text_content()


@pytest.mark.parametrize("width", [320, 375, 768, 1280])
def test_no_screen_scrolls_sideways(open_report: Open, width: int) -> None:
    page = open_report(viewport={"width": width, "height": 800}).page
    place = next(i for i, one in enumerate(embedded(page)["responses"]) if HOSTILE in one["tokens"])
    page.locator("#pick").select_option(str(place))
    page.eval_on_selector_all("details", "all => all.forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    outside = page.evaluate(
        """() => [...document.querySelectorAll('main *')].filter((one) => {
            const box = one.getBoundingClientRect();
            const inline = getComputedStyle(one).display === 'inline';  // spaces at a line's end hang, unseen
            return box.width && box.right > innerWidth + 1 && !inline && !one.closest('.scroll');
        }).map((one) => one.tagName + '.' + one.className).slice(0, 5)"""
    )
    assert outside == []


def test_it_can_be_read_without_javascript(open_report: Open) -> None:
    page = open_report(java_script_enabled=False).page
    assert page.locator("noscript").count() == 1
    assert page.locator("#kinds .rows li").count() == 4
    assert not page.locator("#reader").is_visible()


def test_it_prints(open_report: Open) -> None:
    page = open_report(color_scheme="dark").page
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(252, 250, 246)"
    assert not page.locator(".controls").is_visible()
    assert page.locator(".heatmap").is_visible()
