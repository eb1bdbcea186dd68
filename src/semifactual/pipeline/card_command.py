"""The command that builds a dataset again, from the options on record in its manifest."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from semifactual.pipeline.config import BuildConfig

WIDTH = 100
"""Where the command is longer than this many characters, each option gets a line of its own."""


def build_command(options: Mapping[str, Any], source: str) -> str:
    """The call of `semifactual build`, with every option that is not the default.

    >>> build_command({"seed": 7, "require_all": True, "limit": None}, "builtin:algebra?n=5")
    "semifactual build 'builtin:algebra?n=5' --out DIR --seed 7 --require-all"
    """
    words = [f"semifactual build {shlex.quote(source)}", "--out DIR", *_options(options)]
    line = " ".join(words)
    return line if len(line) <= WIDTH else " \\\n  ".join(words)


def _options(options: Mapping[str, Any]) -> Iterator[str]:
    defaults = BuildConfig(source="-").model_dump(mode="json")
    for name, value in options.items():
        if name == "source" or value is None or value == defaults.get(name):
            continue
        flag = "--" + name.replace("_", "-")
        if value is True:
            yield flag
        elif value is not False:
            text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
            yield f"{flag} {shlex.quote(text)}"
