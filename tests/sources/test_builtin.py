"""The builtin sources as a whole: every template, many times."""

from __future__ import annotations

import random
import re
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import islice

import pytest

from semifactual.errors import SourceError
from semifactual.sources.builtin import counterfactuals, open_builtin
from semifactual.sources.builtin.formulas import parse
from semifactual.sources.builtin.templates import NAMES, Template, load_templates
from semifactual.types import Problem

TEMPLATES = [(name, template) for name in NAMES for template in load_templates(name)]
NUMBER = re.compile(r"\d+(?:\.\d+)?")


@cache
def rows(spec: str, seed: int = 0) -> tuple[Problem, ...]:
    return tuple(open_builtin(spec, seed))


def rows_of(name: str, template: Template, n: int = 40) -> tuple[Problem, ...]:
    return rows(f"builtin:{name}?templates={template.name}&n={n}")


def quantities(problem: Problem) -> dict[str, Fraction]:
    return {name: Fraction(text) for name, text in problem.metadata["program"]["quantities"].items()}


every_template = pytest.mark.parametrize(("name", "template"), TEMPLATES, ids=[t.name for _, t in TEMPLATES])


def test_there_are_enough_templates_of_every_length() -> None:
    names = [template.name for _, template in TEMPLATES]
    assert len(names) >= 40 and len(set(names)) == len(names)
    steps = Counter(problem.metadata["steps"] for name in NAMES for problem in rows(f"builtin:{name}?n=60"))
    assert set(steps) == {1, 2, 3, 4}


@every_template
def test_the_answer_is_the_value_of_the_program_and_of_the_solution(name: str, template: Template) -> None:
    for problem in rows_of(name, template):
        program = problem.metadata["program"]
        assert Fraction(problem.answer) == parse(program["expression"]).value(quantities(problem)), problem
        lines, _, last = problem.metadata["solution"].rpartition(" The answer is ")
        assert last == f"\\boxed{{{problem.answer}}}."
        assert re.findall(r"\d+/\d+|\d+(?:\.\d+)?|-\d+", lines)[-1] == problem.answer, problem
        assert 1 <= problem.metadata["steps"] <= 4


@every_template
def test_calculations_in_solutions_are_right(name: str, template: Template) -> None:
    for problem in rows_of(name, template):
        for left, right in re.findall(r"([\d(][\d .+*/()^-]*) = (-?\d+(?:/\d+|\.\d+)?)", problem.metadata["solution"]):
            assert parse(left.replace("^", "**")).value({}) == Fraction(right), problem


@every_template
def test_quantities_stand_in_the_text_in_their_order(name: str, template: Template) -> None:
    for problem in rows_of(name, template):
        shown = list(problem.metadata["program"]["quantities"].values())
        found = iter(NUMBER.findall(problem.text))
        assert all(number in found for number in shown), problem
        assert template.results(quantities(problem)) is not None


@every_template
def test_texts_are_english(name: str, template: Template) -> None:
    for problem in rows_of(name, template):
        text = problem.text
        assert text == text.strip() and text[-1] in ".?", text
        prose = re.sub(r"\$[^$]*\$", "M", text) if name == "algebra" else text
        assert not re.search(r"[<>{}_]|  | [.,?]", prose), text
        assert not re.search(r"(?<![\d.])1 (?!of )[a-z]+s\b", prose), text
        assert not re.search(r"\b[Aa] [aeio8]|\b[Aa]n (?!hour)[^aeiou8\d]", prose), text
        assert all(sentence[0].isupper() or not sentence[0].isalpha() for sentence in re.split(r"(?<=[.?]) ", text)), (
            text
        )


@every_template
def test_texts_do_not_repeat_within_a_set(name: str, template: Template) -> None:
    texts = [problem.text for problem in rows_of(name, template)]
    assert len(set(texts)) == len(texts)


@every_template
def test_a_counterfactual_differs_in_one_number_and_in_the_answer(name: str, template: Template) -> None:
    for problem in rows_of(name, template, n=10):
        found = counterfactuals(problem, 3, random.Random(problem.id))
        assert found, problem
        for entry in found:
            assert entry.kind == "quantity_change"
            before, after = NUMBER.findall(problem.text), NUMBER.findall(entry.text)
            assert sum(a != b for a, b in zip(before, after, strict=True)) == 1, entry
            change = re.fullmatch(r"(\w+): (\S+) -> (\S+); (.+) = (\S+)", entry.derivation)
            assert change is not None and change[5] == entry.answer != problem.answer
            changed = {**quantities(problem), change[1]: Fraction(change[3])}
            assert parse(change[4]).value(changed) == Fraction(entry.answer)


def test_a_counterfactual_agrees_in_number() -> None:
    problem = next(p for p in rows("builtin:word_problems?templates=trip_time&n=200") if "total of 1 hour." in p.text)
    texts = [entry.text for entry in counterfactuals(problem, 100, random.Random(0))]
    assert any("total of 2 hours." in text for text in texts)
    assert not any("1 hours" in text for text in texts)


def test_counterfactuals_are_the_same_for_the_same_randomness() -> None:
    problem = rows("builtin:algebra?n=5")[0]
    assert counterfactuals(problem, 2, random.Random(3)) == counterfactuals(problem, 2, random.Random(3))


def test_problems_from_elsewhere_have_no_counterfactuals() -> None:
    assert counterfactuals(Problem("1", "What is 1 + 1?", "2", "file.jsonl"), 1, random.Random(0)) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_longer_set_begins_like_a_shorter_one(name: str) -> None:
    longer = islice(open_builtin(f"builtin:{name}?n=5000", 7), 300)
    assert list(longer) == list(open_builtin(f"builtin:{name}?n=300", 7))


def test_the_seed_and_the_options_decide_the_rows() -> None:
    first = [problem.text for problem in rows("builtin:algebra?n=20", 1)]
    assert first != [problem.text for problem in rows("builtin:algebra?n=20", 2)]
    assert [p.id for p in rows("builtin:algebra?n=20", 1)][-1] == "algebra-000019"
    assert open_builtin("builtin:algebra?n=20", 1).sha256() != open_builtin("builtin:algebra?n=20", 2).sha256()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("low", "high"), [(1, 20), (2, 30), (3, 1000)])
def test_numbers_and_results_keep_to_the_range(name: str, low: int, high: int) -> None:
    for problem in rows(f"builtin:{name}?min={low}&max={high}&n=150"):
        shown = quantities(problem)
        assert all(low <= value <= high for value in shown.values()), problem
        results = parse(problem.metadata["program"]["expression"]).trace(shown)
        assert all(-high <= result <= high for result in results), problem
        for entry in counterfactuals(problem, 2, random.Random(0)):
            assert Fraction(entry.answer) <= high


@pytest.mark.parametrize(("steps", "allowed"), [("1", {1}), ("1..2", {1, 2}), ("3..4", {3, 4})])
def test_steps_keep_to_the_range(steps: str, allowed: set[int]) -> None:
    assert {problem.metadata["steps"] for problem in rows(f"builtin:word_problems?steps={steps}&n=100")} == allowed


def test_an_exhausted_source_repeats_itself_rather_than_stopping() -> None:
    texts = [p.text for p in rows("builtin:algebra?templates=greatest_common_divisor&max=6&n=60")]
    assert len(texts) == 60 and len(set(texts)) < 60


def test_options_that_no_template_can_keep_to_are_refused() -> None:
    with pytest.raises(SourceError, match="no template"):
        open_builtin("builtin:word_problems?min=900000", 0)
