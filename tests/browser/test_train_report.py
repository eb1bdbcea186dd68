"""The training report and the comparison in a browser, as a reader opens them: from a file, without a network."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from semifactual.evaluation.compare import compare_runs
from semifactual.evaluation.compare_report import write_compare_report
from semifactual.evaluation.training_runs import read_run
from semifactual.train.report import HEAT_EDGES, write_report
from tests.browser.conftest import Open, embedded, tints
from tests.train.synthetic import HOSTILE, write_run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(write_run(tmp_path_factory.mktemp("run") / "run", {"label": HOSTILE}, hostile=True))


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    plain = {"label": "grpo", "credit": {"enabled": False}}
    folders = [write_run(folder / f"a{seed}", {**plain, "seed": seed}) for seed in (0, 1)]
    folders += [write_run(folder / f"b{seed}", {"label": HOSTILE, "seed": seed}, lift=0.5) for seed in (0, 1)]
    runs = [read_run(one) for one in folders]
    return write_compare_report(compare_runs(runs), runs, folder)


def classes(view: str, values: list[float]) -> list[int]:
    return [sum(abs(value) >= edge for edge in HEAT_EDGES[view]) for value in values]


def choose(page: Any, step: int) -> dict[str, Any]:
    """Open a step's first response that has tokens, and return it."""
    responses = embedded(page)["responses"]
    place = next(i for i, one in enumerate(responses) if one["step"] == step and one["tokens"])
    page.locator("#step").select_option(str(step))
    page.locator("#pick").select_option(str(place))
    response: dict[str, Any] = responses[place]
    return response


def test_it_opens_from_a_file_without_an_error_or_a_request(open_page: Open, report: Path, comparison: Path) -> None:
    for path in (report, comparison):
        opened = open_page(path)
        assert opened.page.locator(".lines svg").count() >= 5
        assert opened.said == []
        assert opened.asked == [path.as_uri()]


def test_tints_follow_the_chosen_view(open_page: Open, report: Path) -> None:
    page = open_page(report).page
    response = choose(page, 1)
    credit = [value / 1000 for value in response["credit"]]
    assert tints(page) == classes("credit", credit)
    total = [response["advantage"] + response["lambda"] * value for value in credit]
    page.get_by_role("radio", name="size of the advantage").check(force=True)
    assert tints(page) == classes("advantage", total)
    page.get_by_role("radio", name="drift").check(force=True)
    assert tints(page) == classes("drift", [value / 10_000 for value in response["drift"]])
    assert page.locator("#inspector tr.chosen th").text_content() == "drift, mean of kinds"


def test_the_inspector_adds_credit_to_the_advantage(open_page: Open, report: Path) -> None:
    page = open_page(report).page
    choose(page, 1)
    page.locator("#sharpest").click()
    rows = dict(
        zip(
            page.locator("#inspector th").all_text_contents(),
            page.locator("#inspector td").all_text_contents(),
            strict=True,
        )
    )
    numbers = {name: float(text.replace("−", "-")) for name, text in rows.items()}
    assert numbers["credit u"] < 0
    whole = numbers["advantage A of the response"] + numbers["λ u"]
    assert numbers["advantage Ã = A + λ u"] == pytest.approx(whole, abs=0.01)


def test_steps_and_buttons_walk_through_the_responses(open_page: Open, report: Path) -> None:
    page = open_page(report).page
    responses = embedded(page)["responses"]
    seen = []
    for _ in responses:
        seen.append(int(page.locator("#pick").input_value()))
        if page.locator("#next").is_enabled():
            page.locator("#next").click()
    assert seen == list(range(len(responses)))
    page.locator("#step").select_option("6")
    assert page.locator("#response-facts").text_content().startswith("Step 6 ")
    assert page.locator("#pick option").count() == sum(one["step"] == 6 for one in responses)


def test_an_empty_response_and_one_that_was_not_probed(open_page: Open, report: Path, tmp_path: Path) -> None:
    page = open_page(report).page
    responses = embedded(page)["responses"]
    empty = next(i for i, one in enumerate(responses) if not one["tokens"])
    page.locator("#step").select_option(str(responses[empty]["step"]))
    page.locator("#pick").select_option(str(empty))
    assert "no reward" in page.locator("#response-facts").text_content()
    assert page.locator("#inspector").text_content() == "The response is empty."
    plain = open_page(write_report(write_run(tmp_path / "plain", {"credit": {"enabled": False}})))
    assert plain.said == []
    assert plain.page.locator("input[value=credit]").is_disabled()
    assert plain.page.locator("input[value=advantage]").is_checked()
    assert "not probed" in plain.page.locator("#response-facts").text_content()


def test_pointer_and_arrow_keys_read_a_chart(open_page: Open, report: Path) -> None:
    page = open_page(report).page
    chart = embedded(page)["charts"]["reward-0"]
    field = page.locator('[data-chart="reward-0"]')
    readout = page.locator("figure", has=field).locator(".readout")
    box = field.bounding_box()
    field.hover(position={"x": box["width"] * 11 / 20, "y": 20})
    step, value = readout.text_content().split(": ")
    assert (step, float(value)) == ("step 11", pytest.approx(chart["values"][0][5], rel=0.01))
    field.focus()
    page.keyboard.press("Home")
    assert readout.text_content().startswith("step 1: ")
    page.keyboard.press("ArrowRight")
    assert readout.text_content().startswith("step 3: ")
    page.keyboard.press("End")
    assert readout.text_content().startswith("step 19: ")


def test_hostile_text_is_only_shown(open_page: Open, report: Path, comparison: Path) -> None:
    opened = open_page(report)
    page = opened.page
    for step in {one["step"] for one in embedded(page)["responses"]}:
        choose(page, step)
        texts = page.locator(".t").all_text_contents()
        assert any(text.startswith("</script><img src=x") and "⟨U+2028⟩" in text for text in texts)
        assert "⟨U+202E⟩evil⟨U+202C⟩" in texts
    assert page.get_by_label("Warnings").get_by_text("</script><img").count() == 1
    for one in (opened, open_page(comparison)):
        assert one.page.evaluate("window.hacked") is None
        assert one.page.locator("img").count() == 0
        assert "</script><img" in one.page.locator("h1").text_content()
        assert one.said == []


@pytest.mark.parametrize("width", [320, 375, 768, 1280])
def test_no_screen_scrolls_sideways(open_page: Open, report: Path, comparison: Path, width: int) -> None:
    for path in (report, comparison):
        page = open_page(path, viewport={"width": width, "height": 800}).page
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        outside = page.evaluate(
            """() => [...document.querySelectorAll('main *')].filter((one) => {
                const box = one.getBoundingClientRect();
                const inline = getComputedStyle(one).display === 'inline';
                return box.width && box.right > innerWidth + 1 && !inline && !one.closest('.scroll');
            }).map((one) => one.tagName + '.' + one.className).slice(0, 5)"""
        )
        assert outside == []


def test_names_of_lines_do_not_overlap(open_page: Open, report: Path) -> None:
    page = open_page(report).page
    for names in page.locator(".names").all():
        boxes = sorted((span.bounding_box() for span in names.locator("span").all()), key=lambda box: box["y"])
        assert all(one["y"] + one["height"] <= other["y"] + 2 for one, other in pairwise(boxes))


def test_a_line_and_its_name_have_one_colour_in_both_themes(open_page: Open, report: Path) -> None:
    colours = []
    for scheme in ("light", "dark"):
        page = open_page(report, color_scheme=scheme).page
        chart = page.locator("figure", has=page.locator('[data-chart="validation-0"]'))
        line = chart.locator("path.line.s2").evaluate("(one) => getComputedStyle(one).stroke")
        name = chart.locator(".names .s2").evaluate("(one) => getComputedStyle(one).color")
        assert line == name
        colours.append(line)
    assert colours[0] != colours[1]


def test_curves_can_be_read_without_javascript(open_page: Open, report: Path) -> None:
    page = open_page(report, java_script_enabled=False).page
    assert page.locator("noscript").count() == 1
    assert not page.locator("#reader").is_visible()
    said = page.locator("#reward svg").first.get_attribute("aria-label")
    assert said.startswith("reward: ") and "at step 19" in said


def test_it_prints(open_page: Open, report: Path) -> None:
    page = open_page(report, color_scheme="dark").page
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(252, 250, 246)"
    assert page.locator("#reward svg").first.is_visible()
    assert not page.locator(".readout").first.is_visible()
