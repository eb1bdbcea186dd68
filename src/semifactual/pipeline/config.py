"""What a build is asked to do: every option, its default and its meaning, in one place."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError

from semifactual.errors import ConfigError
from semifactual.pipeline.llm_options import OWN_SENTENCE, LlmBuildOptions
from semifactual.pipeline.selection import Selection, family_hint, select
from semifactual.pipeline.workers import default_workers
from semifactual.sources.source import BUILTIN_PREFIX
from semifactual.types import AnswerCheck, Family

Config = TypeVar("Config", bound=BaseModel)


class AnswerBar(StrEnum):
    """The least that must be known of a rewrite's answer before a dataset may hold the rewrite."""

    UNKNOWN = "unknown"
    """Anything but a refuted answer."""
    AGREED = "agreed"
    """Solvers agree, or the answer was rederived."""
    REDERIVED = "rederived"
    """The answer was rederived from the rewrite's own quantities."""

    def admits(self, known: AnswerCheck) -> bool:
        """Whether a rewrite of whose answer this is known clears the bar."""
        order = [AnswerCheck.REFUTED, AnswerCheck.UNKNOWN, AnswerCheck.AGREED, AnswerCheck.REDERIVED]
        return order.index(known) >= order.index(AnswerCheck(self.value))


class BuildConfig(LlmBuildOptions):
    """The options of `semifactual build`.

    Everything decides the bytes of the dataset but `workers` and, of the models, how fast and at what cost they work.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = Field(min_length=1)
    """A problem file, a dataset folder, ``builtin:NAME`` or a Hub id."""
    split: str | None = None
    """The split of a Hub id or dataset folder."""
    config_name: str | None = None
    """The configuration (subset) of a Hub id."""
    problem_field: str | None = None
    """The field that holds the problem; guessed among the usual names where it is not given."""
    answer_field: str | None = None
    """The field that holds the answer; guessed likewise."""
    id_field: str | None = None
    """The field that holds a row's id; ``id`` where rows have one, else ids are made from row numbers."""
    kinds: tuple[str, ...] = ("paraphrase", "typo_noise", "scenario_wrap", "irrelevant_context")
    """The kinds of rewrites to make, in the order in which a row lists them; a list, or names with commas."""
    families: tuple[Family, ...] = ()
    """Families of which every kind is made: with `kinds`, behind those; without, in place of the default ones."""
    seal: tuple[Family, ...] = ()
    """Families kept for evaluation: their rewrites are checked like others, but never drifted under or trained on.

    With `kinds` or `families`, exactly those kinds are made, some of each sealed family among them. Without, the
    default kinds are, and all kinds of the sealed families.
    """
    per_kind: int = Field(default=1, ge=1, le=100)
    """How many different rewrites of each kind a problem gets."""
    seed: int = 0
    """The seed that, with a row's id, the kind and the index, decides every random choice."""
    limit: int | None = Field(default=None, ge=1)
    """Take only the first so many problems."""
    require_all: bool = False
    """Drop a problem that lacks a rewrite of a wanted kind, instead of keeping it without."""
    skip_bad_rows: bool = False
    """Leave out and count rows that cannot be used, instead of refusing to start."""
    counterfactuals: int = Field(default=0, ge=0, le=100)
    """How many answer-changing versions of each problem to add, as a control.

    They need a derivation that can be computed anew: a builtin problem's program, a worked solution with annotated
    steps, or a prompt that sympy solves. Other problems get none.
    """
    answer_check: AnswerBar = AnswerBar.UNKNOWN
    """The least that must be known of a rewrite's answer."""
    license: str = Field(default="unknown", min_length=1)
    """The licence of the source, as the data card states it."""
    workers: int = Field(default_factory=default_workers, ge=1, le=256)
    """How many processes work at once. Not part of the dataset's identity: any number gives the same bytes."""

    @field_validator("kinds", mode="before")
    @classmethod
    def _split_commas(cls, value: Any) -> Any:
        return [kind.strip() for kind in value.split(",") if kind.strip()] if isinstance(value, str) else value

    @field_validator("families", "seal", mode="before")
    @classmethod
    def _are_families(cls, value: Any) -> Any:
        """Names with commas, or a list of such; each once, in the families' own order."""
        given = [value] if isinstance(value, str) else value
        if not isinstance(given, list | tuple) or not all(isinstance(names, str) for names in given):
            return value
        named = {name.strip() for names in given for name in names.split(",") if name.strip()}
        if unknown := sorted(named - set(Family)):
            context = {"name": repr(unknown[0]), "hint": family_hint(unknown[0])}
            raise PydanticCustomError(OWN_SENTENCE, "unknown family {name}", context)
        return tuple(family for family in Family if family in named)

    @model_validator(mode="after")
    def _refuse_impossible_pairs(self) -> Self:
        builtin = self.source.startswith(BUILTIN_PREFIX)
        if not self.kinds:
            raise ValueError("kinds is empty, so there is nothing to build")
        if len(set(self.kinds)) < len(self.kinds):
            raise ValueError(f"kinds names a kind twice: {', '.join(self.kinds)}")
        for name in ("split", "config_name", "problem_field", "answer_field", "id_field"):
            if builtin and getattr(self, name) is not None:
                raise ValueError(f"{name} means nothing for a builtin source")
        fields = [f for f in (self.problem_field, self.answer_field, self.id_field) if f is not None]
        if len(set(fields)) < len(fields):
            raise ValueError("problem_field, answer_field and id_field must name different fields")
        return self

    @cached_property
    def selection(self) -> Selection:
        """The kinds to make, and which of them are sealed.

        Raises:
            RegistryError: a kind is unknown, or a family has none.
            ConfigError: no kind of a sealed family is to be made.
        """
        kinds = self.kinds if "kinds" in self.model_fields_set else None
        return select(kinds, self.families, self.seal, type(self).model_fields["kinds"].default)

    def identity(self) -> dict[str, Any]:
        """The options that decide the dataset's bytes, as JSON values; those of models only where one is asked.

        Families are given by the kinds that they stand for.

        Raises:
            RegistryError: a kind is unknown, or a family has none.
            ConfigError: no kind of a sealed family is to be made.
        """
        own = self.model_dump(mode="json", exclude={"workers", "families", *LlmBuildOptions.model_fields})
        return own | {"kinds": list(self.selection.kinds)} | self.llm_identity()


def load_config(path: Path | None, overrides: Mapping[str, Any]) -> BuildConfig:
    """The config of a YAML file with `overrides` over it; entries of `overrides` that are None do not count.

    Raises:
        ConfigError: the file cannot be read, an option is unknown or out of range, or two options contradict.
    """
    options = _read_options(path) if path is not None else {}
    options.update({name: value for name, value in overrides.items() if value is not None})
    return validated(BuildConfig, options, where=f" (with {path})" if path is not None else "")


def validated(config: type[Config], options: Mapping[str, Any], *, where: str = "") -> Config:
    """The options as an object of the class `config`; `where` goes behind the sentence of an error.

    Raises:
        ConfigError: an option is unknown, missing or out of range, or two options contradict.
    """
    try:
        return config.model_validate(options)
    except ValidationError as error:
        raise ConfigError(f"{_sentence(error)}{where}", hint=_hint(error, list(config.model_fields))) from error


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What changed between two nested mappings, one line a change.

    >>> differences({"seed": 0, "a": {"b": 1}}, {"seed": 7, "a": {"b": 1}})
    ['seed: 0 -> 7']
    """
    old, new = dict(_flatten(before)), dict(_flatten(after))
    changed = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    return [f"{key}: {_show(old.get(key))} -> {_show(new.get(key))}" for key in changed]


def _read_options(path: Path) -> dict[str, Any]:
    try:
        options = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = error.strerror if isinstance(error, OSError) else " ".join(str(error).split())
        raise ConfigError(f"cannot read the config file {path}: {reason}") from error
    if not isinstance(options, dict):
        raise ConfigError(f"the config file {path} is not a mapping of options", hint="write lines such as `seed: 7`")
    return {str(name): value for name, value in options.items()}


def _sentence(error: ValidationError) -> str:
    parts = []
    for detail in error.errors(include_url=False):
        name = ".".join(str(part) for part in detail["loc"])
        if detail["type"] == "extra_forbidden":
            parts.append(f"unknown option {name!r}")
        elif detail["type"] == "missing":
            parts.append(f"the option {name!r} is missing")
        elif detail["type"] == OWN_SENTENCE:
            parts.append(f"{name}: {detail['msg']}")
        elif name:
            parts.append(f"{name}: {detail['msg'][:1].lower()}{detail['msg'][1:]}, not {_show(detail['input'])}")
        else:
            parts.append(str(detail["msg"]).removeprefix("Value error, "))
    return "; ".join(parts)


def _hint(error: ValidationError, options: list[str]) -> str | None:
    for detail in error.errors(include_url=False):
        if detail["type"] == "extra_forbidden":
            near = difflib.get_close_matches(str(detail["loc"][-1]), options, n=1)
            return f"did you mean {near[0]!r}?" if near else f"the options are {', '.join(options)}"
        if detail["type"] == OWN_SENTENCE:
            hint: str | None = detail["ctx"]["hint"]
            return hint
    return None


def _flatten(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _show(value: Any) -> str:
    text = (", ".join(map(str, value)) or "none") if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
