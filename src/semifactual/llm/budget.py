"""A budget that is never overdrawn: a request first sets aside the most that it can cost, then pays what it did."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from semifactual.llm.errors import BudgetSpent
from semifactual.llm.prices import Price
from semifactual.llm.requests import ChatRequest, Usage


@dataclass(frozen=True, slots=True)
class Sum:
    """Tokens and money together."""

    tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: Sum) -> Sum:
        return Sum(self.tokens + other.tokens, self.cost + other.cost)

    def __sub__(self, other: Sum) -> Sum:
        return Sum(self.tokens - other.tokens, self.cost - other.cost)


class Budget:
    """What a build may spend over all its runs, and what it has spent. Use it within one event loop."""

    def __init__(self, *, max_tokens: int | None = None, max_cost: float | None = None, spent: Sum = Sum()) -> None:
        self.max_tokens = max_tokens
        self.max_cost = max_cost
        self.spent = spent
        self._reserved = Sum()
        self._settled = asyncio.Condition()

    async def reserve(self, request: ChatRequest, price: Price | None) -> Sum:
        """Set aside what `request` may cost at most, and wait while only requests in flight keep it from fitting.

        Raises:
            BudgetSpent: it would not fit even if all requests in flight turned out free.
        """
        worst = worst_case(request, price)
        if self.max_tokens is None and self.max_cost is None:
            return worst
        async with self._settled:
            while not self._fits(self.spent + self._reserved + worst):
                if not self._fits(self.spent + worst):
                    raise self.exhausted(worst)
                await self._settled.wait()
            self._reserved += worst
        return worst

    async def settle(self, reserved: Sum, paid: Sum) -> None:
        """Give back what was set aside, and book what was paid."""
        self.spent += paid
        if self.max_tokens is None and self.max_cost is None:
            return
        async with self._settled:
            self._reserved -= reserved
            self._settled.notify_all()

    def room_for(self, worst: Sum) -> bool:
        """Whether so much more would still fit, with nothing in flight."""
        return self._fits(self.spent + worst)

    def exhausted(self, worst: Sum) -> BudgetSpent:
        """The error that ends a run for want of budget, where one request may use `worst`."""
        limits, needs = [], []
        if self.max_tokens is not None:
            limits.append(f"{self.spent.tokens:,} of {self.max_tokens:,} tokens")
            needs.append(f"use up to {worst.tokens:,} tokens")
        if self.max_cost is not None:
            limits.append(f"{self.spent.cost:.4f} of {self.max_cost:.4f}")
            needs.append(f"cost up to {worst.cost:.4f}")
        return BudgetSpent(
            f"the budget holds no further request: {' and '.join(limits)} are spent, "
            f"and one request may {' and '.join(needs)}",
            hint="every reply is kept: run the same command with a larger --max-tokens or --max-cost to go on",
        )

    def _fits(self, total: Sum) -> bool:
        if self.max_tokens is not None and total.tokens > self.max_tokens:
            return False
        return self.max_cost is None or total.cost <= self.max_cost


def worst_case(request: ChatRequest, price: Price | None) -> Sum:
    """The most that a request can use. The prompt is an estimate, so a quarter is added to it."""
    prompt = request.prompt_tokens * 5 // 4
    return Sum(prompt + request.max_tokens, price.worst(prompt, request.max_tokens) if price else 0.0)


def paid(usage: Usage, price: Price | None) -> Sum:
    """What a reply used."""
    return Sum(usage.total, price.cost(usage) if price else 0.0)
