"""docs/drift.md says what the code does."""

from __future__ import annotations

from pathlib import Path

from semifactual.drift.taxonomy import CATEGORIES, categorise
from tests.repository import ROOT

DOCUMENT = (Path(ROOT) / "docs" / "drift.md").read_text(encoding="utf-8")


def table(heading: str) -> list[list[str]]:
    """The cells of the table under a heading."""
    section = DOCUMENT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][2:]
    return [[cell.strip(" ") for cell in row.replace(r"\|", "¦").strip("|").split("|")] for row in rows]


def test_every_category_is_documented_with_a_token_of_it() -> None:
    rows = table("The categories of tokens")
    assert [name for name, _, _ in rows] == [category.value for category in CATEGORIES]
    for name, _, example in rows:
        text = example.removeprefix("`").removesuffix("`").replace("¦", "|")
        assert categorise(text).value == name


def test_every_file_is_documented() -> None:
    from semifactual.drift.assemble import PAYLOAD
    from semifactual.drift.begun import SUMMARY

    named = {name.strip() for row in table("The files of a run") for name in row[0].split(",")}
    assert named == {*PAYLOAD, SUMMARY, "plots/"}
