"""All that decides the numbers of a run: two runs of one identity are the same run."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import torch

from semifactual.drift.inputs import Inputs, short_name
from semifactual.policy.local import LocalPolicy

_LOOKED_AT = 4096
"""Values of each weight that its fingerprint covers: training moves nearly all of them."""


def identity_of(inputs: Inputs, policy: LocalPolicy, *, max_new_tokens: int) -> dict[str, Any]:
    """The identity, in the shape of summary.json.

    `max_new_tokens` is what is left of the wish of the config beside the longest prompt.
    """
    settings = inputs.identity["config"]
    if inputs.given is None:
        settings = {**settings, "max_new_tokens": max_new_tokens}
    model = {
        **policy.describe(),
        "name": short_name(policy.name, Path(policy.name).name),
        "weights": weights_fingerprint(policy.model),
    }
    known = inputs.identity
    return {
        "command": known["command"],
        "model": model,
        "source": known["source"],
        "config": settings,
        "versions": known["versions"],
    }


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
