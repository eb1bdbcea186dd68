"""A user's own functions by import path."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

from semifactual.errors import ConfigError


def load_function(path: str, what: str) -> Callable[..., Any]:
    """The function that ``module:name`` names; modules in the current folder are found too.

    Raises:
        ConfigError: there is no such module or name, it cannot be called, or importing it fails.
    """
    module_name, _, name = path.partition(":")
    if not module_name or not name:
        raise ConfigError(f"{what} is {path!r}, which is no import path", hint="write it as module:name")
    if (here := os.getcwd()) not in sys.path:
        sys.path.append(here)
    try:
        value: Any = importlib.import_module(module_name)
        for part in name.split("."):
            value = getattr(value, part)
    except Exception as error:
        raise ConfigError(f"{what} {path} cannot be imported: {type(error).__name__}: {error}") from error
    if not callable(value):
        raise ConfigError(f"{what} {path} is a {type(value).__name__}, which cannot be called")
    function: Callable[..., Any] = value
    return function
