from __future__ import annotations

from pathlib import Path

import pytest

from semifactual.errors import SourceError
from semifactual.pipeline.variants import AnsweredVariant, VariantProblem
from semifactual.train.data import TrainingData, prompt_set, read_problems, rewrites_a_problem, without_seen
from semifactual.train.recipe import DataRecipe
from semifactual.train.recipe_outputs import EvalSet


def problem(name: str, *rewrites: tuple[str, str]) -> VariantProblem:
    return VariantProblem(name, f"text {name}", "1", {}, tuple(rewrites))


def encode(text: str) -> tuple[int, ...]:
    return tuple(text.encode())


def taken(data: TrainingData, position: int, count: int) -> list[str]:
    return [problem.id for problem in data.take(position, count)]


@pytest.fixture
def problems() -> list[VariantProblem]:
    return [problem(str(number)) for number in range(7)]


def test_every_pass_has_every_problem_in_an_order_of_its_own(problems: list[VariantProblem]) -> None:
    data = TrainingData(problems, encode, seed=0, shuffle=True)
    first, second = taken(data, 0, 7), taken(data, 7, 7)
    assert sorted(first) == sorted(second) == [problem.id for problem in problems]
    assert first != second
    assert taken(TrainingData(problems, encode, seed=1, shuffle=True), 0, 7) != first


def test_the_order_can_be_entered_anywhere(problems: list[VariantProblem]) -> None:
    whole = taken(TrainingData(problems, encode, seed=3, shuffle=True), 0, 21)
    assert taken(TrainingData(problems, encode, seed=3, shuffle=True), 5, 12) == whole[5:17]


def test_without_shuffling_it_is_the_sources_order(problems: list[VariantProblem]) -> None:
    assert taken(TrainingData(problems, encode, seed=0, shuffle=False), 5, 4) == ["5", "6", "0", "1"]


def test_prompts_are_the_original_and_its_rewrites() -> None:
    made = prompt_set(problem("a", ("typo_noise", "txt a"), ("paraphrase", "the text a")), encode)
    assert made.kinds == ("typo_noise", "paraphrase")
    assert made.prompts == (encode("text a"), encode("txt a"), encode("the text a"))
    assert made.longest == len("the text a")


def test_sealed_rewrites_are_no_prompts() -> None:
    sealed = (AnsweredVariant("paraphrase", "the text a", "1"),)
    of = VariantProblem("a", "text a", "1", {}, (("typo_noise", "txt a"),), evaluation_variants=sealed)
    for counterfactual in (False, True):
        assert encode("the text a") not in prompt_set(of, encode, counterfactual=counterfactual).prompts


def test_counterfactuals_are_prompts_as_a_control() -> None:
    changed = (AnsweredVariant("other_number", "text b", "2"),)
    of = VariantProblem("a", "text a", "1", {}, (("typo_noise", "txt a"),), counterfactuals=changed)
    assert prompt_set(of, encode, counterfactual=True).prompts == (encode("text a"), encode("text b"))


def test_k_is_counted_by_problem() -> None:
    assert rewrites_a_problem([problem("a"), problem("b", ("x", "y")), problem("c", ("x", "z"))]) == {0: 1, 1: 2}


def test_what_is_trained_on_is_left_out_of_validation() -> None:
    trained = [problem("a", ("typo_noise", "text b"))]
    left = without_seen([problem("a"), problem("b"), problem("c")], trained)
    assert [problem.id for problem in left] == ["c"]


def test_a_builtin_source_gets_semifactuals_on_the_fly_and_counterfactuals_when_asked() -> None:
    source = "builtin:word_problems?n=3&steps=1..1&max=9"
    problems, notices = read_problems(DataRecipe(source=source, kinds=("typo_noise",), counterfactuals=2))
    assert [[kind for kind, _ in problem.semifactuals] for problem in problems] == [["typo_noise"]] * 3
    assert any(problem.counterfactuals for problem in problems)
    assert notices
    validation, _ = read_problems(EvalSet(source=source))
    assert {problem.text for problem in validation} != {problem.text for problem in problems}


def test_fields_are_named_by_a_build(tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text('{"wording": "What is 1 + 1?", "outcome": "2"}\n')
    with pytest.raises(SourceError) as caught:
        read_problems(DataRecipe(source=str(path)))
    hint = str(caught.value.hint)
    assert f"`semifactual build {path} --problem-field NAME --out DIR`" in hint
    assert "The rows have: wording, outcome." in hint
