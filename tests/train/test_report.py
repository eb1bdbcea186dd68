from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from semifactual.errors import SourceError
from semifactual.evaluation.training_runs import read_run
from semifactual.train.report import deck, headline, warnings, write_report
from tests.train.conftest import RunRecipe
from tests.train.synthetic import HOSTILE, write_run


def page(folder: Path) -> str:
    return write_report(folder).read_text(encoding="utf-8")


def embedded(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def sections(text: str) -> list[str]:
    return re.findall(r'<section id="(\w+)"', text)


def test_a_run_has_every_section(tmp_path: Path) -> None:
    text = page(write_run(tmp_path / "run"))
    names = ["validation", "reward", "length", "policy", "drift", "credit", "time", "completions", "meaning", "made"]
    assert sections(text) == names
    data = embedded(text)
    assert set(re.findall(r'data-chart="([^"]+)"', text)) == set(data["charts"])
    assert data["charts"]["reward-0"]["steps"] == list(range(1, 20, 2))
    assert "noise floor" in text and "λ is at most" in text


def test_it_loads_nothing_and_lets_nothing_in(tmp_path: Path) -> None:
    text = page(write_run(tmp_path / "run", hostile=True))
    assert re.findall(r"(?:src|href)=\"(?!#|data:)[^\"]*", text) == []
    assert "default-src 'none'" in text
    assert "<img" not in text and text.count("</script>") == 3
    assert any(HOSTILE in response["tokens"] for response in embedded(text)["responses"])


def test_a_run_without_credit_and_validation(tmp_path: Path) -> None:
    options = {"credit": {"enabled": False}, "eval": {"every": 0}, "log": {"completions_every": 0}}
    text = page(write_run(tmp_path / "run", options))
    assert sections(text)[:4] == ["reward", "length", "policy", "time"]
    assert not {"drift", "credit", "validation"} & set(sections(text))
    assert "has kept no completions" in text


def test_a_run_of_four_steps(tmp_path: Path) -> None:
    text = page(write_run(tmp_path / "run", {"steps": 4}))
    assert "4 steps" in text and "over the first rollout" in text


def test_a_long_run_is_drawn_as_means_and_does_not_grow(tmp_path: Path) -> None:
    sizes = []
    for steps in (400, 1200):
        text = page(write_run(tmp_path / f"run-{steps}", {"steps": steps, "log": {"completions_every": 0}}))
        sizes.append(len(text))
        assert "Each point is the mean of up to" in text
        assert max(len(chart["steps"]) for chart in embedded(text)["charts"].values()) <= 480
    assert sizes[1] < 1.3 * sizes[0]


def test_the_same_run_gives_the_same_page(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    assert page(folder) == page(folder)


def test_warnings_come_first_and_are_said_once(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", done=9)
    assert warnings(read_run(folder)) == [
        "The run is unfinished: 9 of 20 steps are done.",
        "Step 3 (and at 1 later step): 3 of 8 rewards failed, the first with ValueError",
    ]
    text = page(folder)
    assert text.index("The run is unfinished") < text.index('id="validation"')


@pytest.mark.parametrize(("right", "why"), [(0.0, "the data may be too hard"), (0.9, "little left to learn")])
def test_equal_rewards_are_explained(tmp_path: Path, right: float, why: str) -> None:
    run = read_run(write_run(tmp_path / "run", done=9))
    lines = [{**line, "group/uniform": 1.0, "reward/accuracy": right} for line in run.metrics]
    said = warnings(replace(run, metrics=lines))
    assert sum(why in sentence for sentence in said) == 1


def test_the_headline_and_how_sure_it_is(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path / "run", lift=0.6))
    first, last = run.evaluations[0]["v/accuracy"], run.evaluations[-1]["v/accuracy"]
    assert (
        headline(run)
        == f"raised validation accuracy from {100 * first:.1f}\u202f% to {100 * last:.1f}\u202f% in 20 steps"
    )
    sentence, model = deck(run)
    low, high = (float(number) for number in re.findall(r"\+([\d.]+)", sentence))
    assert low < 100 * (last - first) < high
    assert "30 problems of v anew" in sentence and "more than the luck" in sentence
    assert model == "The model builtin:tiny was trained with scapo credit, with seed 0."
    flat = read_run(write_run(tmp_path / "flat"))
    assert "may be the luck" in next(deck(flat))
    assert headline(flat).startswith("shows no clear change in validation accuracy: ")


def test_a_run_that_has_done_nothing_is_refused(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", {"eval": {"every": 0}}, done=0)
    with pytest.raises(SourceError, match="has not done a step"):
        write_report(folder)


def test_a_real_run(run_recipe: RunRecipe) -> None:
    sets = {"v": {"source": "builtin:word_problems?n=3&steps=1..1&max=9"}}
    done = run_recipe({"eval": {"every": 2, "sets": sets}, "log": {"completions_every": 2}})
    text = page(done.out)
    assert {"validation", "reward", "drift", "credit", "time"} <= set(sections(text))
    data = embedded(text)
    assert data["total"] == len(data["responses"]) > 0
    assert any(response["credit"] for response in data["responses"])
    assert "semifactual" in text and "transformers" in text
