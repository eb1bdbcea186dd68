"""What is known of a rewrite's answer from the reference solution that came with its problem.

`rederived` shows that the quantities which the solution uses still stand in the rewrite, and that they lead to the
reference answer. It does not show that the prose relates them as before: that is what the contract's checks are for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache

from semifactual.answers.rederive import evaluate_program, exact_value, rederive_solution
from semifactual.answers.solving import Task, read_prompt, solve
from semifactual.answers.verifier import Verifier
from semifactual.text.document import Document
from semifactual.text.spans import SpanType
from semifactual.text.values import QUANTITIES, number_value, quantity_value
from semifactual.types import AnswerCheck, Problem
from semifactual.validate.contract import Pair

_NUMERIC = QUANTITIES | {SpanType.MATH, SpanType.LATEX}
_IN_MATH = re.compile(r"\d[\d,]*\.\d+|\d+")


def answer_check(problem: Problem, pair: Pair) -> AnswerCheck:
    """Bind the problem's reference solution to the quantities of the rewrite, and compare what it gives.

    A program (builtin problems) can also refute: where one quantity was exchanged for another, the program is
    evaluated with the new one. A worked solution with annotated steps (GSM8K), and a prompt that is itself an
    expression or equation for sympy, can only be rederived or not.
    """
    program, solution = _program(problem.metadata), problem.metadata.get("solution")
    if program is not None:
        lost, gained = _changed_quantities(pair)
        return _follow_program(program, problem.answer, _stated(pair.original), lost, gained)
    if isinstance(solution, str) and _follows_solution(solution, problem.answer, pair):
        return AnswerCheck.REDERIVED
    if _states_solved_task(problem.answer, pair):
        return AnswerCheck.REDERIVED
    return AnswerCheck.UNKNOWN


def _follows_solution(solution: str, answer: str, pair: Pair) -> bool:
    """Whether no quantity of the text is lost, and the solution's annotated steps lead from them to the answer."""
    lost, _ = _changed_quantities(pair)
    return not lost and _solution_rederives(solution, _stated(pair.original), answer)


def _states_solved_task(answer: str, pair: Pair) -> bool:
    """Whether original and rewrite state the same task for sympy, and sympy finds the reference answer."""
    task = read_prompt(pair.original.text)
    return task is not None and task in _tasks(pair.rewrite) and _solves_to(task, answer)


def _tasks(document: Document) -> Iterator[Task | None]:
    """The tasks that a text states: as a whole, in one of its sentences, or behind the colon of a frame."""
    for start, end in ((0, len(document.text)), *document.sentences):
        piece = document.text[start:end]
        yield read_prompt(piece)
        yield read_prompt(piece.partition(": ")[2])


def _changed_quantities(pair: Pair) -> tuple[Counter[Fraction], Counter[Fraction]]:
    """The quantities that the rewrite lost and gained."""
    if pair.same_numerals:
        return Counter(), Counter()
    before, after = map(_quantities, pair.window_documents)
    return before - after, after - before


@lru_cache(maxsize=8)
def _stated(original: Document) -> tuple[Fraction, ...]:
    """The quantities of a problem's text. Cached, because all rewrites of a problem ask for them."""
    return tuple(sorted(_quantities(original).elements()))


def _quantities(document: Document) -> Counter[Fraction]:
    """Every number of a text by value: in prose, in words, and the plain numbers inside mathematics."""
    found: list[Fraction | None] = []
    for span in document.of_type(*_NUMERIC):
        if span.type in QUANTITIES:
            found.append(quantity_value(document.text, span))
        else:
            found += map(number_value, _IN_MATH.findall(span.of(document.text)))
    return Counter(value for value in found if value is not None)


@dataclass(frozen=True, slots=True)
class _Program:
    """An expression over named quantities, with the values that they have in the problem."""

    expression: str
    values: tuple[tuple[str, Fraction], ...]

    def gives(self, answer: str) -> bool | None:
        """Whether it evaluates to `answer`; None where it has no value."""
        result = _evaluate(self)
        if result is None:
            return None
        return result == answer or (exact_value(result) is not None and exact_value(result) == exact_value(answer))


def _program(metadata: Mapping[str, object]) -> _Program | None:
    """The program in a problem's metadata. A field of that name that holds something else is no program."""
    match metadata.get("program"):
        case {"expression": str(expression), "quantities": Mapping() as quantities}:
            values = {str(name): exact_value(str(text)) for name, text in quantities.items()}
            known = {name: value for name, value in values.items() if value is not None}
            return _Program(expression, tuple(known.items())) if len(known) == len(values) else None
    return None


def _follow_program(
    program: _Program,
    answer: str,
    stated: tuple[Fraction, ...],
    lost: Counter[Fraction],
    gained: Counter[Fraction],
) -> AnswerCheck:
    """Evaluate the program with the quantities of the rewrite in place of those it replaced."""
    if any(value not in stated for _, value in program.values) or not program.gives(answer):
        return AnswerCheck.UNKNOWN
    if lost:
        if lost.total() != 1 or gained.total() != 1:
            return AnswerCheck.UNKNOWN
        (old,), (new,) = lost, gained
        if sum(value == old for _, value in program.values) != 1:
            return AnswerCheck.UNKNOWN
        changed = tuple((name, new if value == old else value) for name, value in program.values)
        program = _Program(program.expression, changed)
    kept = program.gives(answer)
    if kept is None:
        return AnswerCheck.UNKNOWN
    return AnswerCheck.REDERIVED if kept else AnswerCheck.REFUTED


@lru_cache(maxsize=64)
def _evaluate(program: _Program) -> str | None:
    """The program's answer; None where it has none. Cached, because a problem's rewrites mostly share it."""
    try:
        return evaluate_program(program.expression, dict(program.values))
    except ValueError:
        return None


@lru_cache(maxsize=64)
def _solution_rederives(solution: str, stated: tuple[Fraction, ...], answer: str) -> bool:
    return rederive_solution(solution, stated, answer).rederived


@lru_cache(maxsize=64)
def _solves_to(task: Task, answer: str) -> bool:
    solved = solve(task, _verifier())
    return solved is not None and _verifier().equivalent(answer, solved).equal


@cache
def _verifier() -> Verifier:
    return Verifier()
