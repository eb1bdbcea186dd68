"""Checkpoints: all that a run needs to go on as if nothing had happened.

``RUN/checkpoints/step-N/`` holds what N optimisation steps have led to, between two rollouts::

    model.safetensors, config.json, ...   the model and its tokenizer, as `from_pretrained` loads them
    optimizer.safetensors                 AdamW's moments and step counts, by parameter name
    state.json                            step, data cursor, best validation so far, and the settings of the run
    rng.json                              the state of every random generator of every process

A folder of that name is whole: it is written under another name, made durable and then renamed. One that a process
left unfinished is removed by the next.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from semifactual.errors import ConfigError, OutputError
from semifactual.pipeline.output import sync_folder, write_text_durably, writing

FOLDER = "checkpoints"
OPTIMIZER_NAME = "optimizer.safetensors"
STATE_NAME = "state.json"
RNG_NAME = "rng.json"
_MOMENTS = ("exp_avg", "exp_avg_sq", "step")


@dataclass
class State:
    """How far a run has come. lambda depends on `step` alone, so it needs no place of its own."""

    step: int = 0
    """Optimisation steps done."""
    rollout: int = 0
    """Rollouts done."""
    position: int = 0
    """Problems taken from the data's endless order."""
    best_step: int | None = None
    """The step of the best validation."""
    best_value: float | None = None


class Checkpoints:
    """The checkpoints of one run."""

    def __init__(self, run: Path, keep: int) -> None:
        self.folder = run / FOLDER
        self._keep = keep

    def steps(self) -> list[int]:
        """The steps of whole checkpoints, in order."""
        names = [path.name for path in self.folder.glob("step-*")] if self.folder.is_dir() else []
        return sorted(int(found[1]) for name in names if (found := re.fullmatch(r"step-(\d+)", name)))

    def path(self, step: int) -> Path:
        """The folder of the checkpoint of a step."""
        return self.folder / f"step-{step}"

    def save(self, step: int, write: Callable[[Path], None], best_step: int | None) -> None:
        """Write one checkpoint, then remove those that are neither among the last few nor the best.

        Raises:
            OutputError: the disk refuses. What was there before is untouched, and nothing half-written remains.
        """
        target, temporary = self.path(step), self.folder / f".step-{step}.tmp"
        if not target.exists():
            try:
                with writing(target):
                    shutil.rmtree(temporary, ignore_errors=True)
                    temporary.mkdir(parents=True)
                    _written(write, temporary)
                    _sync_files(temporary)
                    os.rename(temporary, target)
                    sync_folder(self.folder)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)
        stay = {*self.steps()[-self._keep :], best_step}
        for old in (old for old in self.steps() if old not in stay):
            self._remove(old)

    def clean(self) -> None:
        """Remove what a process that died has left unfinished."""
        for left in self.folder.glob(".step-*"):
            shutil.rmtree(left, ignore_errors=True)

    def _remove(self, step: int) -> None:
        """Under another name first: a folder named as a checkpoint is always whole."""
        doomed = self.folder / f".step-{step}.old"
        with writing(self.path(step)):
            os.rename(self.path(step), doomed)
        shutil.rmtree(doomed, ignore_errors=True)


def write_checkpoint(
    folder: Path,
    *,
    model: Any,
    tokenizer: Any,
    optimizer: torch.optim.Optimizer,
    state: State,
    rng: list[dict[str, Any]],
    about: Mapping[str, Any],
) -> None:
    """Write all files of a checkpoint into an empty folder."""
    model.save_pretrained(folder, max_shard_size="100TB")  # one file, whatever its size
    tokenizer.save_pretrained(folder)
    save_file(_moments(model, optimizer), folder / OPTIMIZER_NAME)
    write_state(folder, state, about)
    (folder / RNG_NAME).write_text(_json(rng), encoding="utf-8")


def write_state(folder: Path, state: State, about: Mapping[str, Any]) -> None:
    """Write state.json, in place of an older one if there is one.

    Raises:
        OutputError: the disk refuses. The older one is untouched.
    """
    write_text_durably(folder / STATE_NAME, _json({"schema": 1, **asdict(state), **about}))


def read_state(folder: Path) -> tuple[State, dict[str, Any]]:
    """The state in a checkpoint, and the rest of its state.json.

    Raises:
        ConfigError: the folder is no checkpoint of a training run.
    """
    try:
        values = json.loads((folder / STATE_NAME).read_text(encoding="utf-8"))
        state = State(**{name: values.pop(name) for name in State.__dataclass_fields__})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"{folder} is no checkpoint of a training run: it has no {STATE_NAME} that can be read",
            hint="name a folder such as RUN/checkpoints/step-40",
        ) from error
    return state, values


def load_optimizer(folder: Path, model: Any, optimizer: torch.optim.Optimizer) -> None:
    """Give an optimiser the moments that a checkpoint holds.

    Raises:
        ConfigError: the file is damaged, or of another model.
    """
    try:
        tensors = load_file(folder / OPTIMIZER_NAME)
    except (OSError, SafetensorError) as error:
        raise ConfigError(f"cannot read {folder / OPTIMIZER_NAME}: {error}") from error
    for name, parameter in model.named_parameters():
        found = {moment: tensors.pop(f"{name}.{moment}") for moment in _MOMENTS if f"{name}.{moment}" in tensors}
        if 0 < len(found) < len(_MOMENTS):
            raise ConfigError(f"{folder / OPTIMIZER_NAME} lacks a moment of {name}")
        if found:  # a parameter that never had a gradient has no moments
            optimizer.state[parameter] = {
                moment: value if moment == "step" else value.to(parameter.device) for moment, value in found.items()
            }
    if tensors:
        raise ConfigError(f"{folder / OPTIMIZER_NAME} belongs to another model: it knows {min(tensors)}")


def rng_state() -> dict[str, Any]:
    """The state of this process's random generators, as JSON values. The run's own draws need none of them: their
    seeds follow from the step. A reward or credit of the user's may."""
    kind, keys, *rest = np.random.get_state()
    return {
        "python": random.getstate(),
        "numpy": [kind, np.asarray(keys).tolist(), *rest],
        "torch": _hex(torch.get_rng_state()),
        "cuda": [_hex(state) for state in torch.cuda.get_rng_state_all()] if torch.cuda.is_available() else [],
    }


def set_rng_state(state: Mapping[str, Any]) -> None:
    """The inverse of `rng_state`."""
    version, internal, gauss = state["python"]
    random.setstate((version, tuple(internal), gauss))
    kind, keys, *rest = state["numpy"]
    np.random.set_state((kind, np.array(keys, dtype=np.uint32), *rest))
    torch.set_rng_state(_unhex(state["torch"]))
    if state["cuda"] and torch.cuda.device_count() == len(state["cuda"]):
        torch.cuda.set_rng_state_all([_unhex(text) for text in state["cuda"]])


def read_rng(folder: Path, rank: int) -> dict[str, Any] | None:
    """What `rng_state` said in the process of that rank; None where the run had fewer processes."""
    states: list[dict[str, Any]] = json.loads((folder / RNG_NAME).read_text(encoding="utf-8"))
    return states[rank] if rank < len(states) else None


def _moments(model: Any, optimizer: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """AdamW's state by parameter name; a parameter that never had a gradient has none."""
    return {
        f"{name}.{moment}": optimizer.state[parameter][moment].detach().cpu().contiguous()
        for name, parameter in model.named_parameters()
        if parameter in optimizer.state
        for moment in _MOMENTS
    }


def _written(write: Callable[[Path], None], folder: Path) -> None:
    """safetensors has an error of its own for a disk that refuses."""
    try:
        write(folder)
    except SafetensorError as error:
        raise OutputError(f"cannot write {folder.parent}: {error}", hint="free some space") from error


def _sync_files(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
    sync_folder(folder)


def _json(value: Any) -> str:
    return json.dumps(value, indent=1) + "\n"


def _hex(state: torch.Tensor) -> str:
    return bytes(state.cpu().numpy()).hex()


def _unhex(text: str) -> torch.Tensor:
    return torch.frombuffer(bytearray.fromhex(text), dtype=torch.uint8)
