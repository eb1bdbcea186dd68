from __future__ import annotations

import pytest

from semifactual.drift.responses import FixedResponse
from semifactual.drift.survey import Survey, refuse_unknown, require_something, survey
from semifactual.errors import SourceError
from semifactual.pipeline.variants import VariantProblem


def problem(id: str, *rewrites: str) -> VariantProblem:
    return VariantProblem(id, id, "1", {}, tuple(("typo_noise", text) for text in rewrites))


def prompts(one: VariantProblem) -> tuple[tuple[int, ...], ...]:
    """A token a character."""
    return tuple(tuple(map(ord, text)) for text in (one.text, *(text for _, text in one.semifactuals)))


def given(**lengths: int) -> dict[str, tuple[FixedResponse, ...]]:
    return {name: (FixedResponse(0, "x", (1,) * length, None),) for name, length in lengths.items()}


PROBLEMS = [problem("abc", "abcdef", "ab"), problem("x"), problem("yz", "zy")]


def test_what_is_there_is_counted() -> None:
    found = survey(PROBLEMS, prompts, context=None)
    assert (found.scored, found.without_rewrites, found.longest_prompt) == (2, 1, 6)
    found = survey(PROBLEMS, prompts, None, given(yz=2, nobody=1))
    assert (found.scored, found.without_responses, found.unknown, found.longest_prompt) == (1, 1, ["nobody"], 2)


def test_a_prompt_needs_room_for_one_token_behind_it() -> None:
    assert survey(PROBLEMS, prompts, context=7).scored == 2
    with pytest.raises(SourceError, match=r"reads 6 tokens at most: problem 'abc' has a prompt of 6 tokens$"):
        survey(PROBLEMS, prompts, context=6)


def test_a_given_response_must_fit_behind_its_longest_prompt() -> None:
    assert survey(PROBLEMS, prompts, 9, given(abc=3)).scored == 1
    with pytest.raises(SourceError, match="'abc' has a prompt of 6 tokens before a response of 4"):
        survey(PROBLEMS, prompts, 9, given(abc=4))


def test_of_many_misfits_some_are_named() -> None:
    many = [problem(f"p{number}", "longer than three") for number in range(9)]
    with pytest.raises(SourceError, match=r"'p0'.*'p2'.*and 6 more"):
        survey(many, prompts, context=3)


def test_nothing_to_score_is_refused_with_its_reason() -> None:
    require_something(Survey(scored=1), None)
    with pytest.raises(SourceError, match="no problem has a rewrite"):
        require_something(survey([problem("x")], prompts, None), None)
    with pytest.raises(SourceError, match="none of the 1 given responses"):
        require_something(survey(PROBLEMS, prompts, None, given(nobody=1)), 1)


def test_unknown_ids_are_named() -> None:
    refuse_unknown(Survey())
    with pytest.raises(SourceError, match=r"no problem with the id 'a', 'b', 'c' and 1 more"):
        refuse_unknown(Survey(unknown=["a", "b", "c", "d"]))
