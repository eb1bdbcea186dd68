from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semifactual.llm.placeholders import CLOSE, OPEN, PlaceholderFault, mark, mask
from semifactual.text.document import Document

PIECES = st.sampled_from(
    [
        "Ann",
        " has ",
        "12",
        "$x^2$",
        " figs",
        ". ",
        "3 + 4",
        "\\frac{1}{2}",
        "n",
        "$5",
        "50%",
        " noon ",
        "⟦M1⟧",
        "⟧",
        "\n",
    ]
)


@settings(deadline=None)  # the first text loads the lexer's word lists
@given(st.lists(PIECES, max_size=12).map("".join))
def test_a_masked_text_comes_back_byte_for_byte(text: str) -> None:
    masked = mask(Document(text))
    assert masked.restore(masked.text) == text
    assert len(re.findall(f"{OPEN}M\\d+{CLOSE}", masked.text)) == len(masked.originals)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_comes_back(text: str) -> None:
    masked = mask(Document(text))
    assert masked.restore(masked.text) == text


@pytest.mark.parametrize(
    ("text", "expected", "originals"),
    [
        ("Ann has 3 figs.", "Ann has ⟦M1⟧ figs.", ["3"]),
        ("If $x = 2$ and n > 3, find n.", "If ⟦M1⟧ and ⟦M2⟧, find ⟦M3⟧.", ["$x = 2$", "n > 3", "n"]),
        ("The 3rd of twelve costs $5 at 20%.", "The ⟦M1⟧ of twelve costs ⟦M2⟧ at ⟦M3⟧.", ["3rd", "$5", "20%"]),
        ("She has two cats.", "She has two cats.", []),
        ("A ⟦ stays.", "A ⟦M1⟧ stays.", ["⟦"]),
    ],
)
def test_what_a_model_sees(text: str, expected: str, originals: list[str]) -> None:
    masked = mask(Document(text))
    assert masked.text == expected
    assert list(masked.originals) == originals


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("Ann has figs and ⟦M2⟧ plums.", "⟦M1⟧ is missing"),
        ("Ann has ⟦M1⟧ ⟦M1⟧ figs and ⟦M2⟧ plums.", "⟦M1⟧ stands 2 times"),
        ("Ann has ⟦M1⟧ figs, ⟦M2⟧ plums, ⟦M3⟧.", "⟦M3⟧ was never given"),
        ("Ann has ⟦M1⟧ figs and ⟦M2⟧ plums ⟧.", "outside a placeholder"),
        ("Ann has ⟦M1⟧ figs and ⟦M2⟧ ⟦X⟧ plums.", "outside a placeholder"),
        ("", "⟦M1⟧ is missing; ⟦M2⟧ is missing"),
    ],
)
def test_placeholders_that_did_not_come_back_are_named(reply: str, said: str) -> None:
    masked = mask(Document("Ann has 3 figs and 5 plums."))
    with pytest.raises(PlaceholderFault, match=re.escape(said)):
        masked.restore(reply)


def test_placeholders_may_move_and_bear_white_space() -> None:
    masked = mask(Document("Ann has 3 figs and 5 plums."))
    assert masked.restore("There are ⟦ M2 ⟧ plums and ⟦M1⟧ figs.") == "There are 5 plums and 3 figs."


def test_many_faults_are_summed_up() -> None:
    masked = mask(Document(" and ".join(f"{n} figs" for n in range(2, 12))))
    with pytest.raises(PlaceholderFault, match="and 4 more"):
        masked.restore("nothing")


def test_originals_are_no_templates() -> None:
    masked = mask(Document(r"Add $\1$ and $\g<0>$ to 3."))
    assert masked.restore(masked.text) == r"Add $\1$ and $\g<0>$ to 3."
    assert mark(1) in masked.text


def test_single_placeholders_are_written_otherwise() -> None:
    masked = mask(Document(r"If $x \le \frac12$ and $y = \g<1>$, what is $x$?"))
    text = masked.rewritten([r"⟦M3⟧ \(x\)", r"⟦M1⟧: $x \leq \dfrac12$"])
    assert text == r"If $x \leq \dfrac12$ and $y = \g<1>$, what is \(x\)?"
