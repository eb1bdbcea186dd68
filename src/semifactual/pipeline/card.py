"""The data card of a built dataset, rendered from its manifest, a few of its rows, and what a person wrote into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import yaml

from semifactual.interventions.registry import Intervention, interventions
from semifactual.pipeline.card_command import build_command
from semifactual.pipeline.card_examples import Example
from semifactual.pipeline.card_notes import NOTES_BEGIN, NOTES_END, PLACEHOLDER
from semifactual.pipeline.card_text import code_span, fenced, number, prose, share
from semifactual.resources import template_lines, template_text

CARD_TEMPLATE = "card.md.jinja"
LICENCES = "licences.txt"
_BOUNDS = ("1K", "10K", "100K", "1M", "10M", "100M", "1B", "10B", "100B", "1T")
"""Where the Hub's size categories end, from a thousand on, each ten times the one before."""
_FILTERS = {"code": code_span, "fenced": fenced, "prose": prose, "number": number, "share": share}


def render_card(manifest: Mapping[str, Any], examples: Sequence[Example] = (), notes: str = PLACEHOLDER) -> str:
    """The Markdown of the card; `notes` is what stands between the two markers.

    Texts from outside (source, licence, problems) appear only as YAML values, in code spans and in fenced blocks.
    """
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters.update(_FILTERS)
    ours = version("semifactual")
    kinds = [_described(kind, counts) for kind, counts in manifest["counts"]["kinds"].items()]
    return environment.from_string(template_text(CARD_TEMPLATE)).render(
        front_matter=yaml.safe_dump(front_matter(manifest), sort_keys=False, allow_unicode=True),
        manifest=manifest,
        common=_taken_out(kinds),
        kinds=kinds,
        sealed=[kind["name"] for kind in kinds if kind["counts"].get("sealed")],
        examples=examples,
        notes_begin=NOTES_BEGIN,
        notes=notes.strip("\n"),
        notes_end=NOTES_END,
        command=build_command(manifest["config"], manifest["source"]["spec"]),
        versions=", ".join(f"{name} {number}" for name, number in manifest.get("versions", {}).items()),
        version=ours,
        other_version=manifest["semifactual"] != ours,
    )


def front_matter(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What the Hub reads: licence, language, task, size, and where the rows are."""
    return {
        **licence(manifest["config"]["license"]),
        "language": ["en"],
        "task_categories": ["text-generation"],
        "tags": ["mathematics", "reasoning", "robustness", "semifactual"],
        "size_categories": [size_category(manifest["counts"]["rows"])],
        "configs": [
            {"config_name": "default", "data_files": [{"split": "train", "path": "data/train-*.parquet"}]},
        ],
    }


def licence(stated: str) -> dict[str, str]:
    """The licence as the Hub wants it: one of its own names, or ``other`` and what was stated.

    >>> licence("MIT"), licence("free for research")
    ({'license': 'mit'}, {'license': 'other', 'license_name': 'free for research'})
    """
    name = stated.strip().lower()
    if name in template_lines(LICENCES):
        return {"license": name}
    return {"license": "other", "license_name": stated}


def size_category(rows: int) -> str:
    """The Hub's name for a number of rows.

    >>> size_category(999), size_category(7473), size_category(10**8), size_category(10**12)
    ('n<1K', '1K<n<10K', '100M<n<1B', 'n>1T')
    """
    place = sum(rows >= 10 ** (3 + step) for step in range(len(_BOUNDS)))
    if place == 0:
        return f"n<{_BOUNDS[0]}"
    return f"n>{_BOUNDS[-1]}" if place == len(_BOUNDS) else f"{_BOUNDS[place - 1]}<n<{_BOUNDS[place]}"


def _described(kind: str, counts: Mapping[str, Any]) -> dict[str, Any]:
    """What the card says of one kind: what it promises, if it is known here, and how its rewrites fared."""
    failed: Mapping[str, int] = counts.get("failed_checks", {})
    known = interventions().get(kind)
    summaries = {} if known is None else {check.name: check.summary for check in known.contract.checks}
    names = [*summaries, *(name for name in failed if name not in summaries)]
    about = {"summary": ""} if known is None else _promises(known)
    checks = [{"name": name, "summary": summaries.get(name, ""), "failed": failed.get(name, 0)} for name in names]
    return {"name": kind, "counts": {"answer_checks": {}, **counts}, "checks": checks, **about}


def _promises(kind: Intervention) -> dict[str, str]:
    contract = kind.contract
    frozen = ", ".join(sorted(contract.frozen)) or "nothing"
    if len(contract.free) < len(contract.frozen):
        others = sorted(contract.free | contract.guarded)
        frozen = f"everything but {', '.join(others)}" if others else "the whole text"
    guarded = ", ".join(sorted(contract.guarded))
    return {"family": kind.family.value, "summary": kind.summary, "frozen": frozen, "guarded": guarded}


def _taken_out(kinds: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The checks that all of several kinds share, with what they refused in all; they go from each kind's own."""
    if len(kinds) < 2:
        return []
    shared = set.intersection(*({(check["name"], check["summary"]) for check in kind["checks"]} for kind in kinds))
    common: dict[str, dict[str, Any]] = {}
    for kind in kinds:
        for check in (check for check in kind["checks"] if (check["name"], check["summary"]) in shared):
            common.setdefault(check["name"], {**check, "failed": 0})["failed"] += check["failed"]
        kind["checks"] = [check for check in kind["checks"] if (check["name"], check["summary"]) not in shared]
    return list(common.values())
