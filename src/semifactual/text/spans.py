"""What a stretch of a problem's text is: the vocabulary of contracts."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class SpanType(StrEnum):
    """The type of one span. A contract says for each type whether it is frozen, guarded or free."""

    MATH = "math"
    """Delimited LaTeX, delimiters included: ``$x^2$``, ``\\[...\\]``, ``\\begin{align}...\\end{align}``."""
    LATEX = "latex"
    """A LaTeX command or script outside delimiters: ``\\frac12``, ``100_{10}``."""
    CODE = "code"
    """An asy block, a code fence or an inline code span."""
    URL = "url"
    CURRENCY = "currency"
    """A sign with its amount: ``$5``, ``\\$5``."""
    PERCENT = "percent"
    NUMBER = "number"
    """An integer, decimal, grouped number, fraction or mixed number in digits."""
    ORDINAL = "ordinal"
    """``3rd``, ``fourth``."""
    TIME = "time"
    DATE = "date"
    RATIO = "ratio"
    NUMBER_WORD = "number word"
    """``twelve``, ``thirty-two``, ``half``, ``twice``, ``a dozen``'s ``dozen``."""
    UNIT = "unit"
    VARIABLE = "variable"
    LABEL = "label"
    """A point, set or figure label, or any other word in capitals: ``ABC``, ``TV``."""
    NAME = "name"
    KEYWORD = "keyword"
    """A word that carries mathematical meaning: ``remainder``, ``prime``."""
    COMPARISON = "comparison"
    QUANTIFIER = "quantifier"
    NEGATION = "negation"
    OPTION = "option"
    """The label of a multiple-choice option: ``(A)``, ``B.``."""
    BLANK = "blank"
    OPERATOR = "operator"
    """A mathematical sign outside delimiters: ``+``, ``=``, ``≤``."""
    WORD = "word"
    PUNCTUATION = "punctuation"
    SPACE = "space"
    OTHER = "other"


class Span(NamedTuple):
    """``text[start:end]`` of the original string, and its type."""

    start: int
    end: int
    type: SpanType

    def of(self, text: str) -> str:
        """The stretch of `text` that this span covers."""
        return text[self.start : self.end]


ALPHABETIC = frozenset(
    {
        SpanType.WORD,
        SpanType.KEYWORD,
        SpanType.COMPARISON,
        SpanType.QUANTIFIER,
        SpanType.NEGATION,
        SpanType.UNIT,
        SpanType.NUMBER_WORD,
        SpanType.NAME,
    }
)
"""The types of spans that are words of running prose."""

VERBATIM = frozenset(
    {
        SpanType.MATH,
        SpanType.LATEX,
        SpanType.CODE,
        SpanType.URL,
        SpanType.CURRENCY,
        SpanType.PERCENT,
        SpanType.NUMBER,
        SpanType.ORDINAL,
        SpanType.TIME,
        SpanType.DATE,
        SpanType.RATIO,
        SpanType.NUMBER_WORD,
        SpanType.VARIABLE,
        SpanType.LABEL,
        SpanType.NAME,
        SpanType.OPTION,
        SpanType.BLANK,
        SpanType.OPERATOR,
    }
)
"""The types of spans that say what they say in these very characters: no other words would do."""
