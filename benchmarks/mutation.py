"""How a text is changed in one place: what mutators.py builds its rules from, with no rule in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

Mutator = Callable[[str, Random], str | None]
"""A rule that changes a text; None where it does not apply."""
View = Callable[[str], str]
"""The part of a text that a rule may change, the rest blanked character for character."""
Item = TypeVar("Item")

BLANK = "\0"
MATHS = re.compile(
    r"""
      \$\$ .{1,4000}? \$\$ | \\\[ .{1,4000}? \\\] | \\\( .{1,4000}? \\\)
    | \\begin\{(\w{1,20}\*?)\} .{1,4000}? \\end\{\1\}
    | (?<!\\)\$ (?: \\[a-zA-Z]+(?:\{[a-z\ .,]*\})? | \\. | (?![a-z]{2,}[ ,.])[^$\\] ){1,2000} \$
    """,
    re.DOTALL | re.VERBOSE,
)
"""Formulas. Two prices in a sentence are none: words stand between their signs."""
DRAWING = re.compile(r"\[asy\].*?\[/asy\]", re.DOTALL)
SENTENCE_GAP = re.compile(
    r"""(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bMrs\.)(?<!\bSt\.)(?<=[.?!])[)"]?\s+(?=[A-Z$\\(\d\0])"""
)
NO_PERSONS = frozenset(
    word
    for line in (
        "The You We She He They It There Each This That These What How His Her Their Its Every All Some Both Our Your",
        "If When While After Before Since For And But Then Next Last First Let Today Tomorrow Yesterday One Two Three",
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August",
        "September October November December Christmas Easter Halloween",
    )
    for word in line.split()
)
PERSON = re.compile(
    r"""\b([A-Z][a-z]{2,11})(?=['’]s\s\w | \s(?:
        has|had|have|is|was|can|will|does|buys?|bought|gives?|gave|gets?|got|makes?|made|eats?|ate|goes|went|wants?|needs?
      | sells?|sold|earns?|spends?|spent|starts?|takes?|took|reads?|works?|and\s[A-Z][a-z]+\s )\b)""",
    re.VERBOSE,
)


def prose(text: str) -> str:
    """The text without formulas and drawings."""
    return MATHS.sub(_blank, DRAWING.sub(_blank, text))


def maths(text: str) -> str:
    """The text without everything but formulas.

    >>> maths("Add $x$.").replace(BLANK, "_")
    '____$x$_'
    """
    shown, end = [], 0
    for formula in MATHS.finditer(anywhere(text)):
        shown += [BLANK * (formula.start() - end), formula[0]]
        end = formula.end()
    return "".join([*shown, BLANK * (len(text) - end)])


def anywhere(text: str) -> str:
    """The text without its drawings."""
    return DRAWING.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    return BLANK * len(match[0])


def pick(rng: Random, items: Sequence[Item]) -> Item | None:
    """One of the items, or None of none."""
    return rng.choice(items) if items else None


def substitute(view: View, pattern: str, new: str | Callable[[re.Match[str]], str | None], flags: int = 0) -> Mutator:
    r"""A mutator that replaces one match of a pattern, chosen at random, by a template or by what a function says.

    >>> substitute(anywhere, r"(\d+)%", r"\1")("Take 20% of it.", Random(0))
    'Take 20 of it.'
    """
    compiled = re.compile(pattern, flags)

    def mutate(text: str, rng: Random) -> str | None:
        options = []
        for match in compiled.finditer(view(text)):
            instead = match.expand(new) if isinstance(new, str) else new(match)
            if instead is not None and instead != match[0]:
                options.append((match.start(), match.end(), instead))
        chosen = pick(rng, options)
        return None if chosen is None else text[: chosen[0]] + chosen[2] + text[chosen[1] :]

    return mutate


def exchange(view: View, table: str, *, one_way: bool = False, before: str = r"\b", after: str = r"\b") -> Mutator:
    """A mutator that replaces one expression by its partner; the table holds ``this/that`` entries parted by commas.

    >>> exchange(prose, "more/fewer, older/younger")("Ann has 2 fewer pens.", Random(0))
    'Ann has 2 more pens.'
    """
    pairs = [(first, second) for first, _, second in (entry.lstrip().partition("/") for entry in table.split(","))]
    partners = {} if one_way else {second: first for first, second in pairs}
    partners |= dict(pairs)
    found = "|".join(re.escape(expression) for expression in sorted(partners, key=len, reverse=True))

    def partner(match: re.Match[str]) -> str:
        new = partners.get(match[0]) or partners[match[0].lower()]
        if match[0].isupper():
            return new.upper()
        return new[0].upper() + new[1:] if match[0][0].isupper() else new

    return substitute(view, f"(?:{before})(?:{found})(?:{after})", partner, re.IGNORECASE if view is prose else 0)


def sentences(text: str) -> list[tuple[int, int]]:
    """The offsets of the sentences.

    >>> [text[a:b] for text in ["Mr. Hu has 2. Why?"] for a, b in sentences(text)]
    ['Mr. Hu has 2.', 'Why?']
    """
    ranges, start = [], 0
    for gap in SENTENCE_GAP.finditer(prose(text)):
        ranges.append((start, gap.start()))
        start = gap.end()
    return [*ranges, (start, len(text))]


def persons(text: str) -> list[str]:
    """The persons of a text, in the order of their first mention.

    >>> persons("Ann has 2 pens. How many does Bob's sister need?")
    ['Ann', 'Bob']
    """
    return [name for name in dict.fromkeys(PERSON.findall(prose(text))) if name not in NO_PERSONS]
