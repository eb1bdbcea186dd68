"""What a rewriter may need next, and how its work ends: the words between the state machine and who drives it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from semifactual.llm.prompts import Sampling
from semifactual.llm.requests import ChatRequest
from semifactual.types import AnswerCheck
from semifactual.validate.verdict import Verdict


class Role(StrEnum):
    """Which model a request goes to."""

    REWRITER = "rewriter"
    JUDGE = "judge"
    SOLVER = "solver"


@dataclass(frozen=True, slots=True)
class Ask:
    """These requests, to the model of this role."""

    role: Role
    requests: tuple[ChatRequest, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """The verdicts of the rules on these texts, each with its kind."""

    texts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Grade:
    """Which of these answers equal the problem's."""

    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """What became of the reply with this key: to be committed beside it before the reply is used."""

    key: str
    outcome: Mapping[str, Any]


Step = Ask | Check | Grade | Note
Steps = Generator[Step, Any, Any]


class Ended(StrEnum):
    """How a wanted rewrite ended."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    FAILED = "failed"
    """No complete reply came."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One text that a model handed in for a kind, or what it handed in instead, and the verdict."""

    text: str
    verdict: Verdict
    handed_in: str
    """What the model wrote for the kind, with its placeholders; of an unreadable reply, its beginning."""
    request: str
    """The first 16 digits of the request's key."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What became of one wanted rewrite."""

    kind: str
    index: int
    ended: Ended
    attempts: tuple[Attempt, ...]
    """In order; of an accepted rewrite, the last one is it."""
    error: str = ""


@dataclass(frozen=True, slots=True)
class RewritePlan:
    """How rewrites are asked for."""

    sampling: Sampling
    repairs: int = 2
    judge: Sampling | None = None
    solver: Sampling | None = None
    votes: int = 3
    seed: int = 0
    """Builds of different seeds get replies of their own."""
    admits: Callable[[AnswerCheck], bool] = lambda known: known is not AnswerCheck.REFUTED
    """Whether a rewrite of whose answer this is known may enter."""
