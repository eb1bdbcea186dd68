"""Verdicts counted by kind, by column and against labels."""

from __future__ import annotations

from typing import Any

import pytest

from semifactual.pipeline.agreement import NO_VALUE, Agreement
from semifactual.pipeline.labels import Labels, Side
from semifactual.pipeline.pairs import PairRow

LABELS = Labels("label", {"good": Side.KEPT, "bad": Side.CHANGED}, ("doubtful",))

# kind, column, label, outcome, answer check
ROWS = [
    ("typo_noise", "eva", "bad", "invalid", "unknown"),
    ("typo_noise", "eva", "bad", "unsure", "unknown"),
    ("typo_noise", "tom", "bad", "valid", "unknown"),
    ("typo_noise", "tom", "bad", "valid", "refuted"),
    ("typo_noise", "eva", "good", "valid", "rederived"),
    ("paraphrase", "eva", "good", "unsure", "unknown"),
    ("paraphrase", None, "good", "invalid", "unknown"),
    ("paraphrase", "eva", "doubtful", "unsure", "unknown"),
]


@pytest.fixture
def agreement() -> Agreement:
    made = Agreement("writer", LABELS)
    for number, (kind, by, label, outcome, answer) in enumerate(ROWS):
        pair = PairRow(number, None, kind, "a", "b", by=by, label=label)
        made.add(pair, {"outcome": outcome, "answer_check": answer})
    return made


def test_unsure_and_refuted_count_as_rejected_and_rows_left_out_not_at_all(agreement: Agreement) -> None:
    rates = agreement.all.rates
    assert (rates.caught.count, rates.caught.of, rates.caught_unsure) == (3, 4, 1)
    assert (rates.falsely_rejected.count, rates.falsely_rejected.of, rates.falsely_unsure) == (2, 3, 1)
    assert (rates.unsure.count, rates.unsure.of) == (2, 7)


def test_kinds_and_groups_add_up_to_all(agreement: Agreement) -> None:
    for parts in (agreement.by_kind(), agreement.by_group()):
        assert sum(part.rows for part in parts.values()) == len(ROWS)
        assert sum(part.rates.caught.count for part in parts.values()) == 3
    assert list(agreement.by_kind()) == ["paraphrase", "typo_noise"]
    assert list(agreement.by_group()) == ["eva", "tom", NO_VALUE]
    assert agreement.by_kind()["paraphrase"].rates.caught.of == 0


def test_accepted_is_valid_and_not_refuted(agreement: Agreement) -> None:
    tom = agreement.by_group()["tom"]
    assert (tom.accepted.count, tom.accepted.of) == (1, 2)
    assert tom.outcomes == {"valid": 2}


def test_json_holds_counts_and_intervals_of_what_was_asked_for(agreement: Agreement) -> None:
    parts: dict[str, Any] = agreement.to_json()
    assert parts["by"]["values"]["eva"]["outcomes"] == {"invalid": 1, "unsure": 3, "valid": 1}
    labels = parts["labels"]
    assert (labels["kept"], labels["changed"], labels["left_out"]) == (["good"], ["bad"], ["doubtful"])
    assert labels["all"]["caught"]["unsure"] == 1
    low, high = labels["kinds"]["typo_noise"]["caught"]["interval"]
    assert low < 0.75 < high
    assert labels["by"]["tom"]["falsely_rejected"] == {
        "count": 0,
        "of": 0,
        "share": None,
        "interval": None,
        "unsure": 0,
    }
    assert Agreement().to_json() == {}
