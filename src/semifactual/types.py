"""The nouns that every floor shares. The words are those of the glossary: problem, kind, family, rewrite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Family(StrEnum):
    """What part of a prompt a kind of intervention touches. Families are the unit of sealing."""

    SURFACE = "surface"
    WORDING = "wording"
    CONTEXT = "context"
    NOTATION = "notation"
    ENTITY = "entity"
    FORMAT = "format"


class AnswerCheck(StrEnum):
    """What is known of a rewrite's answer. None of these claims a proof: each word says what was done."""

    REDERIVED = "rederived"
    """The reference solution, bound to the quantities found in the rewrite, evaluates to the reference answer."""
    AGREED = "agreed"
    """Independent solver answers agree with the reference answer."""
    UNKNOWN = "unknown"
    """Nothing was established either way."""
    REFUTED = "refuted"
    """The rewrite's own quantities lead to another answer."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A text with a reference answer. `text` holds no instruction: those live in `metadata["prompt_format"]`."""

    id: str
    text: str
    answer: str
    source: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that a rewriter proposes, before any check has seen it. `params` says how it was made (JSON values)."""

    text: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """A rewrite that changes the answer on purpose; `derivation` says how the new answer was obtained."""

    kind: str
    text: str
    answer: str
    derivation: str
