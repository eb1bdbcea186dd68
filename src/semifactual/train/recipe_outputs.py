"""The parts of a recipe that change no number of the training: validation, checkpoints, what is written down."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Positive = Annotated[float, Field(gt=0.0)]
Count = Annotated[int, Field(ge=1)]


class Section(BaseModel):
    """A part of a recipe: nothing unknown is let in, nothing changes afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def split_commas(value: Any) -> Any:
    """A list given as one text with commas, as ``--set`` gives it.

    >>> split_commas("paraphrase, typo_noise")
    ['paraphrase', 'typo_noise']
    """
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


class EvalSet(Section):
    """One named validation set. Nothing here depends on G."""

    source: str = Field(min_length=1)
    """As ``data.source``."""
    split: str | None = None
    """As ``data.split``."""
    config_name: str | None = None
    """As ``data.config_name``."""
    kinds: tuple[str, ...] | None = None
    """The kinds whose accuracy is measured; all that the set has where not given."""
    limit: Count | None = None
    """Take only the first so many problems."""
    seed: int = 1
    """The seed of a builtin source's problems and of rewrites made on the fly; another than training's."""
    unseen: bool = True
    """Leave out problems whose text is among those trained on, and say how many."""
    samples: Count = 1
    """Responses a prompt."""
    temperature: Annotated[float, Field(ge=0.0)] = 0.7
    """0 takes the most probable token each time."""
    top_p: Annotated[float, Field(gt=0.0, le=1.0)] = 0.9
    """Nucleus sampling."""
    max_new_tokens: Count | None = None
    """The longest response; that of the rollout where not given."""
    pass_at: tuple[Count, ...] = (1,)
    """The k of pass@k, by the unbiased estimator; each at most ``samples``."""

    @field_validator("kinds", mode="before")
    @classmethod
    def _split_commas(cls, value: Any) -> Any:
        return split_commas(value)

    @model_validator(mode="after")
    def _enough_samples(self) -> Self:
        if max(self.pass_at, default=1) > self.samples:
            raise ValueError(f"pass_at asks for {max(self.pass_at)} samples, and samples is {self.samples}")
        return self


class EvalRecipe(Section):
    """Validation."""

    every: Annotated[int, Field(ge=0)] = 40
    """Validate each time so many optimisation steps are done, and at the end; 0: never."""
    at_start: bool = True
    """Validate once before training too."""
    sets: dict[str, EvalSet] = Field(default_factory=dict)
    """The sets by name."""


class CheckpointRecipe(Section):
    """What is kept on disk, and when."""

    every: Annotated[int, Field(ge=0)] = 40
    """Save each time so many optimisation steps are done, and at the end; 0: only at the end. Checkpoints stand between
    rollouts, so a multiple of the steps a rollout."""
    keep: Count = 2
    """How many of the last checkpoints stay."""
    best: str | None = None
    """Keep the best as well, by this key of eval.jsonl, e.g. ``validation/accuracy``."""


class LogRecipe(Section):
    """What is written down beside the metrics."""

    completions_every: Annotated[int, Field(ge=0)] = 20
    """Write a table of completions each time so many optimisation steps are done, and for the first; 0: never."""
    completions: Count = 4
    """How many groups a table of completions holds."""
