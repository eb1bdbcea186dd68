"""The solver: independent solutions of a rewrite and of its original, and what they say about the answer."""

from __future__ import annotations

from collections.abc import Sequence

from semifactual.answers.extraction import extract
from semifactual.answers.outcomes import Found
from semifactual.answers.verifier import Verifier
from semifactual.llm.prompts import Sampling, solve_request
from semifactual.llm.requests import ChatRequest, Reply
from semifactual.types import AnswerCheck

_ORDER = (AnswerCheck.UNKNOWN, AnswerCheck.AGREED, AnswerCheck.REDERIVED)


def solving_requests(text: str, votes: int, sampling: Sampling, first_sample: int = 0) -> tuple[ChatRequest, ...]:
    """So many independent requests to solve a text."""
    return tuple(solve_request(text, sampling, first_sample + vote) for vote in range(votes))


def voted_answer(reply: Reply) -> str:
    """The answer that a solution ends with; empty where it has none, or was cut off before its end."""
    if reply.finish == "length":
        return ""
    found = extract(reply.text, strict=False)
    return found.text if found.found in (Found.BOXED, Found.PHRASE) else ""


def grade(verifier: Verifier, gold: str, answers: Sequence[str]) -> tuple[bool, ...]:
    """Which of these answers are the gold answer. An empty one is not."""
    return tuple(bool(answer) and verifier.equivalent(gold, answer).equal for answer in answers)


def agreement(original: Sequence[bool], rewrite: Sequence[bool]) -> AnswerCheck:
    """What the votes say, each true where it found the gold answer.

    A solver that fails the original even once proves nothing about the rewrite: it may be too weak for both.

    >>> agreement([True, True], [True, True]).value, agreement([True, True], [False, False]).value
    ('agreed', 'refuted')
    >>> agreement([True, False], [False, False]).value, agreement([True, True], [True, False]).value
    ('unknown', 'unknown')
    """
    if not original or not rewrite or not all(original):
        return AnswerCheck.UNKNOWN
    if all(rewrite):
        return AnswerCheck.AGREED
    return AnswerCheck.UNKNOWN if any(rewrite) else AnswerCheck.REFUTED


def combined(known: AnswerCheck, voted: AnswerCheck) -> AnswerCheck:
    """What is known of an answer, by rules and by votes: a refutation stands, else the stronger word.

    >>> combined(AnswerCheck.REDERIVED, AnswerCheck.AGREED).value, combined(AnswerCheck.AGREED, AnswerCheck.REFUTED).value
    ('rederived', 'refuted')
    """  # noqa: E501 - a doctest's input cannot be wrapped
    if AnswerCheck.REFUTED in (known, voted):
        return AnswerCheck.REFUTED
    return max(known, voted, key=_ORDER.index)
