from __future__ import annotations

from pathlib import Path

import pytest

from semifactual.evaluation.training_runs import TrainingRun, read_run
from semifactual.train.report_sections import Section, ends, sections
from tests.train.synthetic import write_run


def found(run: TrainingRun) -> dict[str, Section]:
    return {section.id: section for section in sections(run)}


def test_ends_are_means_of_tenths() -> None:
    assert ends((list(range(20)), [float(value) for value in range(20)])) == (0.5, 18.5, 2)
    assert ends(([1], [None])) is None


def test_time_adds_up(tmp_path: Path) -> None:
    """20 steps of 1 s with 10 rollouts of 4 x 0.2 s and 20 updates of 0.5 s; 6 validations of 2 s."""
    section = found(read_run(write_run(tmp_path / "run")))["time"]
    seconds = {part["name"]: part["seconds"] for part in section.shares}
    assert seconds["validation"] == pytest.approx(12.0)
    assert seconds["update"] == pytest.approx(10.0)
    assert seconds["probe"] == pytest.approx(2.0)
    assert seconds["the rest"] == pytest.approx(2.0)
    assert sum(part["share"] for part in section.shares) == pytest.approx(1.0)
    assert section.headline == "37.5\u202f% of the time went into validation"
    assert "The probe is 6.25\u202f% of that, and 20.0\u202f% of the 10 steps" in section.lead


def test_the_drift_section_names_highest_lowest_and_idle_kinds(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path / "run"))
    section = found(run)["drift"]
    assert section.headline == "typo_noise moves tokens most, 1.2 times as much as paraphrase"
    assert [label["name"] for label in section.charts[0]["labels"]] == ["typo_noise", "paraphrase", "noise floor"]
    assert "Within three times" not in section.lead
    lines = [{**line, "drift/idle/paraphrase": 1.0} if "drift/mean" in line else line for line in run.metrics]
    idle = TrainingRun(run.folder, run.recipe, lines, run.evaluations)
    assert "Within three times of it at some step: paraphrase." in found(idle)["drift"].lead


def test_validation_has_a_line_a_kind(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path / "run"))
    charts = found(run)["validation"].charts
    assert {label["name"] for label in charts[0]["labels"]} == {"original", "paraphrase", "typo_noise"}
    assert {label["name"] for label in charts[1]["labels"]} == {"original", "mean of kinds", "sealed"}
    best = max(line["v/accuracy"] for line in run.evaluations)
    assert f"at best {100 * best:.1f}" in found(run)["validation"].lead


def test_a_slight_change_is_not_called_one(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path / "run"))
    assert found(run)["length"].headline == "Responses stay at 30.0 tokens"
    longer = [{**line, "length/mean": 30.0 + line["step"] / 100} for line in run.metrics]
    assert (
        found(TrainingRun(run.folder, run.recipe, longer, []))["length"].headline == "Responses stay near 30.2 tokens"
    )
    longer = [{**line, "length/mean": 30.0 + line["step"]} for line in run.metrics]
    headline = found(TrainingRun(run.folder, run.recipe, longer, []))["length"].headline
    assert headline == "Responses grow from 31.5 to 49.5 tokens"


def test_failed_rewards_get_a_chart_only_where_there_are_any(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path / "run"))
    titles = [chart["title"] for chart in found(run)["reward"].charts]
    assert "Rewards that timed out or failed" not in titles
    lines = [{**line, "reward/timeouts": 2} if "reward/mean" in line else line for line in run.metrics]
    late = TrainingRun(run.folder, run.recipe, lines, run.evaluations)
    assert "Rewards that timed out or failed" in [chart["title"] for chart in found(late)["reward"].charts]
