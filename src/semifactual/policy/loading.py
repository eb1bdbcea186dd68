"""Opening a policy by name: the embedded tiny model, a local folder or a Hub id."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from logging import CRITICAL
from pathlib import Path
from textwrap import shorten
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING
from transformers.utils import logging

from semifactual.errors import ConfigError
from semifactual.policy import names
from semifactual.policy.batching import is_out_of_memory
from semifactual.policy.local import LocalPolicy
from semifactual.policy.prompts import Chat

BUILTIN = names.BUILTIN


def open_policy(
    name: str,
    *,
    device: str = "auto",
    dtype: str = "auto",
    attention: str = "auto",
    chat: Chat = "auto",
    tokens_per_batch: int | None = None,
    revision: str | None = None,
    trust_remote_code: bool = False,
) -> LocalPolicy:
    """Load a causal language model and its tokenizer, ready to generate and score.

    Args:
        name: ``builtin:tiny``, a local folder, or a Hub id; only for the last may anything be downloaded.
        device: ``auto`` takes a CUDA GPU where there is one, and the CPU otherwise.
        dtype: ``auto`` takes bfloat16 on a GPU that knows it, float32 otherwise.
        attention: ``auto`` takes PyTorch's fused attention where the architecture has it, the plain one otherwise.
        chat: whether prompts are set into the tokenizer's chat template.
        tokens_per_batch: how many tokens are worked on at once; chosen by the memory at hand when None.
        revision: a branch, tag or commit of a Hub id.
        trust_remote_code: run code that comes with the model. Never the default.

    Raises:
        ConfigError: the name leads to nothing, to no causal language model or to broken files, an option is none of
            those listed, or the model does not fit into memory.
    """
    names.check_words(device=device, dtype=dtype, attention=attention)
    path, local = names.locate(name)
    where = _device(device)
    kind = _dtype(dtype, where)
    options: dict[str, Any] = {"local_files_only": local, "trust_remote_code": trust_remote_code}
    if revision is not None:
        options["revision"] = revision
    with _silence():
        config = _config(name, path, options)
        _check_memory(name, config, kind, where, trust_remote_code)
        tokenizer = _tokenizer(name, path, options)
        model = _model(name, path, config, kind, where, None if attention == "auto" else attention, options)
        _check_vocabulary(name, model, tokenizer)
        policy = LocalPolicy(model, tokenizer, name=name, chat=chat, tokens_per_batch=tokens_per_batch)
        _ = policy.capabilities  # tried here, so that a model which cannot be used is refused before any work
    return policy


@contextmanager
def _silence() -> Iterator[None]:
    """Without the reports and bars of transformers: what matters in them becomes an error of ours."""
    reports: Any = logging  # half of its functions are not annotated
    verbosity, bars = reports.get_verbosity(), reports.is_progress_bar_enabled()
    reports.set_verbosity(CRITICAL)
    reports.disable_progress_bar()
    try:
        yield
    finally:
        reports.set_verbosity(verbosity)
        if bars:
            reports.enable_progress_bar()


def _device(name: str) -> torch.device:
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.empty(1, dtype=torch.float64, device=device)  # tokens are drawn in it, and some devices lack it
    except Exception as error:  # torch raises another class for every way in which a device may be missing
        raise ConfigError(
            f"the device {name!r} cannot be used here: {_first_line(error)}",
            hint="take auto, which finds what there is, or cpu",
        ) from error
    return device


def _dtype(name: str, device: torch.device) -> torch.dtype:
    if name != "auto":
        dtype: torch.dtype = getattr(torch, name)
        return dtype
    return torch.bfloat16 if device.type == "cuda" and torch.cuda.is_bf16_supported() else torch.float32


def _config(name: str, path: str, options: dict[str, Any]) -> Any:
    try:
        config = AutoConfig.from_pretrained(path, **options)
    except Exception as error:  # broken JSON, a missing file, an unknown architecture, no network: each another class
        raise _unreadable(name, "its configuration", error, options) from error
    remote = options["trust_remote_code"] and "AutoModelForCausalLM" in (getattr(config, "auto_map", None) or {})
    if type(config) not in MODEL_FOR_CAUSAL_LM_MAPPING and not remote:
        made_for = ", ".join(config.architectures or []) or config.model_type
        raise ConfigError(
            f"{name} is no causal language model: it is made for {made_for}",
            hint="take a model that predicts the next token",
        )
    return config


def _tokenizer(name: str, path: str, options: dict[str, Any]) -> Any:
    try:
        tokenizer = AutoTokenizer.from_pretrained(path, **options)
    except Exception as error:  # as above
        raise _unreadable(name, "its tokenizer", error, options) from error
    # Where the files are missing, transformers makes a tokenizer of the right class that knows no words.
    if set(tokenizer.get_vocab().values()) <= set(tokenizer.all_special_ids):
        raise ConfigError(f"{name} has no tokenizer", hint="save the model's tokenizer into the same folder")
    return tokenizer


def _model(
    name: str,
    path: str,
    config: Any,
    dtype: torch.dtype,
    device: torch.device,
    attention: str | None,
    options: dict[str, Any],
) -> Any:
    try:
        # Annotated, since its stub does not know of `output_loading_info`.
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            path,
            config=config,
            dtype=dtype,
            attn_implementation=attention,
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # they are listed beside the missing ones, and both are an error below
            **options,
        )
        model, found = loaded
        missing = sorted([*found["missing_keys"], *(key for key, *_ in found["mismatched_keys"])])
        if missing:
            raise ConfigError(
                f"the files of {name} lack {len(missing)} weights of a {type(model).__name__}, or have them in another"
                f" shape: {missing[0]}, for one",
                hint="take the folder of a whole causal language model, as save_pretrained writes it",
            )
        return model.to(device).eval().requires_grad_(False)
    except ConfigError:
        raise
    except Exception as error:  # as above
        if is_out_of_memory(error):
            raise _too_large(name, device, "") from error
        if attention is not None and "attention" in str(error).lower():
            raise ConfigError(
                f"the attention {attention!r} cannot be used with {name}: {_first_line(error)}", hint="take auto"
            ) from error
        raise _unreadable(name, "its weights", error, options) from error


def _unreadable(name: str, part: str, error: Exception, options: dict[str, Any]) -> ConfigError:
    reason = f"{part} cannot be read ({_first_line(error)})"
    if options["local_files_only"]:
        hint = "it must hold what save_pretrained writes: config.json, the weights and the tokenizer"
        return ConfigError(f"the folder {name} cannot be used: {reason}", hint=hint)
    hint = "check the id and the network, or give a local folder"
    return ConfigError(f"there is no folder {name} here, and as a Hub id it cannot be used: {reason}", hint=hint)


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return shorten(lines[0], 160, placeholder=" ...").rstrip(".:")


def _check_memory(name: str, config: Any, dtype: torch.dtype, device: torch.device, trust: bool) -> None:
    """Refuse before the weights are read: a machine that runs out of memory kills the process without a word."""
    free = _free_bytes(device)
    if free is None:
        return
    with torch.device("meta"):
        build: Any = AutoModelForCausalLM.from_config
        empty = build(config, dtype=dtype, trust_remote_code=trust)
    needed = sum(parameter.numel() * parameter.element_size() for parameter in empty.parameters())
    if needed > free:
        raise _too_large(name, device, f": its weights take {needed / 2**30:.1f} GiB and {free / 2**30:.1f} are free")


def _free_bytes(device: torch.device) -> int | None:
    """Free memory of a device, as far as the system says."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    available = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    return available[0] if available else None


def _too_large(name: str, device: torch.device, detail: str) -> ConfigError:
    return ConfigError(
        f"{name} does not fit into the memory of {device}{detail}",
        hint="take a smaller model, or --dtype bfloat16, which halves it",
    )


def _check_vocabulary(name: str, model: Any, tokenizer: Any) -> None:
    rows = model.get_input_embeddings().weight.shape[0]
    if len(tokenizer) > rows:
        raise ConfigError(
            f"the tokenizer of {name} knows {len(tokenizer):,} tokens and its model only {rows:,},"
            " so they do not belong together",
            hint="take the tokenizer that the model was trained with",
        )
