"""The page of a check: what it lists, what it leaves out, and that texts stay texts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from semifactual.errors import OutputError
from semifactual.pipeline import cases
from semifactual.pipeline.checking import check_source
from semifactual.pipeline.pair_fields import PairFields

HOSTILE = "</script><img src=x onerror=window.hacked=1>\u2028\u202e<!--"


def pair(rewrite: str, label: str, kind: str, **other: Any) -> dict[str, Any]:
    return {
        "id": rewrite,
        "problem": "Why?",
        "rewrite": rewrite,
        "kind": kind,
        "label": label,
        "writer": "eva",
        **other,
    }


def write_rows(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def page_of(source: str, tmp_path: Path, label: str | None = None, by: str | None = None) -> str:
    page = tmp_path / "check.html"
    check_source(source, fields=PairFields(label=label, by=by), page=page, workers=1)
    return page.read_text(encoding="utf-8")


def listed(page: str, section: str) -> list[str]:
    part = page.partition(f'<section id="{section}"')[2].partition("</section>")[0]
    return re.findall(r"row \d+ · (\S+)", part)


@pytest.fixture
def source(tmp_path: Path, exclaim_kind: str) -> str:
    texts = [("Why?!", "valid"), ("Why?!!", "changed"), ("Why?!!!", "kept"), ("Why?!!!!", "kept"), ("So?!", "0")]
    return write_rows(tmp_path / "pairs.jsonl", *(pair(text, label, exclaim_kind) for text, label in texts))


def test_with_labels_every_disagreement_is_listed_and_nothing_else(source: str, tmp_path: Path) -> None:
    page = page_of(source, tmp_path, label="label")
    assert listed(page, "falsely-rejected") == ["Why?!!!", "Why?!!!!"]
    assert listed(page, "missed") == ["Why?!!"]
    assert "3 of 5 verdicts disagree with the label" in page
    assert "kept, valid means kept" in page


def test_without_labels_all_that_was_rejected_is_listed(source: str, tmp_path: Path) -> None:
    page = page_of(source, tmp_path)
    assert listed(page, "rejected") == ["Why?!!!", "Why?!!!!", "So?!"]
    assert "3 of 5 rewrites were rejected" in page


def test_a_case_shows_its_evidence_and_what_differs(source: str, tmp_path: Path) -> None:
    page = page_of(source, tmp_path)
    assert ">calm</code> could not decide: three marks" in page
    assert ">extends</code> failed: another beginning" in page
    assert "<del>Why</del>" in page and "<ins>So</ins>" in page


def test_a_check_is_named_with_what_it_says(source: str, tmp_path: Path) -> None:
    page = page_of(source, tmp_path)
    assert "<code>extends</code><small>the original comes first</small>" in page
    assert '<code title="the original comes first">extends</code> failed' in page


def test_nothing_to_list_is_said(tmp_path: Path, exclaim_kind: str) -> None:
    source = write_rows(tmp_path / "pairs.jsonl", pair("Why?!", "kept", exclaim_kind))
    assert "No verdict disagrees with its label" in page_of(source, tmp_path, label="label")
    assert "Nothing was rejected" in page_of(source, tmp_path)


def test_what_is_left_out_is_counted(tmp_path: Path, exclaim_kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "MOST_A_GROUP", 3)
    monkeypatch.setattr(cases, "MOST", 5)
    rows = [pair(f"Why?{n}!!!!", "kept", exclaim_kind, writer="eva" if n < 10 else "tom") for n in range(20)]
    page = page_of(write_rows(tmp_path / "pairs.jsonl", *rows), tmp_path, by="writer")
    assert len(listed(page, "rejected")) == 5
    assert "The first 3 of 10 are listed" in page and "The first 2 of 10 are listed" in page


def test_hostile_texts_appear_only_escaped(tmp_path: Path, exclaim_kind: str) -> None:
    row = pair(HOSTILE, HOSTILE, exclaim_kind, writer=HOSTILE, id=HOSTILE, problem=f"{HOSTILE} 1")
    other = pair("a", "other", exclaim_kind, writer="b")
    page = page_of(write_rows(tmp_path / "pairs.jsonl", row, other), tmp_path, by="writer")
    assert "<img" not in page and not {"\u2028", "\u202e"} & set(page)
    assert page.count("<script") == page.count("</script>") == 3
    assert "default-src 'none'" in page


def test_line_feeds_that_differ_are_seen(tmp_path: Path, exclaim_kind: str) -> None:
    source = write_rows(tmp_path / "pairs.jsonl", pair("So,\nwhy?", "kept", exclaim_kind))
    assert "⏎\n" in page_of(source, tmp_path)


@pytest.mark.parametrize("name", ["pairs.jsonl", "none/check.html", "verdicts.jsonl"])
def test_a_page_that_cannot_be_put_there_is_told_before_work(
    name: str, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(OutputError):
        check_source(source, tmp_path / "verdicts.jsonl", page=tmp_path / name, workers=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pairs.jsonl"]
