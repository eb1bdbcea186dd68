from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from semifactual.errors import RegistryError, SourceError
from semifactual.pipeline.pair_fields import PairFields
from semifactual.pipeline.pairs import PairRow, scan_pairs


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


def test_a_built_row_stands_for_its_sealed_rewrites_too(tmp_path: Path, exclaim_kind: str) -> None:
    row = {
        "id": "p:1",
        "problem": "Why?",
        "answer": "4",
        "semifactuals": [{"kind": exclaim_kind, "text": "Why?!"}],
        "evaluation_variants": [{"kind": exclaim_kind, "text": "Why?!!!!", "answer": "4"}],
    }
    pairs = scan_pairs(write_rows(tmp_path / "rows.jsonl", row), PairFields(), skip_bad_rows=False)
    assert [(pair.row, pair.rewrite, pair.answer) for pair in pairs.rows()] == [(0, "Why?!", "4"), (1, "Why?!!!!", "4")]


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
        ({"problem": "a", "semifactuals": ["x"]}, "has a rewrite without a text and a kind"),
        ({"problem": "a", "semifactuals": [{"text": "x"}]}, "has a rewrite without a text and a kind"),
    ],
)
def test_a_bad_row_is_named_with_its_reason(row: dict[str, Any], said: str, tmp_path: Path, exclaim_kind: str) -> None:
    source = write_rows(tmp_path / "pairs.jsonl", row, *[{"problem": "a", "rewrite": None, "kind": None}] * 9)
    with pytest.raises(SourceError, match="; and 7 more") as caught:
        scan_pairs(source, PairFields(), skip_bad_rows=False)
    assert f"pairs.jsonl:1 {said}" in caught.value.message


def test_nothing_usable_is_an_error_even_where_bad_rows_are_skipped(tmp_path: Path, exclaim_kind: str) -> None:
    source = write_rows(tmp_path / "pairs.jsonl", {"problem": "a", "rewrite": "", "kind": exclaim_kind})
    with pytest.raises(SourceError, match="holds no rewrite to check"):
        scan_pairs(source, PairFields(), skip_bad_rows=True)


def test_metadata_that_cannot_be_read_is_none(tmp_path: Path, exclaim_kind: str) -> None:
    row = {"problem": "a", "rewrite": "b", "kind": exclaim_kind, "metadata": "[" * 100_000}
    pairs = scan_pairs(write_rows(tmp_path / "pairs.jsonl", row), PairFields(), skip_bad_rows=False)
    assert next(pairs.rows()).metadata == {}


@pytest.mark.parametrize(
    ("value", "text"),
    [("a", "a"), (True, "true"), (1, "1"), (0.5, "0.5"), (None, None), ("", None)],
)
def test_a_column_gives_its_value_as_text(value: Any, text: str | None, tmp_path: Path, exclaim_kind: str) -> None:
    row = {"problem": "Why?", "rewrite": "Why?!", "kind": exclaim_kind}
    source = write_rows(tmp_path / "pairs.jsonl", {**row, "writer": value}, {**row, "writer": "b"})
    pairs = scan_pairs(source, PairFields(by="writer"), skip_bad_rows=False)
    assert [pair.by for pair in pairs.rows()] == [text, "b"]


def test_a_built_row_has_columns_of_the_problem_of_the_rewrite_and_of_the_metadata(
    tmp_path: Path, exclaim_kind: str
) -> None:
    entry = {"kind": exclaim_kind, "text": "Why?!", "engine": "rule", "source": "not this one"}
    row = {"problem": "Why?", "source": "hand", "semifactuals": [entry], "metadata": '{"level": 3}'}
    source = write_rows(tmp_path / "rows.jsonl", row)
    for column, value in (("source", "hand"), ("engine", "rule"), ("level", "3")):
        pairs = scan_pairs(source, PairFields(by=column), skip_bad_rows=False)
        assert [pair.by for pair in pairs.rows()] == [value]


def test_a_column_that_no_row_has_is_an_error_with_those_there_are(tmp_path: Path, exclaim_kind: str) -> None:
    source = write_rows(tmp_path / "pairs.jsonl", {"problem": "Why?", "rewrite": "Why?!", "kind": exclaim_kind})
    with pytest.raises(SourceError, match="no row has the field writer") as caught:
        scan_pairs(source, PairFields(by="writer"), skip_bad_rows=False)
    assert caught.value.hint == "the first row has: problem, rewrite, kind; name the right one with --by FIELD"


@pytest.mark.parametrize(
    ("named", "said", "option"),
    [
        ({"problem": "q"}, "no row has the field q, which would hold the problem", "--problem-field"),
        ({"rewrite": "r"}, "no row has the field r, which would hold the rewrite", "--rewrite-field"),
        ({"kind": "k"}, "no row has the field k, which would hold the kind", "the kind of all rows with --kind K"),
        ({"answer": "a"}, "no row has the field a, which would hold the answer", "--answer-field"),
        ({"label": "vedict"}, "no row has the field vedict, which would hold the label", "--label-field"),
    ],
)
@pytest.mark.parametrize("skip_bad_rows", [False, True])
def test_a_field_that_no_row_has_is_told_once_and_not_row_by_row(
    named: dict[str, str], said: str, option: str, skip_bad_rows: bool, tmp_path: Path, exclaim_kind: str
) -> None:
    row = {"problem": "Why?", "rewrite": "Why?!", "kind": exclaim_kind, "verdict": "kept"}
    source = write_rows(tmp_path / "pairs.jsonl", row, row)
    with pytest.raises(SourceError) as caught:
        scan_pairs(source, PairFields.named(**named), skip_bad_rows)
    assert caught.value.message == said
    assert caught.value.hint is not None and option in caught.value.hint
    assert caught.value.hint.startswith("the first row has: problem, rewrite, kind, verdict; ")


def test_the_usual_fields_are_named_where_no_row_has_them(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "pairs.jsonl", {"problem": "Why?", "rewrite": "Why?!"})
    with pytest.raises(SourceError, match="no row has the field kind or type, which would hold the kind"):
        scan_pairs(source, PairFields(), skip_bad_rows=False)


def test_a_built_dataset_says_which_columns_it_has(tmp_path: Path, exclaim_kind: str) -> None:
    entry = {"kind": exclaim_kind, "text": "Why?!", "engine": "rule", "checks": ["calm"]}
    row = {"id": "p:1", "problem": "Why?", "semifactuals": [entry], "metadata": '{"level": 3}'}
    with pytest.raises(SourceError, match="no row has the field label") as caught:
        scan_pairs(write_rows(tmp_path / "rows.jsonl", row), PairFields(label="label"), skip_bad_rows=False)
    assert caught.value.hint is not None
    listed = caught.value.hint.removeprefix("the first row has: ").partition(";")[0].split(", ")
    assert {"engine", "sealed", "id", "level"} <= set(listed) and "checks" not in listed


def test_the_kind_of_all_rows_is_an_option_and_no_fault_of_the_rows(tmp_path: Path, exclaim_kind: str) -> None:
    source = write_rows(tmp_path / "pairs.jsonl", {"problem": "Why?", "rewrite": "Why?!"})
    with pytest.raises(RegistryError, match="unknown kind of intervention 'parafrase'") as caught:
        scan_pairs(source, PairFields(every_kind="parafrase"), skip_bad_rows=True)
    assert caught.value.hint is not None and exclaim_kind in caught.value.hint


@pytest.mark.parametrize("empty", ["", "  ", None])
def test_an_empty_label_is_a_bad_row_and_its_column_is_there(
    empty: str | None, tmp_path: Path, exclaim_kind: str
) -> None:
    row = {"problem": "Why?", "rewrite": "Why?!", "kind": exclaim_kind}
    source = write_rows(tmp_path / "pairs.jsonl", {**row, "verdict": "kept"}, {**row, "verdict": empty})
    with pytest.raises(SourceError, match=r"jsonl:2 has an empty label in the field verdict$"):
        scan_pairs(source, PairFields(label="verdict"), skip_bad_rows=False)
    pairs = scan_pairs(source, PairFields(label="verdict"), skip_bad_rows=True)
    assert (pairs.count, pairs.skipped, pairs.labels) == (1, 1, frozenset({"kept"}))


def test_sealed_rewrites_are_told_from_the_others(tmp_path: Path, exclaim_kind: str) -> None:
    entry = {"kind": exclaim_kind, "text": "Why?!", "engine": "rule"}
    sealed = {"kind": exclaim_kind, "text": "Why?!!", "answer": "4"}
    source = write_rows(
        tmp_path / "rows.jsonl", {"problem": "Why?", "semifactuals": [entry], "evaluation_variants": [sealed]}
    )
    for column, values in (("sealed", ["false", "true"]), ("engine", ["rule", "(not recorded)"])):
        pairs = scan_pairs(source, PairFields(by=column), skip_bad_rows=False)
        assert [pair.by for pair in pairs.rows()] == values


@pytest.mark.parametrize(
    ("manifest", "engine"),
    [
        ({"config": {"seed": 0}}, "rule"),
        ({"config": {"engine": "rule", "judge": "openai:x"}}, "rule"),
        ({"config": {"engine": "auto"}}, "(not recorded)"),
        ({"config": []}, "(not recorded)"),
        ([], "(not recorded)"),
    ],
)
def test_the_engine_of_sealed_rewrites_is_that_of_the_whole_dataset(
    manifest: Any, engine: str, tmp_path: Path, exclaim_kind: str
) -> None:
    (tmp_path / "data").mkdir()
    sealed = {"kind": exclaim_kind, "text": "Why?!", "answer": "4"}
    row = {"problem": "Why?", "semifactuals": [], "evaluation_variants": [sealed]}
    write_rows(tmp_path / "data" / "train.jsonl", row)
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    pairs = scan_pairs(str(tmp_path), PairFields(by="engine"), skip_bad_rows=False)
    assert [pair.by for pair in pairs.rows()] == [engine]


def test_labels_are_collected_and_a_row_without_one_is_bad(tmp_path: Path, exclaim_kind: str) -> None:
    row: dict[str, Any] = {"problem": "Why?", "rewrite": "Why?!", "kind": exclaim_kind}
    rows = [{**row, "label": "good"}, row, {**row, "label": ["good"]}, {**row, "label": "bad"}]
    source = write_rows(tmp_path / "pairs.jsonl", *rows)
    with pytest.raises(SourceError, match=r"jsonl:2 has no label: no field label; .*jsonl:3 has a list in the field"):
        scan_pairs(source, PairFields(label="label"), skip_bad_rows=False)
    pairs = scan_pairs(source, PairFields(label="label"), skip_bad_rows=True)
    assert (pairs.labels, pairs.count, pairs.skipped) == (frozenset({"good", "bad"}), 2, 2)
