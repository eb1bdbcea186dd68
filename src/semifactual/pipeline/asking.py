"""Rows that models have a part in: rules first where they are wanted, then the rewriter, the judge and the solver."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

from semifactual.answers.verifier import Verifier
from semifactual.interventions.registry import get_intervention
from semifactual.llm.client import Collector
from semifactual.llm.engine import Run, StepRunner, Tab, Workshop
from semifactual.llm.rewriter import reviewing, rewriting
from semifactual.llm.steps import Ended, Ending, RewritePlan, Role
from semifactual.pipeline.config import AnswerBar, BuildConfig
from semifactual.pipeline.endings import accepted_entry, llm_part, rejected_line, voted_down
from semifactual.pipeline.judging import judge_texts
from semifactual.pipeline.llm_options import Engine
from semifactual.pipeline.models import Models, rewrite_plan
from semifactual.pipeline.records import Record, to_json
from semifactual.pipeline.rewriting import Attempts, Plan, counterfactuals_of, rewrite_problem, row_of
from semifactual.pipeline.workers import Result, open_executor
from semifactual.types import AnswerCheck, Problem
from semifactual.validate.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Asking:
    """What is wanted of every problem, and which part models have in it."""

    plan: Plan
    engine: Engine
    rewrites: RewritePlan
    label: str
    """How rows name the model that rewrites."""

    @property
    def solves(self) -> bool:
        """Whether rewrites that rules made are solved too."""
        return self.rewrites.solver is not None

    @property
    def rule_plan(self) -> Plan:
        """The plan for the rules. The solver has its say later, so they do not wait for what only it can find out."""
        return replace(self.plan, bar=AnswerBar.UNKNOWN) if self.solves else self.plan


def asking_of(config: BuildConfig, plan: Plan, models: Models) -> Asking:
    """What `config` wants of models."""
    rewriter = models.endpoints.get(Role.REWRITER)
    rewrites = rewrite_plan(config, plan.bar.admits, plan.seed)
    return Asking(plan, config.engine, rewrites, "" if rewriter is None else rewriter.label)


def asked(
    problems: Callable[[], Iterable[Problem]],
    asking: Asking,
    models: Models,
    workers: int,
    collector: Collector | None = None,
) -> Iterator[list[str]]:
    """The journal lines of the problems, in order and as many at a time as are ready.

    With a `collector`, requests that have no reply yet go there, and their problems are left out.

    Raises:
        SemifactualError: a server cannot be used, or a budget is spent; all lines before were yielded.
    """
    modules = {get_intervention(kind).rewrite.__module__ for kind in asking.plan.kinds}
    with open_executor(workers, modules) as executor, Verifier() as verifier:

        def open_workshop() -> Workshop[Problem, str]:
            clients = models.open_clients(collector)
            runner = StepRunner(clients, models.cache, _judging(executor), verifier)
            return Workshop(_AtWork(asking, executor, runner).line, frozenset(clients.values()))

        yield from Run(problems, open_workshop, models.options.concurrency)


def _judging(executor: Executor) -> Callable[[Problem, tuple[tuple[str, str], ...]], Any]:
    async def judging(problem: Problem, texts: tuple[tuple[str, str], ...]) -> list[Verdict]:
        return await asyncio.get_running_loop().run_in_executor(executor, judge_texts, problem, texts)

    return judging


@dataclass(frozen=True, slots=True)
class _AtWork:
    """The work on one problem after another."""

    asking: Asking
    executor: Executor
    runner: StepRunner

    async def line(self, problem: Problem) -> str:
        """The journal's line of one problem."""
        plan, tab = self.asking.plan, Tab()
        attempts = await self._by_rules(problem, tab)
        wanted = self._wanted(attempts)
        endings: list[Ending] = []
        if wanted and self.asking.engine is not Engine.RULE:
            taken = {kind: {entry["text"] for entry in attempts.accepted if entry["kind"] == kind} for kind in wanted}
            steps = rewriting(problem, wanted, taken, self.asking.rewrites)
            endings = await self.runner.drive(problem, steps, tab)
            _put_together(problem, self.asking, attempts, endings)
        controls = await self._in_worker(counterfactuals_of, problem, plan) if plan.counterfactuals else []
        return to_json(row_of(problem, plan, attempts, controls) | {"llm": llm_part(attempts, endings, tab)})

    async def _in_worker(self, function: Callable[[Problem, Plan], Result], problem: Problem, plan: Plan) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self.executor, function, problem, plan)

    async def _by_rules(self, problem: Problem, tab: Tab) -> Attempts:
        """What rules make of a problem, without what the solver refutes; nothing where only the model rewrites."""
        if self.asking.engine is Engine.LLM:
            return Attempts(missing=dict.fromkeys(self.asking.plan.kinds, self.asking.plan.per_kind))
        attempts = await self._in_worker(rewrite_problem, problem, self.asking.rule_plan)
        if self.asking.solves and attempts.accepted:
            await self._vote(problem, attempts, tab)
        return attempts

    async def _vote(self, problem: Problem, attempts: Attempts, tab: Tab) -> None:
        texts = [
            (entry["kind"], entry["text"], Verdict((), AnswerCheck(entry["answer_check"])))
            for entry in attempts.accepted
        ]
        verdicts = await self.runner.drive(problem, reviewing(problem, texts, self.asking.rewrites), tab)
        kept: list[Record] = []
        for entry, verdict in zip(attempts.accepted, verdicts, strict=True):
            if verdict.enters_dataset and self.asking.plan.bar.admits(verdict.answer_check):
                kept.append({**entry, "answer_check": verdict.answer_check.value})
            else:
                attempts.rejected.append(voted_down(problem, entry, verdict, self.asking.plan.bar))
                attempts.missing[entry["kind"]] = attempts.missing.get(entry["kind"], 0) + 1
        attempts.accepted = kept

    def _wanted(self, attempts: Attempts) -> Mapping[str, tuple[int, ...]]:
        """The indices of each kind that are still missing: the last ones, because rules make the first."""
        most = self.asking.plan.per_kind
        return {
            kind: tuple(range(most - attempts.missing[kind], most))
            for kind in self.asking.plan.kinds
            if attempts.missing.get(kind)
        }


def _put_together(problem: Problem, asking: Asking, attempts: Attempts, endings: Iterable[Ending]) -> None:
    """Add what the model made to what rules made, in the order of the kinds."""
    for ending in endings:
        if ending.ended is Ended.ACCEPTED:
            attempts.accepted.append(accepted_entry(ending, asking))
            attempts.missing[ending.kind] -= 1
        else:
            attempts.rejected.append(rejected_line(problem, ending, asking))
    attempts.missing = {kind: count for kind, count in attempts.missing.items() if count}
    attempts.accepted.sort(key=lambda entry: asking.plan.kinds.index(entry["kind"]))
