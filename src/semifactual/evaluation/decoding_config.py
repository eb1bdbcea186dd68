"""What a decoding run is asked to do: the options of every command that runs a model, and the filter's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import Field, model_validator

from semifactual.drift.config import PolicyRunConfig
from semifactual.pipeline.config import validated

COMMAND = "decode"


class DecodeConfig(PolicyRunConfig):
    """The options of `semifactual decode`."""

    temperature: float = Field(default=1.0, gt=0.0, le=100.0, allow_inf_nan=False)
    """Of plain and d-filtered sampling. Greedy decoding runs beside them anyway, so 0 is not allowed."""
    cap: float = Field(default=0.8, ge=0.0, lt=1.0)
    """The most probability that the filter may mask at a step; 0 masks nothing."""

    @model_validator(mode="after")
    def _refuse_no_kinds(self) -> Self:
        if self.kinds is not None and not self.kinds:
            raise ValueError("kinds is empty, so there is nothing to filter by")
        return self


def load_config(options: Mapping[str, Any]) -> DecodeConfig:
    """The config of these options; those that are None count as not given.

    Raises:
        ConfigError: an option is unknown or out of range.
    """
    return validated(DecodeConfig, {name: value for name, value in options.items() if value is not None})
