"""Polite requests, made of the patterns that turn a question into "Find ..."."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from semifactual.interventions.phrasing.patterns import QUESTIONS, Pattern, Rewording, patterns
from semifactual.interventions.phrasing.phrases import Template
from semifactual.interventions.phrasing.scene import Scene

REQUESTS = ("Please determine ", "Kindly determine ")
"""Fit whatever is asked."""
THING_REQUESTS = ("Please find ", "Kindly find ")
"""Fit what is named by a noun alone: find the number, but hardly find how many."""

_FIND = "Find "
_INDIRECT = ("how", "what", "which", "in how", "by how")
_ASKING = frozenset({"how", "what", "in", "for", "by", "which"})
"""The words with which the phrases of questions begin; others are requests already."""


def request_rewordings(scene: Scene) -> Iterator[Rewording]:
    """Every way to turn a question of the text into a polite request."""
    for pattern in _requests():
        if pattern.needs <= scene.words:
            yield from pattern.rewordings(scene)


@cache
def _requests() -> tuple[Pattern, ...]:
    asking = (pattern for pattern in patterns(QUESTIONS) if pattern.first_word in _ASKING)
    polite = ((pattern, _polite(pattern.replacements)) for pattern in asking)
    return tuple(replace(pattern, id=f"request:{pattern.id}", replacements=made) for pattern, made in polite if made)


def _polite(replacements: Sequence[Template]) -> tuple[Template, ...]:
    """The replacements that begin with "Find", with each polite request that fits in its place."""
    found: list[Template] = []
    for opening, *rest in replacements:
        if isinstance(opening, str) and opening.startswith(_FIND):
            asked = opening.removeprefix(_FIND)
            fitting = REQUESTS if asked.startswith(_INDIRECT) else REQUESTS + THING_REQUESTS
            found += ((request + asked, *rest) for request in fitting)
    return tuple(found)
