"""The words that name a model and how it is loaded, checked without importing torch: a slip is told at once."""

from __future__ import annotations

import re
from pathlib import Path

from semifactual import resources
from semifactual.errors import ConfigError

BUILTIN = "builtin:tiny"
DTYPES = ("auto", "float32", "bfloat16", "float16")
ATTENTIONS = ("auto", "sdpa", "eager", "flash_attention_2")
_DEVICE = re.compile(r"(?:cuda|mps|xpu)(?::\d+)?|auto|cpu")


def check_words(*, device: str, dtype: str, attention: str) -> None:
    """Check that each is one of the words that there are; whether this machine has the device is seen later.

    Raises:
        ConfigError: one is not.
    """
    if _DEVICE.fullmatch(device) is None:
        raise ConfigError(
            f"there is no device {device!r}", hint="take auto, cpu, cuda for a GPU of NVIDIA or AMD, or mps for Apple's"
        )
    if dtype not in DTYPES:
        raise ConfigError(f"there is no dtype {dtype!r}", hint=f"it can be {', '.join(DTYPES)}")
    if attention not in ATTENTIONS:
        raise ConfigError(f"there is no attention {attention!r}", hint=f"it can be {', '.join(ATTENTIONS)}")


def locate(name: str) -> tuple[str, bool]:
    """What from_pretrained is to be given for a model's name, and whether it must stay on this machine.

    Raises:
        ConfigError: the name is that of no builtin model, or of a path that leads to no folder.
    """
    if name == BUILTIN:
        return str(resources.tiny_model_path()), True
    scheme = name.partition(":")[0]
    if scheme == "openai":
        raise ConfigError(
            "a model behind a server (openai:NAME@BASE_URL) is not supported yet here",
            hint="give builtin:tiny, a local folder or a Hub id",
        )
    if scheme == "builtin":
        raise ConfigError(f"there is no builtin model {name!r}", hint=f"there is one: {BUILTIN}")
    if not name.strip():
        raise ConfigError("the name of the model is empty", hint="give builtin:tiny, a local folder or a Hub id")
    folder = Path(name).expanduser()
    if folder.is_dir():
        return str(folder), True
    if folder.is_file():
        raise ConfigError(f"{name} is a file, and a model is a folder", hint="give the folder that holds config.json")
    if _looks_like_a_path(name):
        raise ConfigError(f"there is no folder {name}", hint="a model is a local folder, a Hub id or builtin:tiny")
    return name, False


def _looks_like_a_path(name: str) -> bool:
    """A Hub id is NAME or OWNER/NAME; everything else, and what starts in a folder that exists, was meant as a path."""
    first, _, rest = name.partition("/")
    marked = name.startswith(("/", ".", "~")) or "\\" in name or name.endswith("/")
    return marked or "/" in rest or (bool(rest) and Path(first).is_dir())
