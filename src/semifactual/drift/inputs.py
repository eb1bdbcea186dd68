"""All of a run but its model, opened and looked at without importing torch: what is wrong there is told at once."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from semifactual.drift.begun import Begun
from semifactual.drift.config import DriftConfig, PolicyRunConfig
from semifactual.drift.responses import GivenResponses, read_responses
from semifactual.pipeline.variants import VariantSource, open_variants
from semifactual.policy.names import BUILTIN, check_words, locate
from semifactual.text.prompt_templates import load_prompt_template

TINY_SOURCE, TINY_OPTIONS = "builtin:word_problems", frozenset({"steps=1..2", "max=20"})
"""What the embedded model was trained on."""
LIBRARIES = ("semifactual", "torch", "transformers")


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a run reads, and what its folder holds already."""

    begun: Begun
    template: str
    """The prompt around a problem, with ``{question}``."""
    source: VariantSource
    given: GivenResponses | None
    """Responses to score instead of generated ones."""
    identity: dict[str, Any]
    """What decides the numbers, as far as it is known without the model."""
    advice: tuple[str, ...] = ()
    """What a user should hear of the model beside this source."""

    @property
    def notices(self) -> tuple[str, ...]:
        """What a user should hear before the work."""
        of_responses = () if self.given is None else (self.given.notice,)
        return (*self.source.notices, *of_responses, *self.advice)


def open_inputs(config: PolicyRunConfig, out: Path, command: str, *, model_is_loaded: bool = False) -> Inputs:
    """Open what `config` names, the cheap things first, and compare it with the run in the folder `out`.

    Raises:
        OutputError: the folder holds something else, or a run with other settings.
        SourceError, ConfigError, RegistryError: something cannot be used.
    """
    begun = Begun.look(out, command)
    if not model_is_loaded:
        check_words(device=config.device, dtype=config.dtype, attention=config.attention)
        locate(config.model)
    template = load_prompt_template(config.prompt)
    responses = config.responses if isinstance(config, DriftConfig) else None
    given = None if responses is None else read_responses(responses, skip_bad_rows=config.skip_bad_rows)
    source = open_problems_of(config)
    identity = {"command": command, **_identity(config, source, template, given)}
    if model_is_loaded:
        del identity["model"]
    begun.refuse(_with_allowed_tokens(identity, begun))
    return Inputs(begun, template, source, given, identity, tuple(_advice(config)))


def open_problems_of(config: PolicyRunConfig) -> VariantSource:
    """The problems that a config names, with their rewrites."""
    return open_variants(
        config.source,
        kinds=config.kinds,
        limit=config.limit,
        seed=config.seed,
        split=config.split,
        config_name=config.config_name,
        skip_bad_rows=config.skip_bad_rows,
        problem_field=config.problem_field,
        answer_field=config.answer_field,
        id_field=config.id_field,
    )


def _identity(
    config: PolicyRunConfig, source: VariantSource, template: str, given: GivenResponses | None
) -> dict[str, Any]:
    """Files are known by their content, not by their path."""
    settings = config.model_dump(mode="json", exclude={"source", "model"})
    settings |= {"samples": config.samples_each, "kinds": list(source.kinds), "prompt": template}
    if given is not None:
        settings |= dict.fromkeys(("samples", "temperature", "top_p", "max_new_tokens"))
        settings["responses"] = given.sha256
    return {
        "model": {"name": short_name(config.model, Path(config.model).name)},
        "source": {
            "description": short_name(config.source, source.description["name"]),
            "sha256": source.sha256,
            "problems": source.count,
            "dataset": source.description.get("dataset"),
        },
        "config": settings,
        "versions": {"python": platform.python_version(), **{library: version(library) for library in LIBRARIES}},
    }


def _advice(config: PolicyRunConfig) -> Iterator[str]:
    """The tiny model is easily judged by problems that it never learned."""
    name, _, options = config.source.partition("?")
    if config.model == BUILTIN and name == TINY_SOURCE and not set(options.split("&")) >= TINY_OPTIONS:
        easy = "&".join(sorted(TINY_OPTIONS, reverse=True))
        yield f"{BUILTIN} was trained on {TINY_SOURCE}?{easy}; it gets few harder problems right."


def _with_allowed_tokens(identity: dict[str, Any], begun: Begun) -> dict[str, Any]:
    """A run keeps the longest response that its model could give; only the model says whether more was asked for."""
    settings = dict(identity["config"])
    kept = ((begun.before or {}).get("config") or {}).get("max_new_tokens")
    if kept is not None and settings["max_new_tokens"] is not None:
        settings["max_new_tokens"] = min(kept, settings["max_new_tokens"])
    return {**identity, "config": settings}


def short_name(given: str, short: str) -> str:
    """`short` in place of a path, which may be written in many ways; other names as they were given."""
    return short if Path(given).expanduser().exists() else given
