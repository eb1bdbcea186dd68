"""TeX's tokens: a backslash with letters is one, and so is every other character; and a cursor that reads them."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_DELIMITERS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))


def tex_tokens(source: str) -> list[str]:
    r"""The tokens of LaTeX source, each stretch of white space as one space.

    >>> tex_tokens(r"\log_264 x")
    ['\\log', '_', '2', '6', '4', ' ', 'x']
    """
    return [" " if token.isspace() else token for token in _TOKEN.findall(source)]


def delimiters(formula: str) -> tuple[str, str]:
    r"""What opens and closes a formula: ``$``, ``$$``, ``\(`` or ``\[`` with its partner, or nothing.

    >>> delimiters(r"\[x\]"), delimiters(r"\frac12")
    (('\\[', '\\]'), ('', ''))
    """
    for opening, closing in _DELIMITERS:
        inner = len(formula) - len(opening) - len(closing)
        if inner >= 0 and formula.startswith(opening) and formula.endswith(closing):
            return opening, closing
    return "", ""


def without_delimiters(formula: str) -> str:
    """The formula's own source."""
    opening, closing = delimiters(formula)
    return formula[len(opening) : len(formula) - len(closing)]


END = ""
"""What is read behind the last token."""


class Cursor:
    """Reads tokens one after the other."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.position = 0

    def peek(self, ahead: int = 0) -> str:
        """The token that stands next, or some places behind it; `END` behind the last."""
        place = self.position + ahead
        return self.tokens[place] if place < len(self.tokens) else END

    def take(self) -> str:
        """Read the next token."""
        self.position += 1
        return self.peek(-1)

    def take_if(self, *wanted: str) -> bool:
        """Whether one of these tokens stands next, which is then read."""
        found = self.peek() in wanted
        self.position += found
        return found

    def skip_spaces(self) -> None:
        """Read the white space that stands next."""
        while self.peek() == " ":
            self.position += 1
