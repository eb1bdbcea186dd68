"""What a build with models will probably use and cost, and the most that it can, before anything is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from semifactual.errors import ConfigError
from semifactual.llm.budget import worst_case
from semifactual.llm.placeholders import mask
from semifactual.llm.prices import Price, currency_of, price_of
from semifactual.llm.prompts import Sampling, expected_reply_tokens, rewrite_request, rules_of, solve_request
from semifactual.llm.requests import ChatRequest, Purpose, Usage
from semifactual.llm.steps import Role
from semifactual.pipeline.build import plan_of
from semifactual.pipeline.config import BuildConfig
from semifactual.pipeline.llm_options import Engine
from semifactual.pipeline.models import endpoints_of, rewrite_plan
from semifactual.pipeline.problems import open_problems
from semifactual.pipeline.rewriting import Plan, rewrite_problem
from semifactual.text.document import Document
from semifactual.types import Problem

SAMPLE = 300
"""Problems that are looked at, evenly spread over the source."""
REPAIRED = 0.3
"""Repair requests for each rewrite request, as a rough expectation."""
UNSURE = 0.1
"""Rewrites on which rules are unsure, of all."""
SOLUTION_TOKENS = 500
JUDGEMENT_TOKENS = 80


@dataclass(slots=True)
class _Sum:
    requests: float = 0.0
    prompt: float = 0.0
    completion: float = 0.0
    most_requests: float = 0.0
    most_tokens: float = 0.0
    most_cost: float = 0.0

    def add(self, request: ChatRequest, reply_tokens: float, price: Price | None, times: float, most: float) -> None:
        """Count a request that is expected so many times, and can come at most so often."""
        worst = worst_case(request, price)
        self.requests += times
        self.prompt += times * request.prompt_tokens
        self.completion += times * reply_tokens
        self.most_requests += most
        self.most_tokens += most * worst.tokens
        self.most_cost += most * worst.cost


@dataclass(slots=True)
class _Estimate:
    """The sums over the sample, by role."""

    roles: dict[Role, _Sum] = field(default_factory=dict)

    def of(self, role: Role) -> _Sum:
        return self.roles.setdefault(role, _Sum())


def estimate(config: BuildConfig) -> dict[str, Any]:
    """The expected requests, tokens and cost of the build that `config` describes, and the most of each.

    Tokens are counted by the length of the texts, because no tokenizer of the model is at hand. Replies that are in
    the cache already are not taken into account: they would cost nothing.

    Raises:
        ConfigError: no model is asked, or prices are in several currencies.
    """
    if not config.uses_models:
        raise ConfigError("estimate means nothing where no model is asked", hint="add --engine llm --model ...")
    plan = plan_of(config)
    source = open_problems(config)
    endpoints = endpoints_of(config)
    prices = {role: price_of(e, batch=config.batch, table=config.prices) for role, e in endpoints.items()}
    found, seen = _Estimate(), 0
    for problem in _sample(source.problems(), source.count):
        seen += 1
        _add(found, config, plan, problem, prices)
    scale = source.count / seen if seen else 0.0
    roles = {
        role.value: {
            "model": endpoints[role].model,
            "requests": round(one.requests * scale),
            "prompt_tokens": round(one.prompt * scale),
            "completion_tokens": round(one.completion * scale),
            "cost": _cost(one, prices[role], scale),
            "at_most": {
                "requests": round(one.most_requests * scale),
                "tokens": round(one.most_tokens * scale),
                "cost": None if prices[role] is None else round(one.most_cost * scale, 4),
            },
        }
        for role, one in found.roles.items()
    }
    costs = [_cost(one, prices[role], scale) for role, one in found.roles.items()]
    known = [cost for cost in costs if cost is not None]
    return {
        "problems": source.count,
        "looked_at": seen,
        "roles": roles,
        "cost": round(sum(known), 4) if len(known) == len(costs) else None,
        "currency": currency_of(prices.values()),
    }


def _add(found: _Estimate, config: BuildConfig, plan: Plan, problem: Problem, prices: dict[Role, Price | None]) -> None:
    rewrites = rewrite_plan(config, plan.bar.admits)
    missing = dict.fromkeys(plan.kinds, plan.per_kind)
    if config.engine is not Engine.LLM:
        missing = rewrite_problem(problem, plan).missing
    by_model = {kind: count for kind, count in missing.items() if count} if Role.REWRITER in prices else {}
    masked = mask(Document(problem.text))
    for index in range(max(by_model.values(), default=0)):
        kinds = [kind for kind, count in by_model.items() if count > index]
        request = rewrite_request(masked, kinds, rewrites.sampling, index)
        expected = expected_reply_tokens(masked.text, kinds)
        times, most = 1 + (REPAIRED if config.repairs else 0), 1 + config.repairs
        found.of(Role.REWRITER).add(request, expected, prices[Role.REWRITER], times, most)
    made = sum(by_model.values())
    if rewrites.judge is not None:
        kind = next(iter(by_model), plan.kinds[0])
        request = _judging(problem, kind, rewrites.judge)
        most = made * (1 + config.repairs)
        found.of(Role.JUDGE).add(request, JUDGEMENT_TOKENS, prices[Role.JUDGE], UNSURE * made, most)
    if rewrites.solver is not None:
        request = solve_request(problem.text, rewrites.solver, 0)
        texts = 1 + len(plan.kinds) * plan.per_kind
        most = config.votes * (1 + len(plan.kinds) * plan.per_kind * (1 + config.repairs))
        found.of(Role.SOLVER).add(request, SOLUTION_TOKENS, prices[Role.SOLVER], config.votes * texts, most)


def _judging(problem: Problem, kind: str, sampling: Sampling) -> ChatRequest:
    """About what the judge is asked: both texts, the rules, and some words around them."""
    text = "\n".join([problem.text, problem.text, *rules_of(kind)]) + " " * 1200
    return ChatRequest(Purpose.JUDGE, (("user", text),), sampling.reply_tokens)


def _cost(one: _Sum, price: Price | None, scale: float) -> float | None:
    if price is None:
        return None
    usage = Usage(prompt=round(one.prompt * scale), completion=round(one.completion * scale))
    return round(price.cost(usage), 4)


def _sample(problems: Iterator[Problem], count: int) -> Iterator[Problem]:
    return islice(problems, 0, None, max(1, count // SAMPLE))
