"""The vocabulary of answers: what each LaTeX command and each plain word means. What is not here is refused."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from .words import words


class Kind(StrEnum):
    """The kinds of token."""

    NUMBER = "number"
    SYMBOL = "symbol"
    CONSTANT = "constant"
    FUNCTION = "function"
    COMMAND = "command"
    """A command with arguments of its own: \\frac, \\sqrt, \\begin."""
    WORD = "word"
    OPERATOR = "operator"
    RELATION = "relation"
    SET_OPERATOR = "set operator"
    NAMED_SET = "named set"
    CONNECTIVE = "connective"
    CURRENCY = "currency"
    OPEN = "open"
    CLOSE = "close"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """One token. `spaced`: white space stands before it. `value`: of a numeral."""

    kind: Kind
    text: str
    spaced: bool = False
    value: Fraction = Fraction(0)


FUNCTIONS = {
    **{name: name for name in words("sin cos tan cot sec csc sinh cosh tanh exp ln log gcd lcm max min")},
    **{name: "a" + name[3:] for name in words("arcsin arccos arctan arccot arcsec arccsc")},
    **{name: name for name in words("asin acos atan acot asec acsc abs floor ceil factorial binomial")},
    "lg": "log",
    "sqrt": "sqrt",
    "cbrt": "cbrt",
    "det": "det",
}
"""Functions by the names that people give them, with or without a backslash."""

CONSTANTS = {"pi": "pi", "infty": "infinity", "infinity": "infinity", "inf": "infinity", "e": "e", "i": "i"}

GREEK = frozenset(
    words(
        "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho varrho sigma"
        " tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell hbar mho"
        " partial nabla imath jmath aleph Re Im"
    )
)

RELATIONS = {
    **dict.fromkeys(("le", "leq", "leqslant", "leqq"), "<="),
    **dict.fromkeys(("ge", "geq", "geqslant", "geqq"), ">="),
    **dict.fromkeys(("ne", "neq"), "!="),
    "lt": "<",
    "gt": ">",
    "in": "in",
}

OPERATORS = {
    **dict.fromkeys(("cdot", "times", "ast"), "*"),
    **dict.fromkeys(("bmod", "mod"), "mod"),
    **dict.fromkeys(("circ", "degree"), "degree"),
    **dict.fromkeys(("vert", "lvert", "rvert", "mid"), "|"),
    **dict.fromkeys(("ldots", "dots", "cdots", "dotsc"), "..."),
    **dict.fromkeys(("to", "rightarrow"), "->"),
    "div": "/",
    "pm": "+-",
    "mp": "-+",
    "prime": "'",
    "colon": ":",
    "%": "%",
}

SET_OPERATORS = {"cup": "union", "cap": "intersection", "setminus": "difference", "backslash": "difference"}

OPENING = {"{": "\\{", "lbrace": "\\{", "langle": "<", "lfloor": "floor", "lceil": "ceil", "lbrack": "["}
CLOSING = {"}": "\\}", "rbrace": "\\}", "rangle": ">", "rfloor": "floor", "rceil": "ceil", "rbrack": "]"}

CURRENCIES = {
    "$": "dollar",
    "€": "euro",
    "£": "pound_sterling",
    "¥": "yen",
    "₹": "rupee",
    "USD": "USD",
    "EUR": "EUR",
    "GBP": "GBP",
}

STRUCTURAL = frozenset(
    words(
        "frac dfrac tfrac cfrac sqrt binom dbinom tbinom choose over overline bar dot overrightarrow vec hat begin end"
        " sum prod int lim pmod"
    )
)

TEXT_WRAPPERS = frozenset(words("text textbf textit textrm texttt textsf textnormal mbox hbox mathrm operatorname"))
"""Commands whose argument is words."""

TRANSPARENT = frozenset(
    words(
        "boxed fbox mathbf mathit mathsf mathcal mathfrak boldsymbol bm underline emph displaystyle textstyle"
        " scriptstyle left right tiny small large Large huge big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr"
        " limits nolimits mathop mathstrut ensuremath bf rm it"
    )
)
"""Commands that change the look alone."""

SPACING = frozenset((",", ";", ":", "!", " ", ">", "quad", "qquad", "enspace", "thinspace"))

CONNECTIVES = {"or": "or", "and": "and"}
