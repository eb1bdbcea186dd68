from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.cli.console import print_json, print_table, printable, progress


@given(st.text(st.characters()))
def test_printable_text_holds_no_control(text: str) -> None:
    assert all(unicodedata.category(character)[0] != "C" for character in printable(text) if character not in "\n\t")


@given(st.text(st.characters()))
def test_printable_text_changes_nothing_twice(text: str) -> None:
    assert printable(printable(text)) == printable(text)


@pytest.mark.parametrize("text", ["plain", "line\nfeed\tand tab", "é ∑ 漢 😀", "$\\frac12$"])
def test_harmless_text_is_printed_as_it_is(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [("\x1b]0;title\x07", "\\x1b]0;title\\x07"), ("a\rb", "a\\rb"), ("\u202e", "\\u202e"), ("\ud800", "\\ud800")],
)
def test_what_could_act_on_a_terminal_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_json_is_one_line_of_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"text": "é\x9b\u202e\n"}
    print_json(value)
    out = capsys.readouterr().out
    assert out.isascii() and out.count("\n") == 1
    assert json.loads(out) == value


def test_a_table_aligns_words_left_and_numbers_right(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["kind", "count"], [["paraphrase", 7], ["x\x1b", 1234]])
    assert capsys.readouterr().out == "kind        count\nparaphrase      7\nx\\x1b        1234\n"


def test_a_table_may_be_empty(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["kind", "count"], [])
    assert capsys.readouterr().out == "kind  count\n"


def test_no_progress_where_stderr_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("working") as on_progress:
        on_progress(1, 2)
    assert capsys.readouterr().err == ""
