"""Read access to the texts in templates/, their hashes, and the embedded model, wherever the package is installed."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml


@cache
def template_text(name: str) -> str:
    """The text of one template, by its path below templates/, e.g. ``"frames.txt"``."""
    return files("semifactual.templates").joinpath(name).read_text(encoding="utf-8")


@cache
def template_lines(name: str) -> tuple[str, ...]:
    """The lines of one template, without blank lines and without comments (a ``#`` in the first column)."""
    lines = (line.rstrip() for line in template_text(name).splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


@cache
def template_yaml(name: str) -> Any:
    """One YAML template, parsed with the safe loader. Treat the value as read-only: it is shared."""
    return yaml.load(template_text(name), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@cache
def template_names(folder: str) -> tuple[str, ...]:
    """The names of the templates in one folder of templates/, in alphabetical order."""
    inside = files("semifactual.templates").joinpath(folder).iterdir()
    return tuple(sorted(f"{folder}/{file.name}" for file in inside if file.is_file()))


@cache
def template_sha256(name: str) -> str:
    """The first 16 hex digits of the template's SHA-256, as rows and manifests record it."""
    return hashlib.sha256(template_text(name).encode()).hexdigest()[:16]


def tiny_model_path() -> Path:
    """The folder of the embedded tiny model, which transformers' `from_pretrained` loads."""
    # By this file and not by the package's name: an import of `semifactual` may find a folder of that name first.
    return Path(__file__).resolve().parent / "policy" / "tiny"
