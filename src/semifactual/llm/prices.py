"""What tokens cost: a table that the user can edit, and the arithmetic on it. What no table says is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from semifactual.errors import ConfigError
from semifactual.llm.endpoint import Endpoint
from semifactual.llm.requests import Usage
from semifactual.resources import template_yaml

PRICES = "llm/prices.yaml"
DEFAULT_CURRENCY = "USD"
_MILLION = 1_000_000


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str = "*"
    """The server's name; ``*`` stands for any characters."""
    model: str
    """The model's name; ``*`` stands for any characters."""
    input: float = Field(ge=0)
    """The price of a million prompt tokens."""
    cached_input: float | None = Field(default=None, ge=0)
    """Of a million that the server had cached; as `input` where it is not given."""
    output: float = Field(ge=0)
    """Of a million completion tokens, reasoning included."""
    batch: float = Field(default=1, gt=0, le=1)
    """What a batch costs in comparison."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid")

    currency: str = DEFAULT_CURRENCY
    prices: list[_Entry]


@dataclass(frozen=True, slots=True)
class Price:
    """The price of one model's tokens, for single requests or for batches."""

    input: float
    cached_input: float
    output: float
    currency: str = DEFAULT_CURRENCY

    def cost(self, usage: Usage) -> float:
        """What these tokens cost.

        >>> Price(2.0, 0.5, 8.0).cost(Usage(prompt=1_000_000, cached=500_000, completion=250_000))
        3.25
        """
        fresh = usage.prompt - usage.cached
        return (fresh * self.input + usage.cached * self.cached_input + usage.completion * self.output) / _MILLION

    def worst(self, prompt_tokens: int, reply_tokens: int) -> float:
        """The most that one request can cost."""
        return self.cost(Usage(prompt=prompt_tokens, completion=reply_tokens))


def price_of(endpoint: Endpoint, *, batch: bool = False, table: Path | None = None) -> Price | None:
    """The price of this model: from the user's table where there is one, else from the shipped one; None if unknown.

    Of several entries that fit, the first counts.

    Raises:
        ConfigError: the user's table cannot be read.
    """
    for prices in (*([_read(table)] if table is not None else []), _shipped()):
        for entry in prices.prices:
            if fnmatchcase(endpoint.host, entry.host) and fnmatchcase(endpoint.model, entry.model):
                factor = entry.batch if batch else 1.0
                cached = entry.input if entry.cached_input is None else entry.cached_input
                return Price(entry.input * factor, cached * factor, entry.output * factor, prices.currency)
    return None


def currency_of(prices: Iterable[Price | None]) -> str:
    """The currency in which all these prices are, so that costs can be added up.

    Raises:
        ConfigError: they are in several.
    """
    found = sorted({price.currency for price in prices if price is not None})
    if len(found) > 1:
        raise ConfigError(
            f"the prices of these models are in {' and '.join(found)}, which cannot be added up",
            hint="put the prices of all models into your own table, in one currency",
        )
    return found[0] if found else DEFAULT_CURRENCY


def _shipped() -> _Table:
    return _Table.model_validate(template_yaml(PRICES))


def _read(path: Path) -> _Table:
    try:
        content: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
        return _Table.model_validate(content)
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        where = ".".join(map(str, detail["loc"])) or "the file"
        reason = f"{where}: {detail['msg']}"
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = error.strerror or str(error) if isinstance(error, OSError) else " ".join(str(error).split())
    raise ConfigError(f"cannot read the price table {path}: {reason}", hint="templates/llm/prices.yaml shows the form")
