"""What rules leave open, settled: unsure verdicts by the judge, answers by the solver's votes."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from semifactual.llm.judge import judging_request, read_judgement, resolved
from semifactual.llm.requests import Answer, Answered
from semifactual.llm.solver import agreement, combined, solving_requests, voted_answer
from semifactual.llm.steps import Ask, Grade, Note, RewritePlan, Role, Step, Steps
from semifactual.types import Problem
from semifactual.validate.verdict import Verdict

_SEEDS, _SAMPLES = 2_000, 1_000_000


@dataclass(slots=True)
class Settling:
    """The open questions of one problem. The solver's votes on the original are asked for once."""

    problem: Problem
    plan: RewritePlan
    original_votes: tuple[bool, ...] | None = None

    def settle(
        self, texts: Sequence[tuple[str, str]], verdicts: Sequence[Verdict]
    ) -> Generator[Step, Any, list[Verdict]]:
        """The verdicts of the rules on these texts (each with its kind), settled as far as the plan has means."""
        settled = list(verdicts)
        if self.plan.judge is not None:
            yield from self._judge(texts, settled)
        if self.plan.solver is not None and self.problem.answer:
            yield from self._vote(texts, settled)
        return settled

    def _judge(self, texts: Sequence[tuple[str, str]], verdicts: list[Verdict]) -> Steps:
        """Put the judge's word into those verdicts that are unsure."""
        sampling = self.plan.judge
        assert sampling is not None
        original = self.problem.text
        asked = {}
        for n, ((kind, text), verdict) in enumerate(zip(texts, verdicts, strict=True)):
            request = judging_request(original, text, kind, verdict, sampling)
            if request is not None:
                asked[n] = request
        if not asked:
            return
        answers = yield Ask(Role.JUDGE, tuple(asked.values()))
        for n, answer in zip(asked, answers, strict=True):
            if isinstance(answer, Answered):
                judgement = read_judgement(answer.reply, texts[n][1])
                yield Note(answer.key, {"opinion": judgement.opinion.value, "evidence": judgement.evidence})
                verdicts[n] = resolved(verdicts[n], judgement)

    def _vote(self, texts: Sequence[tuple[str, str]], verdicts: list[Verdict]) -> Steps:
        """Put the solver's votes into those verdicts that may enter.

        The original is solved once; where that fails even once, the rewrites are not tried.
        """
        chosen = [n for n, verdict in enumerate(verdicts) if verdict.enters_dataset]
        if not chosen:
            return
        if self.original_votes is None:
            (self.original_votes,) = yield from self._votes([self.problem.text])
        if not self.original_votes or not all(self.original_votes):
            return
        votes = yield from self._votes([texts[n][1] for n in chosen])
        for n, of_rewrite in zip(chosen, votes, strict=True):
            known = combined(verdicts[n].answer_check, agreement(self.original_votes, of_rewrite))
            verdicts[n] = replace(verdicts[n], answer_check=known)

    def _votes(self, texts: Sequence[str]) -> Generator[Step, Any, list[tuple[bool, ...]]]:
        """For each text, whether each vote on it is the gold answer; no votes at all where one did not come."""
        assert self.plan.solver is not None
        first = first_sample(self.plan.seed)
        requests = [solving_requests(text, self.plan.votes, self.plan.solver, first) for text in texts]
        answers: Sequence[Answer] = yield Ask(Role.SOLVER, tuple(chain.from_iterable(requests)))
        voted = [voted_answer(answer.reply) if isinstance(answer, Answered) else "" for answer in answers]
        right: Sequence[bool] = yield Grade(tuple(voted))
        for answer, vote, is_right in zip(answers, voted, right, strict=True):
            if isinstance(answer, Answered):
                yield Note(answer.key, {"answer": vote[:200], "gold": is_right})
        found = []
        for start in range(0, len(answers), self.plan.votes):
            end = start + self.plan.votes
            came = all(isinstance(answer, Answered) for answer in answers[start:end])
            found.append(tuple(right[start:end]) if came else ())
        return found


def first_sample(seed: int) -> int:
    """The number of the first sample that a build of this seed asks for. Samples stay below what 31 bits hold.

    >>> first_sample(0), first_sample(3)
    (0, 3000000)
    """
    return seed % _SEEDS * _SAMPLES
