"""Rewards by import path, for tests."""

from __future__ import annotations

import math
from typing import Any

BROKEN = False
"""Set by a test that wants the vowels to fail from some moment on."""

_seen: set[str] = set()


def vowels(problem: Any, response: str) -> float:
    """A reward that a random model earns now and then."""
    if BROKEN:
        raise RuntimeError("the judge is out")
    return float(sum(response.lower().count(vowel) for vowel in "aeiou") > 0)


def nan_for_short(problem: Any, response: str) -> float:
    """Not a number for about one response in a few."""
    return math.nan if len(response) % 3 == 0 else vowels(problem, response)


def raising_for_short(problem: Any, response: str) -> float:
    """Raises for about one response in a few."""
    if len(response) % 3 == 0:
        raise RuntimeError("no such answer")
    return vowels(problem, response)


def equal(problem: Any, response: str) -> float:
    """Everything is right."""
    return 1.0


def only_once(problem: Any, response: str) -> float:
    """A reward for the first response to a problem alone."""
    if problem.id in _seen:
        return math.nan
    _seen.add(problem.id)
    return 1.0
