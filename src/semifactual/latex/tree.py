r"""Formulas as trees: one normal form for all the notations of the same mathematics.

The normal form is LaTeX again, written in one fixed way: every argument in braces, every sign by one name, nothing
that only moves or sizes. It is read by TeX's own rules, so ``\log_264`` is the logarithm of 64 to the base 2, and
``2^10`` is 2 to the first, then a nought. Nothing is computed or reordered: it says what is written, not what is true.
"""

from __future__ import annotations

from functools import lru_cache

from semifactual.latex.reader import Reader, TooDeep
from semifactual.latex.tokens import tex_tokens, without_delimiters


def same_mathematics(first: str, second: str) -> bool:
    r"""Whether two formulas, with or without their delimiters, are the same mathematics in two notations.

    >>> same_mathematics(r"$\frac12$", r"\({1 \over 2}\)"), same_mathematics("$F_{n+1}$", "$F_n+1$")
    (True, False)
    """
    return first == second or mathematics_key(first) == mathematics_key(second)


@lru_cache(maxsize=4096)
def mathematics_key(formula: str) -> str:
    r"""The normal form of a formula: equal for two formulas where they are the same mathematics in two notations.

    Any text has one, and none raises: what is not well-formed is read as far as it goes, and what is nested too deep
    token by token.

    >>> mathematics_key(r"$x^2 \leq \dfrac12$")
    'x ^{2} \\le \\frac{1}{2}'
    """
    tokens = tex_tokens(without_delimiters(formula))
    try:
        return " ".join(Reader(tokens).formula())
    except TooDeep:
        return " ".join(token for token in tokens if token != " ")
