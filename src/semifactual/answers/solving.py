"""Prompts that are themselves an expression, an equation or a system: solved by sympy in a worker.

A solver misreads now and then, so trust it for a rewrite only if it solves the original's task to the original's
reference answer; a different result, a failure or a timeout leaves the answer unknown and never refutes it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .equations import is_name
from .grammar import parse
from .lexer import NotInGrammar
from .limits import TooLarge
from .reading import Unreadable, clean, settled
from .tree import Apply, Expression, Listing, Node, Relation, Symbol, is_expression, symbols
from .verifier import Verifier
from .wire import encode

_MATH = r"(?:\$\$?(?P<math>[^$]+)\$\$?|\\\[(?P<display>.+?)\\\])"
_UNKNOWN = r"\$(?P<unknown>[a-zA-Z])\$"
_END = r"\s*[.?!]?\s*(?:(?:Express|Give|Write|Enter|Leave|Assume)\b[^$]*)?$"
_VALUE_VERBS = (
    "Compute|Evaluate|Calculate|Simplify|Expand|Find|Determine|What is|Find the value of|What is the value of"
    "|Find the exact value of|Compute the value of|Evaluate the expression|Simplify the expression"
    "|Simplify the following expression:"
)
_SOLVE_VERBS = (
    "Solve|Solve the equation|Solve the system|Solve the following equation:|Find all solutions to|Find the solution to"
)
_VALUE = re.compile(rf"^(?:{_VALUE_VERBS})\s*{_MATH}{_END}")
_EQUATIONS = (
    re.compile(rf"^(?:{_SOLVE_VERBS})\s*{_MATH}\s*for\s*{_UNKNOWN}{_END}"),
    re.compile(
        rf"^(?:Solve for|Find the value of|Find|Determine)\s*{_UNKNOWN}\s*(?:,|if|when|such that|given that|given)?\s*"
        rf":?\s*{_MATH}{_END}"
    ),
    re.compile(rf"^If\s*{_MATH},?\s*(?:then )?(?:what is|find|compute)(?: the value of)?\s*{_UNKNOWN}{_END}"),
)


@dataclass(frozen=True, slots=True)
class Task:
    """What a prompt asks for: the value of one expression, or the roots of equations for `variables`."""

    expressions: tuple[Expression, ...]
    variables: tuple[str, ...] = ()


def read_prompt(text: str) -> Task | None:
    """The task that a whole prompt states, or None for any prompt with more to it than one expression or equation."""
    prompt = " ".join(text.split())
    if match := _VALUE.match(prompt):
        node = _tree(match["math"] or match["display"])
        return Task((node,)) if isinstance(node, Apply) and not is_name(node) else None
    for pattern in _EQUATIONS:
        if match := pattern.match(prompt):
            node = _tree(match["math"] or match["display"])
            return _equations(node, match["unknown"]) if node is not None else None
    return None


def _tree(text: str) -> Node | None:
    try:
        return settled(parse(clean(text)))
    except (NotInGrammar, TooLarge, Unreadable):
        return None


def _equations(node: Node, unknown: str) -> Task | None:
    """One equation in the unknown, or as many equations as variables, the unknown among them."""
    relations = node.items if isinstance(node, Listing) else (node,)
    sides: list[Expression] = []
    for relation in relations:
        if not isinstance(relation, Relation) or relation.operators != ("=",):
            return None
        for side in relation.sides:
            if not is_expression(side):
                return None
            sides.append(side)
    names = frozenset[str]().union(*map(symbols, sides))
    if names != {unknown} or len(relations) != 1 or Symbol(unknown) in sides:
        return None
    return Task(tuple(sides), (unknown,))


def solve(task: Task, verifier: Verifier) -> str | None:
    """What sympy makes of a task, in a worker of the verifier's; None in doubt."""
    return verifier.solve([encode(expression) for expression in task.expressions], task.variables)
