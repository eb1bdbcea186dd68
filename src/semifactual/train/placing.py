"""Where a run's model and device are, as far as that is seen before anything is loaded."""

from __future__ import annotations

import torch

from semifactual.policy.names import check_words, locate
from semifactual.train.recipe import ModelRecipe


def check_place(recipe: ModelRecipe) -> list[str]:
    """Notices on where the model is to run: a plan may be made on another machine than the one that trains.

    Raises:
        ConfigError: the name leads to no folder, or a word is none of those that there are.
    """
    locate(recipe.name)
    check_words(device=recipe.device, dtype=recipe.dtype, attention=recipe.attention)
    kind, _, number = recipe.device.partition(":")
    here = {
        "cuda": torch.cuda.device_count(),
        "xpu": torch.xpu.device_count(),
        "mps": int(torch.backends.mps.is_available()),
    }
    if int(number or 0) >= here.get(kind, 1):
        return [f"model.device is {recipe.device}, and this machine has no such device."]
    return []
