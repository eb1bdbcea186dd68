"""Which fields of a row hold the problem, the answer, the worked solution and the id. A dotted path reaches inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from semifactual.errors import SourceError

PROBLEM_FIELDS = (
    "problem.problem",
    "problem.question",
    "problem",
    "question",
    "prompt",
    "messages",
    "input",
    "query",
    "instruction",
    "text",
)
ANSWER_FIELDS = (
    "problem.answer",
    "answer",
    "final_answer",
    "reward_model.ground_truth",
    "ground_truth",
    "gold_answer",
    "expected_answer",
    "target",
    "gold",
    "problem.solution",
    "solution",
    "output",
    "response",
    "completion",
)
"""A field that holds a worked solution serves where no field holds the bare answer, so those come last."""
SOLUTION_FIELDS = ("problem.solution", "solution", "rationale", "worked_solution")
ID_FIELDS = ("id", "problem.id", "unique_id", "problem_id", "question_id", "uid")


@dataclass(frozen=True, slots=True)
class Fields:
    """Dotted paths of the fields that matter in one table's rows; None for what its rows do not have."""

    problem: str
    answer: str
    solution: str | None = None
    id: str | None = None
    guessed: tuple[str, ...] = ()
    """Of "problem", "answer" and "id", those that the user did not name."""

    def describe(self) -> str:
        """What was read from where, as a sentence.

        >>> Fields("question", "answer", guessed=("problem", "answer")).describe()
        'problems from question (guessed), answers from answer (guessed), ids from row numbers'
        """
        stated = [self._part(plural, name) for plural, name in (("problems", "problem"), ("answers", "answer"))]
        stated.append(self._part("ids", "id") if self.id else "ids from row numbers")
        return ", ".join(stated)

    def _part(self, plural: str, name: str) -> str:
        return f"{plural} from {getattr(self, name)}" + (" (guessed)" if name in self.guessed else "")


ROW_NUMBERS = "none"
"""What is given for the field of ids where rows are to be numbered."""


def find_fields(
    samples: Sequence[Mapping[str, Any]],
    *,
    problem: str | None = None,
    answer: str | None = None,
    id: str | None = None,
) -> Fields:
    """The fields of a table of which `samples` are the first rows; those given are taken as they are.

    Raises:
        SourceError: a given field is in no sample, or none of the usual names is.
    """
    for option, path in (("--problem-field", problem), ("--answer-field", answer), ("--id-field", id)):
        if path not in (None, ROW_NUMBERS) and not any(present(sample, path) for sample in samples):
            raise SourceError(f"no row has the field {path} that {option} names", hint=_names(samples))
    found_problem = problem or _first(samples, PROBLEM_FIELDS)
    if found_problem is None:
        raise _unknown("problem", samples)
    found_answer = answer or _first(samples, [path for path in ANSWER_FIELDS if path != found_problem])
    if found_answer is None:
        raise _unknown("answer", samples)
    used = {found_problem, found_answer}
    given = {"problem": problem, "answer": answer, "id": id}
    return Fields(
        found_problem,
        found_answer,
        solution=_first(samples, [path for path in SOLUTION_FIELDS if path not in used]),
        id=_id_field(samples, id, used),
        guessed=tuple(name for name, path in given.items() if path is None),
    )


def _id_field(samples: Sequence[Mapping[str, Any]], given: str | None, used: set[str]) -> str | None:
    """The field of ids: the given one, or a usual name whose values all differ as far as was seen; else none."""
    if given is not None:
        return None if given == ROW_NUMBERS else given
    found = _first(samples, [path for path in ID_FIELDS if path not in used])
    values = [str(lookup(sample, found)) for sample in samples] if found else []
    return found if len(set(values)) == len(samples) else None


def lookup(row: Mapping[str, Any], path: str) -> Any:
    """The value at a dotted path, or None. A field whose very name has the dots goes before one inside another.

    >>> lookup({"reward_model": {"ground_truth": "7"}}, "reward_model.ground_truth")
    '7'
    """
    if path in row:
        return row[path]
    head, _, rest = path.partition(".")
    inner = row.get(head)
    return lookup(inner, rest) if rest and isinstance(inner, Mapping) else None


def without(row: Mapping[str, Any], paths: Sequence[str]) -> dict[str, Any]:
    """The row's other fields. An inner field is left out of a copy of its parent, and an empty parent goes with it."""
    rest = dict(row)
    for path in paths:
        head, _, inner_path = path.partition(".")
        inner = rest.get(head)
        if path in rest:
            del rest[path]
        elif inner_path and isinstance(inner, Mapping):
            rest[head] = without(inner, [inner_path])
            if not rest[head]:
                del rest[head]
    return rest


def present(row: Mapping[str, Any], path: str) -> bool:
    """Whether the row has a value there: not nothing, and not only empty."""
    value = lookup(row, path)
    return value is not None and value != "" and value != []


def _first(samples: Sequence[Mapping[str, Any]], paths: Sequence[str]) -> str | None:
    """The first path where some sample has a value that is not itself a row of fields."""
    for path in paths:
        if any(present(sample, path) and not isinstance(lookup(sample, path), Mapping) for sample in samples):
            return path
    return None


def _unknown(what: str, samples: Sequence[Mapping[str, Any]]) -> SourceError:
    return SourceError(
        f"no field of the rows has a usual name for the {what}",
        hint=f"name it with --{what}-field. {_names(samples)}",
    )


def _names(samples: Sequence[Mapping[str, Any]]) -> str:
    names = list(dict.fromkeys(str(name) for sample in samples for name in sample))
    return f"The rows have: {', '.join(names[:30])}{', ...' if len(names) > 30 else ''}."
