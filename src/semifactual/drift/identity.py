"""All that decides the numbers of a run: two runs of one identity are the same run."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from semifactual.drift.config import PolicyRunConfig
from semifactual.pipeline.variants import VariantSource
from semifactual.policy.local import LocalPolicy

LIBRARIES = ("semifactual", "torch", "transformers")
_LOOKED_AT = 4096
"""Values of each weight that its fingerprint covers: training moves nearly all of them."""


def identity_of(
    config: PolicyRunConfig,
    source: VariantSource,
    policy: LocalPolicy,
    *,
    template: str,
    max_new_tokens: int,
    responses_sha256: str | None,
) -> dict[str, Any]:
    """The identity, in the shape of summary.json.

    Files are known by their content, not by their path. `max_new_tokens` is what is left of the wish of the config
    beside the longest prompt.
    """
    settings = config.model_dump(mode="json", exclude={"source", "model", "responses"})
    if responses_sha256 is not None:
        for name in ("samples", "temperature", "top_p", "max_new_tokens"):
            settings[name] = None
    else:
        settings |= {"samples": config.samples_each, "max_new_tokens": max_new_tokens}
    return {
        "model": {
            **policy.describe(),
            "name": _short_name(policy.name, Path(policy.name).name),
            "weights": weights_fingerprint(policy.model),
        },
        "source": {
            "description": _short_name(config.source, source.description["name"]),
            "sha256": source.sha256,
            "problems": source.count,
            "dataset": source.description.get("dataset"),
        },
        "config": {**settings, "kinds": list(source.kinds), "prompt": template, "responses": responses_sha256},
        "versions": {"python": platform.python_version(), **{library: version(library) for library in LIBRARIES}},
    }


def _short_name(given: str, short: str) -> str:
    """`short` in place of a path, which may be written in many ways; other names as they were given."""
    return short if Path(given).expanduser().exists() else given


def weights_fingerprint(model: torch.nn.Module) -> str:
    """The first 16 hex digits of a SHA-256 over the names, shapes and some values of the weights.

    A folder may hold other weights than yesterday; this takes a moment where hashing them all would take minutes.
    """
    digest = hashlib.sha256()
    for name, parameter in sorted(model.named_parameters()):
        flat = parameter.detach().flatten()
        values = flat[:: max(1, flat.numel() // _LOOKED_AT)].float().cpu().numpy()
        digest.update(f"{name} {tuple(parameter.shape)} {parameter.dtype}\n".encode())
        digest.update(values.tobytes())
    return digest.hexdigest()[:16]
