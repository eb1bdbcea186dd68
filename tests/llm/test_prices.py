from __future__ import annotations

from pathlib import Path

import pytest

from semifactual.errors import ConfigError
from semifactual.llm.endpoint import parse_model
from semifactual.llm.prices import Price, currency_of, price_of
from semifactual.llm.requests import Usage

OURS = parse_model("openai:gpt-4.1-mini-2025-04-14")
LOCAL = parse_model("openai:gpt-4.1-mini@http://127.0.0.1:8000/v1")


def test_a_listed_model_has_its_price_and_batches_cost_half() -> None:
    single, batch = price_of(OURS), price_of(OURS, batch=True)
    assert single is not None and batch is not None
    usage = Usage(prompt=1000, cached=400, completion=300)
    assert batch.cost(usage) == pytest.approx(single.cost(usage) / 2)
    assert single.cost(usage) == pytest.approx((600 * 0.40 + 400 * 0.10 + 300 * 1.60) / 1e6)


def test_a_name_alone_is_no_price() -> None:
    assert price_of(LOCAL) is None  # the same name on another server


def test_the_users_table_goes_first(tmp_path: Path) -> None:
    table = tmp_path / "prices.yaml"
    table.write_text("currency: EUR\nprices:\n  - {model: 'gpt-*', input: 1, output: 2}\n")
    assert price_of(OURS, table=table) == Price(1, 1, 2, "EUR")
    assert price_of(LOCAL, table=table) == Price(1, 1, 2, "EUR")
    assert price_of(parse_model("openai:o4-mini"), table=table) == price_of(parse_model("openai:o4-mini"))


def test_costs_in_two_currencies_are_not_added_up() -> None:
    assert currency_of([None, Price(1, 1, 2, "EUR"), Price(3, 3, 4, "EUR")]) == "EUR"
    assert currency_of([None]) == "USD"
    with pytest.raises(ConfigError, match="EUR and USD"):
        currency_of([Price(1, 1, 2, "EUR"), Price(1, 1, 2)])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prices: [{model: a, input: -1, output: 2}]", "prices.0.input"),
        ("prices: [{model: a, input: 1}]", "prices.0.output"),
        ("prices: [{model: a, input: 1, output: 2, outptu: 3}]", "outptu"),
        ("[1]", "the file"),
        ("a: [", "price table"),
    ],
)
def test_a_table_that_is_wrong_says_where(text: str, said: str, tmp_path: Path) -> None:
    table = tmp_path / "prices.yaml"
    table.write_text(text)
    with pytest.raises(ConfigError, match=said):
        price_of(OURS, table=table)


def test_no_table_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        price_of(OURS, table=tmp_path / "none.yaml")
