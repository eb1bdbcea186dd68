"""The lexer's types on hand-written texts, and what holds for any text at all."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from semifactual.text.document import Document
from semifactual.text.lexer import lex
from semifactual.text.spans import SpanType

GOLDEN = yaml.safe_load((Path(__file__).parents[1] / "golden" / "spans.yaml").read_text())
UNTOLD = {SpanType.WORD, SpanType.PUNCTUATION, SpanType.SPACE}

fragments = st.sampled_from(
    [
        "$",
        "$$",
        "\\",
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "{",
        "}",
        "\\begin{a}",
        "\\end{a}",
        "[asy]",
        "[/asy]",
        "`",
        "```",
        "_",
        "^",
        "\\frac",
        "5",
        "1,234",
        "3/4",
        ".",
        "-",
        " ",
        "\n",
        "Will",
        "A",
        "a",
        "x",
        "twelve",
        "%",
        "(A)",
        "B.",
        "’s",
        "é",
        "\x00",
    ]
)


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["text"][:40])
def test_golden_spans(case):
    text = case["text"]
    assert [f"{s.of(text)}: {s.type.value}" for s in lex(text) if s.type not in UNTOLD] == case["spans"]


@given(st.one_of(st.text(), st.lists(fragments).map("".join)))
def test_spans_concatenate_to_any_text(text):
    spans = lex(text)
    assert "".join(span.of(text) for span in spans) == text
    assert all(span.start < span.end for span in spans)


@given(st.lists(fragments).map("".join))
def test_sentences_lie_apart_and_in_order(text):
    position = 0
    for start, end in Document(text).sentences:
        assert position <= start < end
        assert not text[start].isspace() and not text[position:start].strip()
        position = end
    assert not text[position:].strip()
