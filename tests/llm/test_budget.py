from __future__ import annotations

import asyncio

import pytest

from semifactual.llm.budget import Budget, Sum, paid, worst_case
from semifactual.llm.errors import BudgetSpent
from semifactual.llm.prices import Price
from semifactual.llm.requests import ChatRequest, Purpose, Usage

REQUEST = ChatRequest(Purpose.REWRITE, (("user", "x" * 338),), max_tokens=100)  # 100 tokens of prompt, 225 at worst
PRICE = Price(1e6, 1e6, 2e6)  # a token costs one, a token of a reply two


def test_worst_cases_and_payments() -> None:
    assert worst_case(REQUEST, None) == Sum(225, 0.0)
    assert worst_case(REQUEST, PRICE) == Sum(225, 325.0)
    assert paid(Usage(prompt=10, completion=5), PRICE) == Sum(15, 20.0)


def test_what_is_in_flight_is_set_aside_and_given_back() -> None:
    async def scenario() -> None:
        budget = Budget(max_tokens=500)
        one = await budget.reserve(REQUEST, None)
        two = await budget.reserve(REQUEST, None)
        third = asyncio.create_task(budget.reserve(REQUEST, None))
        await asyncio.sleep(0.01)
        assert not third.done()  # 675 would be too much, but 225 alone is not
        await budget.settle(one, Sum(50))
        await asyncio.wait_for(third, 1)
        fourth = asyncio.create_task(budget.reserve(REQUEST, None))
        await asyncio.sleep(0.01)
        await budget.settle(two, Sum(226))
        with pytest.raises(BudgetSpent, match="276 of 500 tokens are spent, and one request may use up to 225 tokens"):
            await asyncio.wait_for(fourth, 1)

    asyncio.run(scenario())


def test_a_budget_of_money() -> None:
    async def scenario() -> None:
        budget = Budget(max_cost=700.0, spent=Sum(0, 300.0))
        reserved = await budget.reserve(REQUEST, PRICE)
        await budget.settle(reserved, Sum(30, 80.0))
        with pytest.raises(BudgetSpent, match=r"380\.0000 of 700\.0000 are spent, and .* cost up to 325\.0000"):
            await budget.reserve(REQUEST, PRICE)

    asyncio.run(scenario())


def test_no_budget_holds_everything() -> None:
    async def scenario() -> None:
        budget = Budget()
        for _ in range(1000):
            await budget.reserve(REQUEST, PRICE)

    asyncio.run(scenario())
