"""The options of everything that asks a model: which models, how they are asked, and what that may cost."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from semifactual.errors import ConfigError
from semifactual.llm.endpoint import parse_model

OWN_SENTENCE = "own_sentence"
"""The type of an error whose sentence is whole, and must not repeat the value; its hint is in the context."""


class Engine(StrEnum):
    """What makes rewrites."""

    RULE = "rule"
    """Rules: free, at once, the same bytes every time."""
    LLM = "llm"
    """A language model behind an OpenAI-compatible server."""
    AUTO = "auto"
    """Rules where they suffice, a model for the rest."""


class LlmOptions(BaseModel):
    """Options that concern language models. Without a model, none of them matters."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    judge: str | None = None
    """The model that settles what rules leave unsure: openai:NAME@URL."""
    solver: str | None = None
    """The model that solves originals and rewrites, to compare their answers: openai:NAME@URL."""
    votes: int = Field(default=3, ge=1, le=32)
    """How many independent solutions of each text the solver gives."""
    temperature: float | None = Field(default=0.7, ge=0, le=2)
    """The sampling temperature of every model; left out where the server refuses it."""
    reply_tokens: int = Field(default=4096, ge=16, le=1_000_000)
    """The most tokens of one reply, reasoning included."""
    extra_body: str = "{}"
    """More fields of every request's body, as a JSON object."""
    api_key_env: str | None = None
    """The environment variable that holds the key; OPENAI_API_KEY where none is named."""
    concurrency: int = Field(default=64, ge=1, le=4096)
    """The most requests in flight; fewer where the server cannot bear them."""
    timeout: float = Field(default=180.0, gt=0, le=86_400)
    """Seconds in which a reply must be complete."""
    attempts: int = Field(default=5, ge=1, le=100)
    """How often a request is sent that brings no complete reply; refusals for haste (429) do not count."""
    rpm: int | None = Field(default=None, ge=1)
    """The most requests a minute."""
    tpm: int | None = Field(default=None, ge=1)
    """The most tokens a minute."""
    max_cost: float | None = Field(default=None, ge=0)
    """What may be spent in all, in the price table's currency; the work stops before it is more, and can go on."""
    max_tokens: int | None = Field(default=None, ge=0)
    """How many tokens may be used in all; likewise."""
    cache: Path | None = None
    """The file that keeps every reply; one for all runs of the user where none is named."""
    prices: Path | None = None
    """A price table of the user's own; its entries go before the shipped ones."""

    @field_validator("judge", "solver", "model", mode="after", check_fields=False)
    @classmethod
    def _is_a_model(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                parse_model(value)
            except ConfigError as error:
                context = {"sentence": error.message, "hint": error.hint}
                raise PydanticCustomError(OWN_SENTENCE, "{sentence}", context) from None
        return value

    @field_validator("extra_body", mode="before")
    @classmethod
    def _is_an_object(cls, value: Any) -> Any:
        try:
            parsed = json.loads(value) if isinstance(value, str) else value
        except ValueError:
            parsed = None
        if not isinstance(parsed, dict):
            raise ValueError("must be a JSON object")
        return json.dumps(parsed, sort_keys=True)

    @property
    def uses_models(self) -> bool:
        """Whether any model is asked."""
        return self.judge is not None or self.solver is not None


class LlmBuildOptions(LlmOptions):
    """The options of a build that concern language models."""

    engine: Engine = Engine.RULE
    """What makes the rewrites: rule, llm, or auto (rules where they suffice, the model for the rest)."""
    model: str | None = None
    """The model that rewrites: openai:NAME@URL, or openai:NAME on OpenAI's own server."""
    repairs: int = Field(default=2, ge=0, le=20)
    """How often a failed rewrite goes back to the model with what was wrong with it."""
    batch: bool = False
    """Send requests as batches: up to a day slower, at half the price where the server offers it."""

    @model_validator(mode="after")
    def _refuse_half_named_models(self) -> Self:
        if self.engine is Engine.RULE:
            for name in ("model", "judge"):
                if getattr(self, name) is not None:
                    raise ValueError(f"{name} is for rewrites by a model: add engine llm or auto")
            if self.batch and self.solver is None:
                raise ValueError("batch means nothing where no model is asked")
        elif self.model is None:
            raise ValueError(f"engine {self.engine} needs a model, such as openai:NAME@http://localhost:8000/v1")
        return self

    @property
    def uses_models(self) -> bool:
        """Whether any model is asked."""
        return self.engine is not Engine.RULE or super().uses_models

    def llm_identity(self) -> dict[str, Any]:
        """Those of these options that decide a dataset's bytes: none where no model is asked."""
        if not self.uses_models:
            return {}
        names = {"engine", "model", "judge", "solver", "votes", "temperature", "reply_tokens", "extra_body", "repairs"}
        return self.model_dump(mode="json", include=names)
