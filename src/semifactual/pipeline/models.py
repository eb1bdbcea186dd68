"""The models of a run, opened: cache, budget, prices and one client an endpoint, from the options that name them."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit

from semifactual.errors import ConfigError
from semifactual.llm.budget import Budget, Sum
from semifactual.llm.cache import ReplyCache, default_cache_path
from semifactual.llm.capabilities import stored_name
from semifactual.llm.client import Client, Collector
from semifactual.llm.endpoint import Endpoint, Key, parse_model, read_key
from semifactual.llm.prices import Price, currency_of, price_of
from semifactual.llm.prompts import Sampling
from semifactual.llm.requests import Usage
from semifactual.llm.steps import RewritePlan, Role
from semifactual.llm.traffic import Settings, Traffic
from semifactual.llm.transport import Transport
from semifactual.pipeline.llm_options import LlmBuildOptions, LlmOptions
from semifactual.types import AnswerCheck

MOST_ERRORS = 5
"""How many reasons for missing replies a summary names, the most frequent first."""


@dataclass(slots=True)
class Models:
    """Everything that requests need, but for the event loop."""

    options: LlmOptions
    build: str
    """Identifies what the replies are paid for: a budget holds for all runs of one build."""
    cache: ReplyCache
    endpoints: dict[Role, Endpoint]
    keys: dict[Endpoint, Key]
    prices: dict[Endpoint, Price | None]
    batch: bool = False
    traffic: dict[Endpoint, Traffic] = field(default_factory=dict)
    """What was sent and paid in this run."""
    failures: dict[str, str] = field(default_factory=dict)
    """Requests that a batch could not answer, by key, and why."""

    def open_clients(self, collector: Collector | None = None) -> dict[Role, Client]:
        """One client for each endpoint, by the roles that it plays. Call this inside the event loop."""
        budget = self.budget()
        clients = {endpoint: self._client(endpoint, budget, collector) for endpoint in set(self.endpoints.values())}
        return {role: clients[endpoint] for role, endpoint in self.endpoints.items()}

    def open_transport(self, endpoint: Endpoint) -> Transport:
        """A connection to this endpoint. Call this inside the event loop."""
        options = self.options
        return Transport(endpoint, self.keys[endpoint], timeout=options.timeout, connections=options.concurrency)

    def budget(self) -> Budget:
        """What may still be spent, with what all runs of this build have paid."""
        usage, cost = self.cache.spent(self.build)
        options = self.options
        return Budget(max_tokens=options.max_tokens, max_cost=options.max_cost, spent=Sum(usage.total, cost))

    def summary(self) -> dict[str, Any]:
        """What this run sent and paid, for its summary."""
        usage = sum((traffic.usage for traffic in self.traffic.values()), Usage())
        counts: dict[str, int] = {}
        for traffic in self.traffic.values():
            for name, count in traffic.counts.items():
                counts[name] = counts.get(name, 0) + count
        errors = sum((traffic.errors for traffic in self.traffic.values()), Counter(self.failures.values()))
        known = all(
            self.prices[e] is not None or not (one.counts["sent"] or one.usage.total) for e, one in self.traffic.items()
        )
        return {
            "requests": dict(sorted(counts.items())),
            "errors": dict(errors.most_common(MOST_ERRORS)),
            "tokens": {
                "prompt": usage.prompt,
                "cached": usage.cached,
                "completion": usage.completion,
                "unreported_replies": usage.unreported,
            },
            "cost": round(sum(traffic.cost for traffic in self.traffic.values()), 6) if known else None,
            "currency": self.currency,
            "cache": str(self.cache.path),
        }

    def description(self) -> dict[str, Any]:
        """What a manifest says of the models: how each server wants its requests, as far as one was asked, and prices.

        Prices are those of a million tokens; None where no table has the model.
        """
        servers, prices = {}, {}
        for endpoint in sorted(self.prices, key=lambda endpoint: (endpoint.model, endpoint.base_url)):
            name, price = f"{endpoint.model}@{endpoint.base_url}", self.prices[endpoint]
            stored = self.cache.fact(stored_name(endpoint))
            servers[name] = None if stored is None else stored[0]
            prices[name] = None if price is None else asdict(price)
        return {"servers": servers, "prices": prices, "currency": self.currency}

    @property
    def currency(self) -> str:
        """The currency of the price tables."""
        return currency_of(self.prices.values())

    def _client(self, endpoint: Endpoint, budget: Budget, collector: Collector | None) -> Client:
        options = self.options
        settings = Settings(
            concurrency=options.concurrency,
            timeout=options.timeout,
            attempts=options.attempts,
            rpm=options.rpm,
            tpm=options.tpm,
            extra=options.extra_body,
        )
        transport = Transport(endpoint, self.keys[endpoint], timeout=options.timeout, connections=options.concurrency)
        return Client(
            endpoint,
            transport,
            self.cache,
            budget,
            build=self.build,
            price=self.prices[endpoint],
            settings=settings,
            traffic=self.traffic.setdefault(endpoint, Traffic()),
            failures=self.failures,
            collector=collector,
        )


def open_models(options: LlmOptions, build: str) -> Models:
    """Open what the models of `options` need; nothing is sent yet.

    Raises:
        ConfigError: a key is missing, prices are in several currencies, or a budget in money meets a model of unknown
            price.
        OutputError: the cache cannot be used.
    """
    endpoints = endpoints_of(options)
    batch = isinstance(options, LlmBuildOptions) and options.batch
    prices = {endpoint: price_of(endpoint, batch=batch, table=options.prices) for endpoint in set(endpoints.values())}
    currency_of(prices.values())
    unknown = sorted((e.model, urlsplit(e.base_url).netloc) for e, price in prices.items() if price is None)
    if options.max_cost is not None and unknown:
        which = " and ".join(f"that of {model} is not known at {server}" for model, server in unknown)
        raise ConfigError(
            f"max_cost needs the price of every model, and {which}",
            hint="put it into a table (docs/llm.md shows the form) and name that with --prices, or use --max-tokens",
        )
    keys = {endpoint: read_key(endpoint, options.api_key_env) for endpoint in prices}
    cache = ReplyCache(options.cache or default_cache_path())
    return Models(options, build, cache, endpoints, keys, prices, batch)


def endpoints_of(options: LlmOptions) -> dict[Role, Endpoint]:
    """The endpoint of each role that a model plays."""
    model = options.model if isinstance(options, LlmBuildOptions) else None
    specs = {Role.REWRITER: model, Role.JUDGE: options.judge, Role.SOLVER: options.solver}
    return {role: parse_model(spec) for role, spec in specs.items() if spec is not None}


def notices_of(options: LlmOptions) -> tuple[str, ...]:
    """What a user should hear before servers are asked: to which of them a key would travel unencrypted."""
    exposed = sorted({e.host for e in endpoints_of(options).values() if e.sends_key_in_clear})
    return tuple(f"the key and the problems travel unencrypted to {host}" for host in exposed)


@contextmanager
def models_for(options: LlmOptions, identity: Mapping[str, Any]) -> Iterator[Models | None]:
    """The open models of these options; None where they name none. `identity` says what the replies are paid for."""
    if not options.uses_models:
        yield None
        return
    build = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:32]
    models = open_models(options, build)
    try:
        yield models
    finally:
        models.cache.close()


def rewrite_plan(options: LlmOptions, admits: Callable[[AnswerCheck], bool], seed: int = 0) -> RewritePlan:
    """How the rewriter asks, by these options."""
    sampling = Sampling(options.temperature, options.reply_tokens, options.extra_body)
    strict = Sampling(None if options.temperature is None else 0.0, options.reply_tokens, options.extra_body)
    return RewritePlan(
        sampling,
        repairs=options.repairs if isinstance(options, LlmBuildOptions) else 0,
        judge=strict if options.judge is not None else None,
        solver=sampling if options.solver is not None else None,
        votes=options.votes,
        seed=seed,
        admits=admits,
    )
