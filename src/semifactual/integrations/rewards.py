r"""What a response earns in other people's trainers: 1 where its last boxed answer is the reference answer, else 0.

The verifier is that of the whole package. It needs no signal, so it works in the threads in which trainers call their
reward functions, and what takes longer than its deadline is killed in a process of its own and earns nothing. How often
that happens is told beside the score, since an earned 0 and a verdict that never came are different things.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from typing import Any

from semifactual.answers import Outcome, Verifier

DEADLINE_SECONDS = 15.0
"""Longer than for a verdict alone: a training machine is busy, and what is not decided in time earns nothing."""
MOST_WORKERS = 4


def graded(response: str, answer: str) -> Outcome:
    r"""How the last ``\boxed{}`` of the response compares with `answer`; unparsable where there is none."""
    return _verifier().grade(answer, response).verdict.outcome


def accuracy(response: str, answer: str) -> float:
    r"""1.0 where the last ``\boxed{}`` of the response holds an answer equal to `answer`, else 0.0.

    >>> accuracy(r"Six and six make \boxed{12.0}.", "12"), accuracy("It is 12.", "12")
    (1.0, 0.0)
    """
    return float(graded(response, answer) is Outcome.EQUAL)


def trl_reward(completions: Sequence[Any], answer: Sequence[str], **columns: Any) -> list[float]:
    """TRL's reward function for an export to trl: pass it as ``GRPOTrainer(reward_funcs=trl_reward, ...)``.

    A completion is a text, or a list of turns of which the last one counts.
    """
    return [accuracy(_text(one), gold) for one, gold in zip(completions, answer, strict=True)]


def _text(completion: Any) -> str:
    return completion if isinstance(completion, str) else str(completion[-1]["content"])


@cache
def _verifier() -> Verifier:
    return Verifier(deadline=DEADLINE_SECONDS, workers=min(MOST_WORKERS, os.cpu_count() or 1))
