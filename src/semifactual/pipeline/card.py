"""The data card of a built dataset, rendered from its manifest alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from semifactual.resources import template_text

CARD_TEMPLATE = "card.md.jinja"
_SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"))


def render_card(manifest: Mapping[str, Any]) -> str:
    """The Markdown of the card. Texts from outside (source, licence) appear only as YAML values and code spans."""
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters["code"] = code_span
    return environment.from_string(template_text(CARD_TEMPLATE)).render(
        front_matter=yaml.safe_dump(front_matter(manifest), sort_keys=False, allow_unicode=True), manifest=manifest
    )


def front_matter(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What the Hub reads: licence, language, task, size, and where the rows are."""
    return {
        "license": manifest["config"]["license"],
        "language": ["en"],
        "task_categories": ["text-generation"],
        "tags": ["mathematics", "reasoning", "robustness", "semifactual"],
        "size_categories": [size_category(manifest["counts"]["rows"])],
        "configs": [
            {"config_name": "default", "data_files": [{"split": "train", "path": "data/train-*.parquet"}]},
        ],
    }


def size_category(rows: int) -> str:
    """The Hub's name for a number of rows.

    >>> size_category(999), size_category(7473), size_category(10**8)
    ('n<1K', '1K<n<10K', 'n>10M')
    """
    return next((name for bound, name in _SIZES if rows < bound), "n>10M")


def code_span(text: object) -> str:
    """Any text as one inline code span, whatever it contains.

    >>> code_span("a|b`c")
    '`a/b c`'
    """
    flat = " ".join(str(text).replace("`", " ").replace("|", "/").split())
    return f"`{flat}`"
