"""What a drift run is asked to do: every option, its default and its meaning, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from semifactual.pipeline.config import validated
from semifactual.policy.prompts import Chat

COMMAND = "drift"


class PolicyRunConfig(BaseModel):
    """The options that commands share which run a model on problems and their rewrites."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = Field(min_length=1)
    """A built dataset, or any source of problems, whose rewrites are then made by rules on the fly."""
    model: str = Field(min_length=1)
    """``builtin:tiny``, a local folder, or a Hub id."""
    kinds: tuple[str, ...] | None = None
    """The kinds of rewrites to score; by default all of a dataset, or those that `build` makes. Names with commas."""
    samples: int = Field(default=8, ge=1, le=1024)
    """How many responses to generate for each problem."""
    limit: int | None = Field(default=None, ge=1)
    """Take only the first so many problems."""
    seed: int = Field(default=0, ge=0)
    """Decides, with a problem's id and a sample's number, each response; and the rewrites made on the fly."""
    temperature: float = Field(default=1.0, ge=0.0, le=100.0, allow_inf_nan=False)
    """Of generation; 0 takes the most probable token each time. Scoring always uses the model's own probabilities."""
    top_p: float = Field(default=1.0, gt=0.0, le=1.0)
    """Generation draws from the smallest set of tokens that holds this share of the probability."""
    max_new_tokens: int = Field(default=512, ge=1)
    """The longest response to generate."""
    prompt: str = "default"
    """The prompt around a problem: the name of a template in templates/prompts, or a file with ``{question}``."""
    chat: Chat = "auto"
    """Whether prompts go through the model's chat template."""
    dtype: str = "auto"
    """The precision of the model's weights."""
    device: str = "auto"
    """Where the model runs."""
    attention: str = "auto"
    """How attention is computed."""
    tokens_per_batch: int | None = Field(default=None, ge=1)
    """How many tokens, padding included, are in one batch at most."""
    revision: str | None = None
    """The revision of a Hub id."""
    split: str | None = None
    """The split of a Hub id or dataset folder."""
    config_name: str | None = None
    """The configuration (subset) of a Hub id."""
    problem_field: str | None = None
    """The field that holds the problem, where it is not to be guessed."""
    answer_field: str | None = None
    """The field that holds the answer, likewise."""
    id_field: str | None = None
    """The field that holds a row's id, likewise."""
    skip_bad_rows: bool = False
    """Leave out and count rows of the source and of the responses that cannot be used, instead of refusing to start."""
    resamples: int = Field(default=2000, ge=100, le=100_000)
    """How often problems are drawn anew for the intervals."""

    @field_validator("kinds", mode="before")
    @classmethod
    def _split_commas(cls, value: Any) -> Any:
        return [kind.strip() for kind in value.split(",") if kind.strip()] if isinstance(value, str) else value

    @property
    def samples_each(self) -> int:
        """How many different responses a problem can have: one at temperature 0."""
        return 1 if self.temperature == 0 else self.samples


class DriftConfig(PolicyRunConfig):
    """The options of `semifactual drift`."""

    responses: str | None = None
    """A file with responses to score instead of generated ones."""

    @model_validator(mode="after")
    def _refuse_impossible_pairs(self) -> Self:
        if self.kinds is not None and not self.kinds:
            raise ValueError("kinds is empty, so there is nothing to score")
        if self.responses is not None:
            given = self.model_fields_set & {"samples", "temperature", "top_p", "max_new_tokens"}
            if given:
                raise ValueError(f"{', '.join(sorted(given))}: means nothing where responses are given, not generated")
        if self.temperature == 0 and self.samples > 1 and "samples" in self.model_fields_set:
            raise ValueError("at temperature 0 all samples of a problem are the same, so samples must be 1")
        return self


def load_config(options: Mapping[str, Any]) -> DriftConfig:
    """The config of these options; those that are None count as not given.

    Raises:
        ConfigError: an option is unknown or out of range, or two options contradict.
    """
    return validated(DriftConfig, {name: value for name, value in options.items() if value is not None})
