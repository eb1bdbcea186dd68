"""What is one and the same in LaTeX's notation: synonyms, invisible commands, environments. From templates/latex."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from semifactual.latex.tokens import tex_tokens
from semifactual.resources import template_yaml

NOTATION = "latex/notation.yaml"


@dataclass(frozen=True, slots=True)
class Notation:
    """The tables that the normal form of formulas reads by."""

    synonyms: dict[str, str]
    """From every spelling of a command or sign to its normal one."""
    symbols: frozenset[str]
    """Commands that take no argument, so that braces behind them are their own."""
    expanded: dict[str, list[str]]
    """From a sign to the tokens that it stands for."""
    invisible: frozenset[str]
    invisible_with_argument: frozenset[str]
    upright: frozenset[str]
    """Commands whose argument is words."""
    arguments: dict[str, int]
    """How many arguments a command takes; those of words and of roots stand apart."""
    functions: frozenset[str]
    invertible: frozenset[str]
    words: frozenset[str]
    """What is a word in italics too: functions and connectives."""
    layouts: frozenset[str]
    tables: frozenset[str]
    fences: dict[str, tuple[str, str]]
    relations: frozenset[str]


@cache
def notation() -> Notation:
    """The shipped tables."""
    listed = template_yaml(NOTATION)
    words = {name: frozenset(listed[name].split()) for name in _LISTS}
    return Notation(
        synonyms={other: normal for normal, others in listed["synonyms"].items() for other in others.split()},
        symbols=frozenset(listed["synonyms"]) | words["relations"],
        expanded={sign: tex_tokens(tokens) for sign, tokens in listed["expanded"].items()},
        invisible=words["invisible"],
        invisible_with_argument=words["invisible_with_argument"],
        upright=words["upright"],
        arguments={name: count for count, names in listed["arguments"].items() for name in names.split()},
        functions=words["functions"],
        invertible=words["invertible"],
        words=words["functions"] | words["connectives"],
        layouts=words["layouts"],
        tables=words["tables"],
        fences={name: (opening, closing) for name, (opening, closing) in listed["fences"].items()},
        relations=words["relations"],
    )


_LISTS = (
    "invisible", "invisible_with_argument", "upright", "functions", "invertible", "connectives", "layouts", "tables",
    "relations",
)  # fmt: skip
