"""What a training run is asked to do: every setting, its default and its meaning, in one place.

Imports without torch, so that a recipe can be read, checked and printed anywhere.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from semifactual.train.recipe_outputs import (
    CheckpointRecipe,
    Count,
    EvalRecipe,
    LogRecipe,
    Positive,
    Section,
    Share,
    split_commas,
)

LAMBDA0 = {"scapo": 0.01, "signed": 2.0}
"""The strength of the credit where a recipe names none: the paper's for its own form, the middle of what worked for
the signed one, whose scale is that of the drift itself."""

_FREE = (
    ("model", "device"),
    ("model", "tokens_per_batch"),
    ("optim", "microbatch_tokens"),
    ("optim", "shared_prompts"),
)
"""Settings that change speed and memory, and numbers by no more than rounding."""


class ModelRecipe(Section):
    """The policy that is trained."""

    name: str = Field(default="builtin:tiny", min_length=1)
    """``builtin:tiny``, a local folder, or a Hub id."""
    revision: str | None = None
    """The revision of a Hub id."""
    dtype: Literal["float32", "bfloat16"] = "float32"
    """Of the weights, and so of gradients and optimiser. Steps of 1e-6 are lost in bfloat16 weights."""
    autocast: Literal["none", "bfloat16"] = "none"
    """In which type products are computed, in rollout, probe and update alike; the loss stays in float32."""
    device: str = "auto"
    """``auto``, ``cpu``, ``cuda`` or ``cuda:0``."""
    attention: str = "auto"
    """The attention kernel, as transformers calls it."""
    chat: Literal["auto", "always", "never"] = "auto"
    """Whether prompts go through the tokenizer's chat template; ``auto`` where there is one."""
    gradient_checkpointing: bool = False
    """Recompute activations in the backward pass: a third more work, far less memory."""
    tokens_per_batch: Count | None = None
    """How many tokens, padding included, generation and scoring hold at once; chosen by device where not given."""
    architecture: dict[str, Any] | None = None
    """The model's config.json in short, for the plan of ``--dry-run`` where the model is not on this machine."""


class DataRecipe(Section):
    """The problems to train on, with their semifactuals."""

    source: str = Field(min_length=1)
    """A built dataset, or any source of problems: semifactuals that it lacks are then made by rules on the fly."""
    split: str | None = None
    """The split of a Hub id or dataset folder."""
    config_name: str | None = None
    """The configuration (subset) of a Hub id."""
    kinds: tuple[str, ...] | None = None
    """The kinds that are probed (and sampled under, by ``rollout.prompts: random_variant``); all where not given.
    Kinds that a validation set has and this list lacks are *sealed*: seen by nothing that trains."""
    limit: Count | None = None
    """Take only the first so many problems."""
    seed: int = 0
    """The seed of a builtin source's problems and of rewrites made on the fly."""
    counterfactuals: Annotated[int, Field(ge=0)] = 0
    """How many answer-changing versions of each problem are made on the fly, for ``credit.source: counterfactual``,
    where its answer can be computed anew. A built dataset brings its own."""
    shuffle: bool = True
    """Take the problems of each pass in an order of its own, decided by ``seed`` of the run."""
    prompt: str = "default"
    """The template around a problem: a name in templates/prompts, or a file with the placeholder {question}."""
    overlong: Literal["refuse", "drop"] = "refuse"
    """What becomes of a problem whose longest prompt, semifactuals included, is over ``rollout.max_prompt_tokens``."""

    @field_validator("kinds", mode="before")
    @classmethod
    def _split_commas(cls, value: Any) -> Any:
        return split_commas(value)


class RolloutRecipe(Section):
    """What is generated before each round of updates."""

    batch: Count = 128
    """Prompts a rollout."""
    samples: Count = 8
    """G, the responses to one prompt: a group."""
    prompts: Literal["original", "random_variant"] = "original"
    """Generate under the original prompt, or each response under one of the K+1 prompts at random, one pooled group."""
    temperature: Positive = 1.0
    """Logits are divided by it, in generation, probe and loss alike."""
    top_p: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0
    """Nucleus sampling. Below 1 the ratio of the loss is that of another distribution than was sampled from."""
    max_prompt_tokens: Count = 1024
    """The longest prompt, over all variants; see ``data.overlong``."""
    max_new_tokens: Count = 1024
    """The longest response; a longer one is cut there, and counts as truncated."""
    dynamic_sampling: bool = False
    """DAPO: leave out groups whose answers are all right or all wrong, and generate on until the batch is full."""
    max_rounds: Count = 8
    """How many batches dynamic sampling may generate for one rollout; then it goes on with the mixed groups it has,
    filled up with uniform ones."""


class RewardRecipe(Section):
    """What a response earns."""

    function: str | None = None
    """Your own reward by import path, ``module:name``: ``reward(problem, response) -> float``. By default 1 where the
    last boxed answer equals the reference answer, else 0."""
    deadline: Positive = 3.0
    """Seconds that the verifier may spend on one answer; what it cannot decide earns 0 and is counted."""
    overlong_buffer: Annotated[int, Field(ge=0)] = 0
    """DAPO's soft overlong penalty: it grows over the last so many tokens before ``rollout.max_new_tokens``."""
    overlong_factor: Positive = 1.0
    """The penalty of a response of the full length."""
    max_failed: Share = 0.05
    """A reward that is not finite, or whose function raises, leaves its response out of group and loss. Where more
    than this share of a rollout fails, the run stops instead."""


class CreditRecipe(Section):
    """Token-level credit from semifactual drift (eq. 6-9, 11)."""

    enabled: bool = True
    """Off: plain GRPO, and no probe."""
    form: Literal["scapo", "signed"] = "scapo"
    """The paper's z-scored credit, or the signed one: -mean_k max(2 tanh((log p0 - log pk)/2), 0)."""
    lambda0: Annotated[float, Field(ge=0.0)] = LAMBDA0["scapo"]
    """The strength before the schedule; 0.01 for scapo and 2 for signed where a recipe names none."""
    steps: Annotated[int, Field(ge=0)] = 120
    """N0: credit acts in optimisation steps 1..N0; after them it is plain GRPO and costs nothing."""
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    """How the strength goes over steps 1..N0: constant as in eq. 11, or falling to zero."""
    sign: Literal["negative", "all", "positive"] = "negative"
    """Which part of the stability u acts: u^- as published, all of it, or only the positive part."""
    source: Literal["semifactual", "shuffle", "counterfactual"] = "semifactual"
    """Controls: the credit shuffled within each response, or drift under prompts that change the answer."""
    drift_floor: Annotated[float, Field(ge=0.0)] | Literal["auto"] = 0.0
    """Drift below it counts as zero, so that an idle kind has no vote; ``auto``: the measured noise floor, and all of a
    kind's drift where its mean is within three times of that."""
    aggregate: Literal["zscore", "magnitude"] = "zscore"
    """Every kind z-scored before the mean, an equal vote (eq. 7); or drift averaged over kinds first."""
    on_uniform_groups: Literal["keep", "drop"] = "keep"
    """Whether groups whose rewards are all equal get credit. They do in the paper, though their advantage is zero."""
    truncated: Literal["exclude", "include"] = "exclude"
    """Whether truncated responses enter the statistics of u and get credit."""
    function: str | None = None
    """Your own credit by import path, ``module:name``; see `semifactual.train.credit`."""

    @model_validator(mode="before")
    @classmethod
    def _default_strength(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("lambda0") is None:
            form = values.get("form", "scapo")
            return {**values, "lambda0": LAMBDA0.get(form, 0.0) if isinstance(form, str) else 0.0}
        return values


class LossRecipe(Section):
    """Group advantages (eq. 2) and the clipped surrogate (eq. 3, 10)."""

    advantage: Literal["grpo", "dr_grpo", "rloo"] = "grpo"
    """(R - mean)/(std + eps), R - mean, or R - mean of the others."""
    ddof: Literal[0, 1] = 1
    """1: the sample's standard deviation, 0: the population's. At G = 8 the scale differs by 6.5 %."""
    eps: Annotated[float, Field(ge=0.0)] = 1e-6
    """Added to the standard deviation."""
    clip_low: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.20
    """The ratio is clipped below at 1 - this."""
    clip_high: Positive = 0.28
    """The ratio is clipped above at 1 + this."""
    dual_clip: Annotated[float, Field(gt=1.0)] | None = 10.0
    """Bounds the loss of tokens with a negative advantage at this ratio; null: no bound."""
    aggregation: Literal["token-mean", "seq-mean", "constant"] = "token-mean"
    """Mean over all tokens of the optimisation step; mean over responses of their token means; or the sum of all
    tokens over (responses x ``constant``)."""
    constant: Count | None = None
    """The divisor of ``aggregation: constant``; ``rollout.max_new_tokens`` where not given."""
    prompt: Literal["original", "sampled"] = "original"
    """Under which prompt the ratio of a response stands, where it was generated under another than the original."""
    mask_truncated: bool = False
    """Leave truncated responses out of the loss. Their rewards still count in their groups."""


class OptimRecipe(Section):
    """AdamW, and how a rollout becomes optimisation steps."""

    lr: Positive = 1e-6
    """The learning rate, constant after the warm-up."""
    warmup: Annotated[int, Field(ge=0)] = 0
    """Optimisation steps over which the learning rate rises to ``lr``."""
    betas: tuple[Share, Share] = (0.9, 0.999)
    """Decay of the first and second moments."""
    eps: Positive = 1e-8
    """Added to the root of the second moment."""
    weight_decay: Annotated[float, Field(ge=0.0)] = 0.01
    """Decoupled weight decay."""
    clip_norm: Positive = 1.0
    """The gradient's norm is clipped at this."""
    minibatch: Count = 64
    """Prompts an optimisation step: ``rollout.batch`` of 128 gives two steps a rollout."""
    microbatch_tokens: Count = 16384
    """Tokens, padding included, in one forward and backward pass. Changes memory and speed, not the gradient."""
    shared_prompts: bool = True
    """Read a prompt once for all responses to it, where the model does that exactly and nothing is recomputed by
    gradient checkpointing. Changes speed, not the gradient."""


class Recipe(Section):
    """A whole run."""

    label: str = ""
    """What a comparison of runs calls this one; the name of its recipe where not given."""
    steps: Count = 600
    """Policy optimisation steps."""
    seed: int = 0
    """Decides every random choice of the run."""
    model: ModelRecipe = ModelRecipe()
    data: DataRecipe
    rollout: RolloutRecipe = RolloutRecipe()
    reward: RewardRecipe = RewardRecipe()
    credit: CreditRecipe = CreditRecipe()
    loss: LossRecipe = LossRecipe()
    optim: OptimRecipe = OptimRecipe()
    eval: EvalRecipe = EvalRecipe()
    checkpoint: CheckpointRecipe = CheckpointRecipe()
    log: LogRecipe = LogRecipe()

    @property
    def steps_per_rollout(self) -> int:
        """Optimisation steps that one rollout serves."""
        return self.rollout.batch // self.optim.minibatch

    @property
    def loss_constant(self) -> int:
        """The divisor of ``loss.aggregation: constant``."""
        return self.loss.constant or self.rollout.max_new_tokens

    def identity(self) -> dict[str, Any]:
        """The settings that decide the numbers of a run, as JSON values: a resumed run must have the same.

        What only says how long it runs, what is measured, kept and written down, and how memory is used, may change.
        """
        free = {"label": True, "steps": True, "eval": True, "checkpoint": True, "log": True}
        dumped = self.model_dump(mode="json", exclude=free)
        for section, name in _FREE:
            del dumped[section][name]
        return dumped
