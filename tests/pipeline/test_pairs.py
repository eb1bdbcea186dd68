from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from semifactual.errors import SourceError
from semifactual.pipeline.pairs import PairFields, PairRow, scan_pairs


def write_rows(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_a_pair_has_the_usual_fields(tmp_path: Path, exclaim_kind: str) -> None:
    row = {"id": 7, "original": "Why?", "perturbed": "Why?!", "type": exclaim_kind, "answer": 4}
    pairs = scan_pairs(write_rows(tmp_path / "pairs.jsonl", row), PairFields(), skip_bad_rows=False)
    assert list(pairs.rows()) == [PairRow(0, "7", exclaim_kind, "Why?", "Why?!", "4")]
    assert (pairs.count, pairs.kinds, pairs.skipped) == (1, (exclaim_kind,), 0)


def test_a_built_row_stands_for_its_semifactuals(tmp_path: Path, exclaim_kind: str) -> None:
    row = {
        "id": "p:1",
        "problem": "Why?",
        "answer": "4",
        "semifactuals": [{"kind": exclaim_kind, "text": text} for text in ("Why?!", "Why?!!")],
        "metadata": '{"solution": "2 + 2"}',
    }
    pairs = scan_pairs(write_rows(tmp_path / "rows.jsonl", row), PairFields(), skip_bad_rows=False)
    assert [(pair.row, pair.rewrite, pair.metadata) for pair in pairs.rows()] == [
        (0, "Why?!", {"solution": "2 + 2"}),
        (1, "Why?!!", {"solution": "2 + 2"}),
    ]


def test_rows_keep_their_number_where_others_are_skipped(tmp_path: Path, exclaim_kind: str) -> None:
    good = {"problem": "Why?", "rewrite": "Why?!", "kind": exclaim_kind}
    source = write_rows(tmp_path / "pairs.jsonl", good, {"problem": "Why?"}, good)
    pairs = scan_pairs(source, PairFields(), skip_bad_rows=True)
    assert [pair.row for pair in pairs.rows()] == [0, 2]
    assert pairs.skipped == 1


def test_one_kind_for_all_rows_goes_over_what_they_say(tmp_path: Path, exclaim_kind: str) -> None:
    source = write_rows(tmp_path / "pairs.jsonl", {"problem": "Why?", "text": "Why?!", "kind": "sorcery"})
    pairs = scan_pairs(source, PairFields.named(every_kind=exclaim_kind), skip_bad_rows=False)
    assert next(pairs.rows()).kind == exclaim_kind


def test_a_given_field_replaces_the_usual_ones(tmp_path: Path, exclaim_kind: str) -> None:
    row = {"problem": "Why?", "text": "Why?!", "mine": "Why?!!", "kind": exclaim_kind}
    pairs = scan_pairs(write_rows(tmp_path / "pairs.jsonl", row), PairFields.named(rewrite="mine"), skip_bad_rows=False)
    assert next(pairs.rows()).rewrite == "Why?!!"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"rewrite": "b", "kind": "exclaim"}, "has no problem: no field problem or original"),
        ({"problem": "a", "rewrite": ["b"], "kind": "exclaim"}, "has a rewrite that is no text, but a list"),
        ({"problem": "a", "rewrite": "", "kind": "exclaim"}, "has an empty rewrite"),
        ({"problem": "a", "rewrite": "b", "kind": "sorcery"}, "names the unknown kind 'sorcery'"),
        ({"id": "\ud800", "problem": "a", "rewrite": "b", "kind": "exclaim"}, "has half of a surrogate pair in its id"),
        (
            {"answer": "\ud800", "problem": "a", "rewrite": "b", "kind": "exclaim"},
            "has half of a surrogate pair in its",
        ),
        ({"problem": "a\ud800", "rewrite": "b", "kind": "exclaim"}, "has half of a surrogate pair in its problem"),
        ({"problem": "a", "rewrite": "b" * 100_001, "kind": "exclaim"}, "has 100,001 characters in its rewrite"),
        ({"problem": "a", "semifactuals": ["x"]}, "has a semifactual without a text and a kind"),
        ({"problem": "a", "semifactuals": [{"text": "x"}]}, "has a semifactual without a text and a kind"),
    ],
)
def test_a_bad_row_is_named_with_its_reason(row: dict[str, Any], said: str, tmp_path: Path, exclaim_kind: str) -> None:
    source = write_rows(tmp_path / "pairs.jsonl", row, *[{"problem": "a"}] * 9)
    with pytest.raises(SourceError, match="; and 7 more") as caught:
        scan_pairs(source, PairFields(), skip_bad_rows=False)
    assert f"pairs.jsonl:1 {said}" in caught.value.message


def test_nothing_usable_is_an_error_even_where_bad_rows_are_skipped(tmp_path: Path, exclaim_kind: str) -> None:
    source = write_rows(tmp_path / "pairs.jsonl", {"problem": "a"})
    with pytest.raises(SourceError, match="holds no rewrite to check"):
        scan_pairs(source, PairFields(), skip_bad_rows=True)


def test_metadata_that_cannot_be_read_is_none(tmp_path: Path, exclaim_kind: str) -> None:
    row = {"problem": "a", "rewrite": "b", "kind": exclaim_kind, "metadata": "[" * 100_000}
    pairs = scan_pairs(write_rows(tmp_path / "pairs.jsonl", row), PairFields(), skip_bad_rows=False)
    assert next(pairs.rows()).metadata == {}
