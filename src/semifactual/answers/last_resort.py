"""math-verify, for notation that our own grammar lacks: only behind a whitelist, and only in a worker."""

from __future__ import annotations

import re

from .outcomes import Outcome
from .words import words

_COMMANDS = frozenset(
    words(
        "frac dfrac tfrac sqrt cdot times div pm mp le leq ge geq ne neq in cup cap setminus infty pi alpha"
        " beta gamma delta theta lambda mu phi omega sin cos tan cot sec csc ln log exp left right begin end"
        " text mathrm mathbf overline partial dot ddot vec hat quad circ int sum prod lim to prime langle"
        " rangle lfloor rfloor lceil rceil binom"
    )
)
_COMMAND = re.compile(r"\\([A-Za-z]+|.)")
_CHARACTERS = re.compile(r"[0-9A-Za-z\\{}()\[\]^_+\-*/=<>,.|&' ]+")
_LONG_WORD = re.compile(r"(?<![A-Za-z\\])[A-Za-z]{4,}")
_COSTLY = re.compile(r"\d{16,}|\^\s*\{?\s*-?\d{4,}|\^[^\^]{1,12}\^|\*\*")
MAX_CHARACTERS = 300


def is_admitted(text: str) -> bool:
    """Whether a text may be shown to math-verify: known characters and commands, no plain words, nothing that grows."""
    if len(text) > MAX_CHARACTERS or not _CHARACTERS.fullmatch(text) or _COSTLY.search(text) or "__" in text:
        return False
    if any(name not in _COMMANDS and name not in ",;:! {}\\" for name in _COMMAND.findall(text)):
        return False
    return not _LONG_WORD.search(re.sub(r"\\(?:begin|end|text|mathrm|mathbf)\s*\{[^{}]*\}", "", text))


def math_verify_outcome(gold: str, answer: str) -> Outcome:
    """What math-verify says of two texts, both ways round. Texts that it reads only as strings are UNPARSABLE."""
    from math_verify import parse, verify

    parsed = [parse(f"\\boxed{{{text}}}", parsing_timeout=None, raise_on_error=True) for text in (gold, answer)]
    if any(not [item for item in items if not isinstance(item, str)] for items in parsed):
        return Outcome.UNPARSABLE
    first, second = parsed
    agreed = all(
        verify(left, right, timeout_seconds=None, raise_on_error=True)
        for left, right in ((first, second), (second, first))
    )
    return Outcome.EQUAL if agreed else Outcome.DIFFERENT
