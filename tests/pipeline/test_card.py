"""The data card: what the Hub reads of it, what a person reads, and that texts from outside stay data."""

from __future__ import annotations

import copy
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt

from semifactual.errors import OutputError
from semifactual.interventions.registry import interventions
from semifactual.pipeline.build import build
from semifactual.pipeline.card import front_matter, licence, render_card, size_category
from semifactual.pipeline.card_command import build_command
from semifactual.pipeline.card_examples import Example, choose_examples, sentence_diff
from semifactual.pipeline.card_notes import NOTES_BEGIN, NOTES_END, notes_in
from semifactual.pipeline.config import BuildConfig, load_config
from semifactual.pipeline.error_budget import error_budget

COUNTS = {
    "valid": 7200,
    "problems_covered": 7,
    "missing": 1,
    "rejected": 2,
    "answer_checks": {"rederived": 5, "unknown": 2},
    "failed_checks": {"one_typo": 2, "unchanged": 1, "gone_by_now": 4},
}
MANIFEST: dict[str, Any] = {
    "schema": 1,
    "semifactual": "0.1.0",
    "seed": 3,
    "config": {"source": "problems.jsonl", "license": "unknown", "require_all": False, "seed": 3},
    "source": {"spec": "problems.jsonl"},
    "source_sha256": "ab" * 32,
    "versions": {"python": "3.11.2"},
    "templates": {"typos/spared.txt": "0123456789abcdef"},
    "counts": {"rows": 8, "counterfactuals": 0, "dropped_by_require_all": 0, "kinds": {"typo_noise": COUNTS}},
}
EXAMPLE = Example("p-1", "typo_noise", "3", "- Ann has 3 cats.\n+ Ann hsa 3 cats.")
HOSTILE = ["{{ 7 * 7 }}", "`rm` | <b>x</b>\n---\nlicense: mit", "a: [b", "# x", "```\n# y", "\x1b[31m\u202e<!-- x -->"]


def front_matter_of(card: str) -> dict[str, Any]:
    assert card.startswith("---\n")
    loaded: dict[str, Any] = yaml.safe_load(card.split("\n---\n")[0].removeprefix("---\n"))
    return loaded


def html(card: str) -> str:
    """The card as the Hub shows it, HTML let through."""
    return MarkdownIt("gfm-like", {"linkify": False}).render(card.split("\n---\n", 1)[1])


def test_the_front_matter_tells_the_hub_where_the_rows_are() -> None:
    matter = front_matter_of(render_card(MANIFEST))
    assert matter["license"] == "unknown"
    assert matter["language"] == ["en"] and matter["task_categories"] == ["text-generation"]
    assert matter["size_categories"] == ["n<1K"]
    assert matter["configs"][0]["data_files"] == [{"split": "train", "path": "data/train-*.parquet"}]


@pytest.mark.parametrize("stated", ["MIT", " cc-by-4.0 ", "unknown", "other"])
def test_a_licence_that_the_hub_knows(stated: str) -> None:
    assert licence(stated) == {"license": stated.strip().lower()}


def test_a_licence_that_it_does_not_know_is_kept_as_given() -> None:
    manifest = MANIFEST | {"config": MANIFEST["config"] | {"license": "Ours, ask: Ann"}}
    assert front_matter(manifest)["license"] == "other"
    assert front_matter_of(render_card(manifest))["license_name"] == "Ours, ask: Ann"


def test_every_kind_has_its_counts_and_every_check_what_it_refused() -> None:
    lines = render_card(MANIFEST).splitlines()
    assert "| `typo_noise` | 7,200 | 7 | 1 | 2 | 5 | 0 | 2 |" in lines
    contract = interventions()["typo_noise"].contract
    tables = [line for line in lines if line.startswith("| `") and line.endswith("|")]
    for check in contract.checks:
        (row,) = (line for line in tables if line.startswith(f"| `{check.name}` |"))
        assert row.endswith(f"| {COUNTS['failed_checks'].get(check.name, 0)} |")  # type: ignore[attr-defined]
    assert "| `gone_by_now` |  | 4 |" in lines


def test_checks_that_all_kinds_share_are_told_once_and_added_up() -> None:
    manifest = copy.deepcopy(MANIFEST)
    other = COUNTS | {"failed_checks": {"unchanged": 10, "one_frame": 3}}
    manifest["counts"]["kinds"]["scenario_wrap"] = other
    card = render_card(manifest)
    assert card.count("| `unchanged` |") == card.count("| `one_frame` |") == card.count("| `one_typo` |") == 1
    (row,) = (line for line in card.splitlines() if line.startswith("| `unchanged` |"))
    assert row.endswith("| 11 |")


def test_a_kind_that_is_not_installed_here_is_told_as_that() -> None:
    manifest = copy.deepcopy(MANIFEST)
    manifest["counts"]["kinds"] = {"polite": COUNTS}
    card = render_card(manifest)
    assert "not installed where this card was made" in card and "| `one_typo` |  | 2 |" in card


def test_dropped_problems_are_told() -> None:
    manifest = copy.deepcopy(MANIFEST)
    manifest["config"]["require_all"] = True
    manifest["counts"]["dropped_by_require_all"] = 5
    assert "5 such problems were left out" in render_card(manifest)
    assert "such problems were left out" not in render_card(MANIFEST)


def test_a_card_made_by_another_version_says_whose_words_it_uses() -> None:
    assert "which remade this card" not in render_card(MANIFEST)
    assert "which remade this card" in render_card(MANIFEST | {"semifactual": "0.0.9"})


BUDGET: dict[str, Any] = {
    "semifactual": "0.1.0",
    "date": "2030-01-31",
    "mode": "frozen",
    "measured_on": "pairs of July",
    "kinds": {
        "typo_noise": {
            "violating": 114,
            "caught": 112,
            "preserving": 200,
            "rejected": 4,
            "expected_bad_share": 0.0031,
            "upper_bad_share": 0.02,
        }
    },
    "not_measured": ["mine"],
}


def test_the_error_budget_is_there_when_it_was_measured() -> None:
    lines = render_card(MANIFEST | {"error_budget": BUDGET}).splitlines()
    assert "| `typo_noise` | 112 of 114 | 4 of 200 | 0.31 % | 2.00 % |" in lines
    assert "| `mine` | not measured | not measured | unknown | unknown |" in lines
    assert "Error budget" not in render_card(MANIFEST)


def test_the_error_budget_says_whose_it_is() -> None:
    card = render_card(MANIFEST | {"error_budget": BUDGET})
    assert "on 2030-01-31, in mode `frozen`, by semifactual 0.1.0.\n" in card
    card = render_card(MANIFEST | {"error_budget": BUDGET | {"semifactual": "0.0.7"}})
    assert (
        "on 2030-01-31, in mode `frozen`, by semifactual 0.0.7. Another version, 0.1.0, built this dataset.\n" in card
    )


def test_a_dataset_built_before_there_was_more_keeps_its_budget() -> None:
    rates = {name: BUDGET["kinds"]["typo_noise"][name] for name in ("violating", "caught", "preserving", "rejected")}
    older = {"measured_on": "pairs of May", "kinds": {"typo_noise": {**rates, "expected_bad_share": None}}}
    lines = render_card(MANIFEST | {"error_budget": older}).splitlines()
    assert "| `typo_noise` | 112 of 114 | 4 of 200 | unknown | unknown |" in lines


def test_a_build_keeps_its_error_budget(tmp_path: Path) -> None:
    report = build(BuildConfig(source="builtin:algebra?n=2", kinds=("typo_noise",), workers=1), tmp_path / "out")
    budget = report.manifest["error_budget"]
    assert budget == error_budget(report.manifest["counts"]["kinds"])
    assert set(budget["kinds"]) == {"typo_noise"}


def test_a_model_that_took_part_is_named() -> None:
    ended = {"accepted": 5, "rejected": 2, "failed": 1}
    config = MANIFEST["config"] | {"engine": "auto", "model": "openai:m@http://x/v1"}
    manifest = MANIFEST | {"config": config, "tokens": 10, "cost": 0.5, "llm": {"problems": ended, "currency": "USD"}}
    card = render_card(manifest)
    assert "language model (`openai:m@http://x/v1`) the rest" in card and "| tokens, cost | 10, 0.5000 USD |" in card


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_from_outside_stay_data(text: str) -> None:
    manifest = copy.deepcopy(MANIFEST)
    manifest["config"]["license"] = text
    manifest["config"]["source"] = manifest["source"]["spec"] = text
    manifest["counts"]["kinds"] = {text: COUNTS}
    card = render_card(manifest, [Example(text, text, text, sentence_diff(text, text + " "))])
    assert front_matter_of(card)["license_name"] == text
    plain = html(render_card(MANIFEST, [EXAMPLE]))
    shown = html(card)
    assert "49" not in card and "\x1b" not in shown and "\u202e" not in shown
    for tag in ("<h1", "<b>", "<hr", "<table", "<pre"):
        assert shown.count(tag) == plain.count(tag), tag


@pytest.mark.parametrize(
    ("rows", "name"),
    [(0, "n<1K"), (1000, "1K<n<10K"), (99_999, "10K<n<100K"), (10**7, "10M<n<100M"), (10**12, "n>1T")],
)
def test_size_categories(rows: int, name: str) -> None:
    assert size_category(rows) == name


def test_sealed_kinds_are_told_apart() -> None:
    manifest = copy.deepcopy(MANIFEST)
    assert "Sealed" not in render_card(manifest)
    manifest["counts"]["kinds"]["typo_noise"]["sealed"] = True
    card = render_card(manifest)
    assert "Sealed for evaluation: `typo_noise`." in card
    assert "| `evaluation_variants` | rewrites of the sealed kinds" in card


def test_rows_without_a_counterfactual_are_told() -> None:
    manifest = copy.deepcopy(MANIFEST)
    manifest["counts"] |= {"counterfactuals": 5, "without_counterfactuals": 3}
    assert "8 rows, and 5 counterfactuals as a control; 3 rows have none" in render_card(manifest)


# The notes of a person.


def test_notes_are_kept_word_for_word() -> None:
    notes = "## Mine\n\n<b>bold</b> {{ x }}\n\n```python\n1\n```"
    card = render_card(MANIFEST, [EXAMPLE], notes)
    assert notes_in(card, "it") == notes
    assert render_card(MANIFEST, [EXAMPLE], notes_in(card, "it")) == card
    assert notes_in(render_card(MANIFEST), "it") == ""


@pytest.mark.parametrize(
    "card",
    ["# Mine", NOTES_BEGIN, f"{NOTES_END}\n{NOTES_BEGIN}", f"{NOTES_BEGIN}\n{NOTES_BEGIN}\n{NOTES_END}"],
)
def test_a_card_whose_notes_cannot_be_told_is_not_touched(card: str) -> None:
    with pytest.raises(OutputError, match="would be lost"):
        notes_in(card, "README.md")


# The examples.


def row(row_id: str, length: int, *kinds: str) -> dict[str, Any]:
    problem = "x" * length
    entries = [{"kind": kind, "text": f"{problem} {kind}"} for kind in kinds]
    return {"id": row_id, "problem": problem, "answer": "1", "semifactuals": entries}


def test_examples_are_of_different_kinds_and_rows() -> None:
    rows = [row("a", 9, "k", "l"), row("b", 9), row("c", 9, "k", "l"), row("d", 9, "l", "m")]
    assert [(one.id, one.kind) for one in choose_examples(rows)] == [("a", "k"), ("c", "l"), ("d", "m")]


def test_short_problems_come_first_and_few_kinds_serve_several_times() -> None:
    rows = [row("long", 5000, "k"), row("a", 9, "k"), row("b", 9, "k")]
    assert [one.id for one in choose_examples(rows)] == ["a", "b", "long"]
    assert choose_examples([row("a", 9)]) == [] == choose_examples([])


@pytest.mark.parametrize("after", ["One is 1.\n\nTwo is 2.", "One is 1.  Two is 2.", "One is 1. Two is 2. "])
def test_a_change_of_layout_alone_is_seen(after: str) -> None:
    lines = sentence_diff("One is 1. Two is 2.", after).splitlines()
    assert any(line.startswith("- ") for line in lines) and any(line.startswith("+ ") for line in lines)


def test_a_kind_of_which_none_entered_has_no_share() -> None:
    counts = {**MANIFEST["counts"], "kinds": {"typo_noise": {**COUNTS, "valid": 0}}}
    rates = {**BUDGET["kinds"]["typo_noise"], "expected_bad_share": None, "upper_bad_share": None}
    budget = {**BUDGET, "kinds": {"typo_noise": rates}}
    card = render_card(MANIFEST | {"counts": counts, "error_budget": budget})
    assert "| none entered | none entered |" in card


def test_a_diff_gives_both_texts_back_sentence_by_sentence() -> None:
    lines = sentence_diff("One is 1. Two is 2.\nThree?", "One is 1. Two are 2.\nThree?").splitlines()
    assert [line[2:] for line in lines if line[0] in " -"] == ["One is 1.", "Two is 2.", "Three?"]
    assert [line[2:] for line in lines if line[0] in " +"] == ["One is 1.", "Two are 2.", "Three?"]


# The command.


def test_the_command_builds_the_same_set_again(tmp_path: Path) -> None:
    """The words of the command, parsed by the shell and by our own command line, give the same config."""
    config = BuildConfig(
        source="it's $HOME; x.jsonl",
        kinds=("typo_noise", "paraphrase"),
        per_kind=2,
        require_all=True,
        seed=-5,
        license="Ann's; ask $USER",
    )
    command = build_command(config.identity(), config.source)
    words = subprocess.run(["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, text=True).stdout
    program, verb, source, *options = words.split("\0")[:-1]
    assert (program, verb, source) == ("semifactual", "build", config.source)
    assert options[:2] == ["--out", "DIR"]
    named = {"--require-all": True}
    rest = [option for option in options[2:] if option not in named]
    assert "Ann's; ask $USER" in rest
    pairs = {
        name.removeprefix("--").replace("-", "_"): value for name, value in zip(rest[::2], rest[1::2], strict=True)
    }
    assert load_config(None, {"source": source, "require_all": True, **pairs}).identity() == config.identity()


def test_a_long_command_has_a_line_an_option() -> None:
    command = build_command({"kinds": ["a" * 60, "b" * 60]}, "x")
    assert command.splitlines() == ["semifactual build x \\", "  --out DIR \\", f"  --kinds {'a' * 60},{'b' * 60}"]


def test_the_card_of_a_build_says_where_it_comes_from(tmp_path: Path) -> None:
    report = build(BuildConfig(source="builtin:algebra?n=3", seed=4, workers=1), tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert report.manifest["source_sha256"] in card
    assert "semifactual build 'builtin:algebra?n=3' --out DIR --seed 4" in card
    assert all(digest in card for digest in report.manifest["templates"].values())
    assert card.count("```diff") == 3
    assert all(len(line) <= 400 for line in card.splitlines())
