"""Sympy's part of solving a prompt, run in a worker: the value of an expression, or the roots of equations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from .symbolic import build
from .tree import Expression


def value(node: Expression) -> str:
    """The simplified value of an expression, as LaTeX that our own grammar reads."""
    return _latex(sympy.simplify(build(node, {})))


def roots(equations: Sequence[tuple[Expression, Expression]], variables: Sequence[str]) -> str | None:
    """All solutions: a list for one variable, a tuple for several. None where there is none to show, or doubt."""
    unknowns = [sympy.Symbol(name) for name in variables]
    differences = [build(left, {}) - build(right, {}) for left, right in equations]
    solutions = sympy.solve(differences, unknowns, dict=True)
    if not all(difference.is_polynomial(*unknowns) for difference in differences):
        solutions = [solution for solution in solutions if all(part.is_real for part in solution.values())]
    kept = [solution for solution in solutions if set(solution) == set(unknowns)]
    if not kept or len(kept) != len(solutions) or any(value.free_symbols for item in kept for value in item.values()):
        return None
    if any(not _holds(difference, solution) for difference in differences for solution in kept):
        return None
    if len(unknowns) == 1:
        return ", ".join(_latex(solution[unknowns[0]]) for solution in kept)
    if len(kept) == 1:
        return "(" + ", ".join(_latex(kept[0][unknown]) for unknown in unknowns) + ")"
    return None


def _holds(difference: Any, solution: dict[Any, Any]) -> bool:
    return bool(abs(sympy.N(difference.subs(solution), 30)) < sympy.Float("1e-20"))


def _latex(expression: Any) -> str:
    return str(sympy.latex(expression, ln_notation=True))
