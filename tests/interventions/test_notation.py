"""notation: other LaTeX in every style, the same tree, and nothing where there is no formula."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.interventions.notation import rewrite
from semifactual.interventions.registry import get_intervention
from semifactual.interventions.restyling import restylings
from semifactual.text.document import Document
from semifactual.validate.contract import Pair, judge
from semifactual.validate.verdict import Outcome

TEXTS = {
    "inequality": r"Let $x \le \frac{1}{2}$ and $y^2 \ge \sqrt2$. Find the least value of $x_{1}+y$.",
    "display": r"Solve \[\left( x - 3 \right)^2 = {1 \over 2}\] and give $54^\circ$ in radians.",
    "dollars": r"A car costs \(\$24,\!000\). What is \(5\%\) of it, if \(a \ne 0\)?",
    "sets": r"Let $A = \{1, 2, \ldots, n\}$, where $p \land q \to r$. What is $|A|$?",
    "system": "Solve\n\\begin{align*}\nx + y &= 2 \\\\\nx - y &= \\dfrac{2}{3}\n\\end{align*}\nfor $x$.",
    "drawing": 'Find $AB^{2}$.\n[asy]\nlabel("$x^{2}$",(0,0));\n[/asy]',
}


def drafts(text, seed=0):
    return list(rewrite(Document(text), Random(seed)))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("seed", range(8))
def test_every_draft_keeps_the_contract(name, seed):
    original = Document(TEXTS[name])
    found = drafts(original.text, seed)
    assert found
    assert len({draft.text for draft in found}) == len(found)
    for draft in found:
        verdict = judge(Pair(original, Document(draft.text)), get_intervention("notation").contract)
        assert verdict.outcome is Outcome.VALID, verdict.failures
        assert draft.params["styles"]


@pytest.mark.parametrize("text", ["", "Ann has 3 figs and 1/2 of a pear.", "It costs $5 or $6.", "Run `x^2`."])
def test_a_text_without_formulas_has_no_draft(text):
    assert drafts(text) == []


@pytest.mark.parametrize(
    ("style", "formula", "expected"),
    [
        ("round delimiters", "$x$", r"\(x\)"),
        ("square delimiters", "$$x$$", r"\[x\]"),
        ("large fractions", r"$\frac12$", r"$\dfrac12$"),
        ("bare fractions", r"$\frac{1}{2}$", r"$\frac12$"),
        ("bare fractions", r"$\frac{1}{2}3$", r"$\frac{1}{2}3$"),
        ("braced scripts", "$x^2$", "$x^{2}$"),
        ("bare scripts", "$x^{2} + x^{2}3$", "$x^2 + x^{2}3$"),
        ("long names", r"$a \le b$", r"$a \leq b$"),
        ("plain brackets", r"$\left( x \right)$", r"$( x )$"),
        ("plain brackets", r"$\left( \frac12 \right)$", r"$\left( \frac12 \right)$"),
        ("plain brackets", r"$\left[ \left( x \right) + \sqrt2 \right]$", r"$\left[ ( x ) + \sqrt2 \right]$"),
        ("plain brackets", r"$\left. x \right|$", r"$\left. x \right|$"),
        ("sized brackets", r"$(x+1)^2$", r"$\left(x+1\right)^2$"),
        ("named braces", r"$\{1\}$", r"$\lbrace 1\rbrace $"),
        ("wide", "$a=b$", "$a = b$"),
        ("tight", r"$a \le b$", r"$a\le b$"),
        ("tight", r"$a = b$", r"$a=b$"),
    ],
)
def test_styles(style, formula, expected):
    (restyling,) = (known for known in restylings(Document(formula)) if known.name == style)
    assert restyling.apply(formula) == expected


@pytest.mark.parametrize("text", [r"\(x\) costs $5.", r"\(\$5\) for \(x\)"])
def test_dollars_open_no_formula_where_they_are_money(text):
    assert "dollar signs" not in [restyling.name for restyling in restylings(Document(text))]


def test_code_is_left_alone():
    drawing = TEXTS["drawing"][TEXTS["drawing"].index("[asy]") :]
    assert all(draft.text.endswith(drawing) for seed in range(20) for draft in drafts(TEXTS["drawing"], seed))


def test_the_same_seed_gives_the_same_drafts():
    assert drafts(TEXTS["sets"], 3) == drafts(TEXTS["sets"], 3)
    assert drafts(TEXTS["sets"], 3) != drafts(TEXTS["sets"], 4)


_INSIDE = st.text(alphabet="abx12 {}()^_le<=,.", max_size=30)
_COMMANDS = st.sampled_from([r"\frac", r"\le ", r"\left(", r"\sqrt", r"\{", r"\dots "])


@given(st.lists(st.lists(st.one_of(_INSIDE, _COMMANDS), max_size=4).map("".join), max_size=3), st.integers(0, 20))
def test_any_formula_stays_the_same_mathematics(formulas, seed):
    text = "Given that " + " and ".join(rf"\({formula}\)" for formula in formulas) + ", what is it?"
    for draft in drafts(text, seed):
        verdict = judge(Pair(Document(text), Document(draft.text)), get_intervention("notation").contract)
        assert verdict.outcome is Outcome.VALID, verdict.failures
