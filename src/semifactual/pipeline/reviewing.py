"""Verdicts on anyone's rewrites, settled further by models: by a judge where rules are unsure, and by a solver."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import chain
from typing import Any

from semifactual.answers.verifier import Verifier
from semifactual.llm.engine import Run, StepRunner, Tab, Workshop
from semifactual.llm.rewriter import reviewing
from semifactual.llm.steps import RewritePlan
from semifactual.pipeline.judging import as_problem, rule_verdict, verdict_row
from semifactual.pipeline.models import Models, rewrite_plan
from semifactual.pipeline.pairs import PairRow
from semifactual.pipeline.workers import open_executor
from semifactual.types import AnswerCheck, Problem
from semifactual.validate.verdict import Mode, Verdict


def reviewed(
    pairs: Callable[[], Iterable[PairRow]], mode: Mode, models: Models, workers: int, modules: Iterable[str]
) -> Iterator[dict[str, Any]]:
    """The verdict rows of these pairs, in order, with what the judge and the solver had to say.

    Raises:
        SemifactualError: a server cannot be used, or a budget is spent; all replies are kept.
    """
    plan = rewrite_plan(models.options, lambda known: known is not AnswerCheck.REFUTED)
    with open_executor(workers, modules) as executor, Verifier() as verifier:

        def open_workshop() -> Workshop[PairRow, dict[str, Any]]:
            clients = models.open_clients()
            runner = StepRunner(clients, models.cache, _nothing_to_check, verifier)
            return Workshop(_AtWork(mode, plan, executor, runner).row, frozenset(clients.values()))

        yield from chain.from_iterable(Run(pairs, open_workshop, models.options.concurrency))


@dataclass(frozen=True, slots=True)
class _AtWork:
    mode: Mode
    plan: RewritePlan
    executor: Executor
    runner: StepRunner

    async def row(self, pair: PairRow) -> dict[str, Any]:
        """The verdict row of one pair."""
        loop = asyncio.get_running_loop()
        verdict = await loop.run_in_executor(self.executor, rule_verdict, pair, self.mode)
        problem = as_problem(pair)
        steps = reviewing(problem, [(pair.kind, pair.rewrite, verdict)], self.plan)
        (settled,) = await self.runner.drive(problem, steps, Tab())
        return verdict_row(pair, settled)


async def _nothing_to_check(problem: Problem, texts: tuple[tuple[str, str], ...]) -> list[Verdict]:
    raise AssertionError("a review hands in no text of its own")
