"""What can be known of a model without its weights: its tokenizer, its size, what it needs of memory."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging as transformers_logging

from semifactual import resources
from semifactual.policy.loading import BUILTIN
from semifactual.train.recipe import ModelRecipe, Recipe

GIB = 2**30


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """A model by its configuration."""

    parameters: int
    layers: int
    width: int
    inner: int
    """The width of a layer's feed-forward part."""
    cache_width: int
    """Keys and values a token and layer: numbers in the cache."""
    vocabulary: int
    context: int | None
    """The longest sequence that it can position."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes that training needs at most, as estimated: what a model is, and what a batch adds."""

    weights: int
    gradients: int
    optimizer: int
    update: int
    """Activations of one micro-batch."""
    generation: int
    """The cache of one batch of generation."""

    @property
    def peak(self) -> int:
        """Update and generation do not happen at the same time."""
        return self.weights + self.gradients + self.optimizer + max(self.update, self.generation)


def load_tokenizer(recipe: ModelRecipe, *, fetch: bool) -> Any | None:
    """The model's tokenizer; None where it is not on this machine and may not be fetched, or cannot be read."""
    try:
        return AutoTokenizer.from_pretrained(_path(recipe), revision=recipe.revision, local_files_only=not fetch)
    except Exception:  # broken files, no network, an unknown class: each another exception; loading will say which
        return None


def model_facts(recipe: ModelRecipe, *, fetch: bool) -> ModelFacts | None:
    """The model by its own configuration, or else by the recipe's; None where there is neither."""
    try:
        config = AutoConfig.from_pretrained(_path(recipe), revision=recipe.revision, local_files_only=not fetch)
    except Exception:  # as above
        if recipe.architecture is None:
            return None
        config = AutoConfig.for_model(**recipe.architecture)
    return facts_of(config)


def facts_of(config: Any) -> ModelFacts:
    """The facts that a configuration holds. Parameters are counted on a model that has shapes and no numbers."""
    with torch.device("meta"), _quiet():
        model: Any = AutoModelForCausalLM.from_config(config)  # type: ignore[no-untyped-call]
    text = config.get_text_config()
    heads = getattr(text, "num_attention_heads", 1)
    width = int(text.hidden_size)
    head_width = getattr(text, "head_dim", None) or width // heads
    return ModelFacts(
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        layers=int(text.num_hidden_layers),
        width=width,
        inner=int(getattr(text, "intermediate_size", None) or 4 * width),
        cache_width=2 * int(getattr(text, "num_key_value_heads", None) or heads) * int(head_width),
        vocabulary=int(text.vocab_size),
        context=getattr(text, "max_position_embeddings", None),
    )


def memory_needed(recipe: Recipe, facts: ModelFacts) -> Memory:
    """An estimate, by what is stored of a token.

    Without gradient checkpointing a layer keeps about 16 numbers a width and 4 an inner width of each token for the
    backward pass; with it, its input alone, and one layer at a time is full.
    """
    stored = 4 if recipe.model.dtype == "float32" else 2
    computed = 2 if "bfloat16" in (recipe.model.dtype, recipe.model.autocast) else 4
    tokens = max(recipe.optim.microbatch_tokens, recipe.rollout.max_prompt_tokens + recipe.rollout.max_new_tokens)
    layer = (16 * facts.width + 4 * facts.inner) * computed
    kept = facts.layers * 2 * facts.width * computed + layer
    update = tokens * (kept if recipe.model.gradient_checkpointing else facts.layers * layer)
    batch = recipe.model.tokens_per_batch or 2**16
    rows = recipe.rollout.batch * recipe.rollout.samples
    cached = min(batch, rows * (recipe.rollout.max_prompt_tokens + recipe.rollout.max_new_tokens))
    return Memory(
        weights=facts.parameters * stored,
        gradients=facts.parameters * stored,
        optimizer=2 * facts.parameters * stored,
        update=update,
        generation=cached * facts.layers * facts.cache_width * computed,
    )


def memory_here() -> tuple[int, str]:
    """Bytes of the memory that training would use on this machine, and its name."""
    if torch.cuda.is_available():
        return torch.cuda.get_device_properties(0).total_memory, torch.cuda.get_device_name(0)
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), "this machine's main memory"


def _path(recipe: ModelRecipe) -> str:
    if recipe.name == BUILTIN:
        return str(resources.tiny_model_path())
    folder = Path(recipe.name).expanduser()
    return str(folder) if folder.is_dir() else recipe.name


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the remarks of transformers on what a configuration lacks."""
    before = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity(logging.ERROR)
    try:
        yield
    finally:
        transformers_logging.set_verbosity(before)
