"""notation: the same mathematics in other LaTeX, every formula of the text in one and the same new style."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from semifactual.interventions.registry import intervention
from semifactual.interventions.restyling import Restyling, restylings
from semifactual.latex.notation import NOTATION
from semifactual.latex.tree import same_mathematics
from semifactual.text.document import Document
from semifactual.text.formulas import parts
from semifactual.text.spans import SpanType
from semifactual.types import Draft, Family
from semifactual.validate.common import control_characters, json_damage, truncated
from semifactual.validate.contract import Contract
from semifactual.validate.notation import formulas, other_notation, prose

_MATHEMATICS = frozenset({SpanType.MATH, SpanType.LATEX})

CONTRACT = Contract(
    checks=(other_notation, truncated, control_characters, json_damage, formulas, prose),
    frozen=frozenset(SpanType) - _MATHEMATICS - {SpanType.SPACE},
    guarded=_MATHEMATICS,
)

_DRAFTS = 6
_MOST_AT_ONCE = 4


@intervention(
    "notation",
    family=Family.NOTATION,
    contract=CONTRACT,
    summary="the same mathematics in other LaTeX: delimiters, fractions, braces, signs, spacing",
    example=(
        r"Let $x \le \frac12$. What is the greatest value of $x^{2}$?",
        r"Let $x \leq \dfrac{1}{2}$. What is the greatest value of $x^2$?",
    ),
    templates=(NOTATION,),
)
def rewrite(original: Document, rng: Random) -> Iterator[Draft]:
    """Yield up to six drafts, each in another style: several ways of writing at once, the same in every formula."""
    apart = parts(original.text)
    if not apart.formulas:
        return
    fitting = [restyling for restyling in restylings(original) if restyling.changes(apart.formulas)]
    seen: set[str] = {original.text}
    for _ in range(_DRAFTS):
        chosen = rng.sample(fitting, min(len(fitting), rng.randint(1, _MOST_AT_ONCE)))
        written = [_restyled(formula, chosen) for formula in apart.formulas]
        text = "".join(piece for both in zip(apart.prose, (*written, ""), strict=True) for piece in both)
        if text not in seen and parts(text).formulas == tuple(written):
            seen.add(text)
            yield Draft(text, {"styles": sorted(restyling.name for restyling in chosen)})


def _restyled(formula: str, chosen: list[Restyling]) -> str:
    """The formula in the chosen style, without what would make other mathematics of it."""
    for restyling in chosen:
        new = restyling.apply(formula)
        if same_mathematics(formula, new):
            formula = new
    return formula
