from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from semifactual.pipeline.card import render_card, size_category

COUNTS = {"valid": 7, "problems_covered": 7, "missing": 1, "rejected": 2}
MANIFEST: dict[str, Any] = {
    "schema": 1,
    "semifactual": "0.1.0",
    "seed": 3,
    "config": {"license": "unknown", "require_all": False},
    "source": {"spec": "problems.jsonl"},
    "counts": {"rows": 8, "counterfactuals": 0, "dropped_by_require_all": 0, "kinds": {"typo_noise": COUNTS}},
}


def front_matter_of(card: str) -> dict[str, Any]:
    assert card.startswith("---\n")
    loaded: dict[str, Any] = yaml.safe_load(card.split("\n---\n")[0].removeprefix("---\n"))
    return loaded


def test_the_front_matter_tells_the_hub_where_the_rows_are() -> None:
    matter = front_matter_of(render_card(MANIFEST))
    assert matter["license"] == "unknown"
    assert matter["size_categories"] == ["n<1K"]
    assert matter["configs"][0]["data_files"] == [{"split": "train", "path": "data/train-*.parquet"}]


def test_every_kind_has_its_counts() -> None:
    assert "| `typo_noise` | 7 | 7 | 1 | 2 |" in render_card(MANIFEST).splitlines()


def test_dropped_problems_are_told() -> None:
    manifest = copy.deepcopy(MANIFEST)
    manifest["config"]["require_all"] = True
    manifest["counts"]["dropped_by_require_all"] = 5
    assert "5 such problems were left out" in render_card(manifest)
    assert "such problems were left out" not in render_card(MANIFEST)


@pytest.mark.parametrize("text", ["{{ 7 * 7 }}", "`rm` | <b>x</b>\n---\nlicense: mit", "a: [b", "# x"])
def test_texts_from_outside_stay_data(text: str) -> None:
    manifest = copy.deepcopy(MANIFEST)
    manifest["config"]["license"] = text
    manifest["source"]["spec"] = text
    card = render_card(manifest)
    assert front_matter_of(card)["license"] == text
    assert len([line for line in card.splitlines() if line == "---"]) == 2
    assert "49" not in card


@pytest.mark.parametrize(("rows", "name"), [(0, "n<1K"), (1000, "1K<n<10K"), (99_999, "10K<n<100K"), (10**9, "n>10M")])
def test_size_categories(rows: int, name: str) -> None:
    assert size_category(rows) == name
