from __future__ import annotations

import re
from pathlib import Path

from semifactual.evaluation.compare import compare_runs
from semifactual.evaluation.compare_report import headline, verdicts, write_compare_report
from semifactual.evaluation.training_runs import TrainingRun
from tests.evaluation.test_compare import CREDIT, make, pairs
from tests.train.synthetic import HOSTILE


def page(runs: list[TrainingRun], folder: Path) -> str:
    found = compare_runs(runs)
    return write_compare_report(found, runs, folder).read_text(encoding="utf-8")


def test_it_shows_groups_curves_and_differences(tmp_path: Path) -> None:
    text = page(pairs(tmp_path), tmp_path)
    assert "scapo ends " in text and " above grpo in v/accuracy" in text
    assert text.count('class="line s1 faint"') >= 3  # a thin line a seed, in every chart
    assert "over 30 problems" in text
    assert 'id="training"' in text and "credit.enabled" in text


def test_it_loads_nothing(tmp_path: Path) -> None:
    text = page(pairs(tmp_path, 1), tmp_path)
    assert re.findall(r"(?:src|href)=\"(?!#|data:)[^\"]*", text) == []
    assert "default-src 'none'" in text


def test_labels_cannot_break_out(tmp_path: Path) -> None:
    runs = [make(tmp_path, {"label": "plain", "credit": {"enabled": False}}, 0)]
    runs.append(make(tmp_path / "..", {**CREDIT, "label": "x"}, 0))
    recipe = {**runs[1].recipe, "label": HOSTILE}
    text = page([runs[0], TrainingRun(runs[1].folder, recipe, runs[1].metrics, runs[1].evaluations)], tmp_path)
    assert "<img" not in text and text.count("</script>") == 3


def test_sentences_say_how_sure_they_are(tmp_path: Path) -> None:
    metric = compare_runs(pairs(tmp_path))["metrics"][0]
    (sentence,) = verdicts(metric)
    assert re.search(r"scapo less grpo is \+[\d.]+ points \(95 %: \+[\d.]+ to \+[\d.]+, over 30 problems\)", sentence)
    assert "all seeds agree" in sentence


def test_no_difference_is_claimed_where_the_interval_holds_zero(tmp_path: Path) -> None:
    runs = [make(tmp_path, options, 0) for options in ({"label": "grpo", "credit": {"enabled": False}}, CREDIT)]
    found = compare_runs(runs)
    metric = found["metrics"][0]
    low, high = metric["differences"][0]["final"]["interval"]
    assert low < 0 < high
    assert headline(found, metric) == "No difference in v/accuracy is shown between grpo and scapo"
    (sentence,) = verdicts(metric)
    assert sentence.endswith("so it may be 0.")
