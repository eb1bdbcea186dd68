"""A run that is open: everything that the loop works with, from a checked recipe and a folder."""

from __future__ import annotations

import fcntl
import hashlib
import json
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml

from semifactual import __version__
from semifactual.errors import OutputError
from semifactual.pipeline.config import differences
from semifactual.pipeline.output import writing
from semifactual.pipeline.variants import VariantProblem
from semifactual.policy.loading import open_policy
from semifactual.policy.local import LocalPolicy
from semifactual.text.prompt_templates import load_prompt_template, render_prompt
from semifactual.train.checkpoint import (
    Checkpoints,
    State,
    load_optimizer,
    read_rng,
    read_state,
    rng_state,
    set_rng_state,
)
from semifactual.train.data import TrainingData
from semifactual.train.distributed import Ranks
from semifactual.train.interrupts import Interrupts, heeding_interrupts
from semifactual.train.preflight import Inspection
from semifactual.train.reading import Reader, silence_dropout
from semifactual.train.recipe import Recipe
from semifactual.train.records import EVAL_NAME, METRICS_NAME, RECIPE_NAME, VALIDATION_FOLDER, Records
from semifactual.train.reward import Judge
from semifactual.train.seeds import seed_of
from semifactual.train.update import make_optimizer
from semifactual.train.validation import ValidationSet
from semifactual.train.watching import Watcher

AUTO = "auto"
_LOCK_NAME = ".lock"


@dataclass
class Run:
    """An open run."""

    recipe: Recipe
    out: Path
    ranks: Ranks
    watcher: Watcher
    interrupts: Interrupts
    policy: LocalPolicy
    reader: Reader
    optimizer: torch.optim.AdamW
    data: TrainingData
    sets: tuple[ValidationSet, ...]
    judge: Judge
    records: Records
    checkpoints: Checkpoints
    state: State
    about: dict[str, Any]
    """What a checkpoint says of the run beside its state."""
    rng: dict[str, Any] = field(default_factory=rng_state)
    """The state of the random generators between the last two rollouts."""
    unsaved: bool = False
    """A checkpoint was due, and the disk refused it."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where a run begins: at a checkpoint, or with the model as it is."""

    checkpoint: Path | None
    history: Path | None = None
    """The folder of another run, whose records are taken along."""
    finished: bool = False
    """The folder holds all that the recipe asks for."""
    notices: tuple[str, ...] = ()


def find_start(found: Inspection, out: Path, resume: str) -> Start:
    """Where the run in the folder `out` is to begin. The same command goes on where the last one stopped.

    Args:
        resume: ``auto`` for the newest checkpoint in `out`, or a checkpoint's folder.

    Raises:
        OutputError: the folder holds something else, or a run by another recipe.
        ConfigError: the checkpoint named is none.
    """
    _require_ours(out)
    checkpoints = Checkpoints(out, found.recipe.checkpoint.keep)
    steps = checkpoints.steps()
    if resume != AUTO:
        return _named_start(found, out, Path(resume), steps)
    if not steps:
        return Start(None)
    newest = checkpoints.path(steps[-1])
    changes = _changes(found, newest)
    if changes:
        raise OutputError(
            f"{out} was begun with other settings: {'; '.join(changes)}",
            hint="repeat the old settings to go on, choose another --out, or branch off with --resume CHECKPOINT",
        )
    further = f"{out} has gone {steps[-1]:,} steps, further than the {found.recipe.steps:,} that are asked for"
    notices = (further,) if steps[-1] > found.recipe.steps else ()
    return Start(newest, finished=_is_finished(found.recipe, out, steps[-1]), notices=notices)


@contextmanager
def open_run(found: Inspection, out: Path, start: Start, ranks: Ranks, watcher: Watcher) -> Iterator[Run]:
    """Load the model, or what a checkpoint holds, and bring the records in line with it.

    Raises:
        OutputError: the folder cannot be written, or another process works on it.
        ConfigError: the model or the checkpoint cannot be loaded.
    """
    recipe = found.recipe
    records = Records(out)
    with _locked(out, ranks), Judge(recipe.reward) as judge, heeding_interrupts(ranks) as interrupts:
        state = State() if start.checkpoint is None else read_state(start.checkpoint)[0]
        policy = _open_model(recipe, start, ranks)
        optimizer = make_optimizer(recipe.optim, policy.model)
        if start.checkpoint is not None:
            load_optimizer(start.checkpoint, policy.model, optimizer)
        _seed(recipe, start, ranks)
        if ranks.is_main:
            _prepare_folder(found, out, start, records, state)
        template = load_prompt_template(recipe.data.prompt)
        data = TrainingData(
            found.problems,
            lambda text: policy.encode_prompt(render_prompt(template, text)),
            seed=recipe.seed,
            shuffle=recipe.data.shuffle,
        )
        yield Run(
            recipe=recipe,
            out=out,
            ranks=ranks,
            watcher=watcher,
            interrupts=interrupts,
            policy=policy,
            reader=Reader(recipe, policy),
            optimizer=optimizer,
            data=data,
            sets=tuple(found.sets),
            judge=judge,
            records=records,
            checkpoints=Checkpoints(out, recipe.checkpoint.keep),
            state=state,
            about=_about(found, ranks),
        )


def recipe_text(recipe: Recipe) -> str:
    """A resolved recipe as YAML."""
    text: str = yaml.safe_dump(recipe.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    return text


def fingerprint(problems: list[VariantProblem]) -> str:
    """A digest of all that training sees of the data."""
    digest = hashlib.sha256()
    for problem in problems:
        parts = [problem.id, problem.text, problem.answer, problem.semifactuals]
        parts.append([(variant.kind, variant.text) for variant in problem.counterfactuals])
        digest.update(json.dumps(parts).encode() + b"\n")
    return digest.hexdigest()


def _named_start(found: Inspection, out: Path, checkpoint: Path, steps: list[int]) -> Start:
    """A checkpoint that the user named: of this run, or of another that this one branches off from."""
    state, _ = read_state(checkpoint)
    inside = (out / "checkpoints").resolve() == checkpoint.resolve().parent
    if later := [step for step in steps if step > state.step or not inside]:
        raise OutputError(
            f"{out} has checkpoints of its own, the last of step {later[-1]}",
            hint="choose a new --out to branch off from a checkpoint, or leave --resume out to go on with the last",
        )
    changes = _changes(found, checkpoint)
    notices = (f"the settings differ from those of {checkpoint}: {'; '.join(changes)}",) if changes else ()
    history = None if inside else checkpoint.resolve().parent.parent
    finished = inside and _is_finished(found.recipe, out, state.step)
    return Start(checkpoint, history, finished=finished, notices=notices)


def _is_finished(recipe: Recipe, out: Path, step: int) -> bool:
    """Whether all steps are done and validated. An interruption may have come between the two."""
    validates = recipe.eval.every > 0 and bool(recipe.eval.sets)
    return step >= recipe.steps and (not validates or Records(out).evaluations.of_step(step) is not None)


def _changes(found: Inspection, checkpoint: Path) -> list[str]:
    _, about = read_state(checkpoint)
    before: dict[str, Any] = about.get("settings", {})
    return differences(before, _settings(found))


def _settings(found: Inspection) -> dict[str, Any]:
    return {**found.recipe.identity(), "problems": fingerprint(found.problems)}


def _about(found: Inspection, ranks: Ranks) -> dict[str, Any]:
    import transformers

    versions = {"semifactual": __version__, "torch": torch.__version__, "transformers": transformers.__version__}
    return {"settings": _settings(found), "versions": versions, "processes": ranks.world}


def _require_ours(out: Path) -> None:
    if not out.exists():
        return
    if not out.is_dir():
        raise OutputError(f"{out} is a file, not a folder", hint="choose another --out")
    names = sorted(entry.name for entry in out.iterdir())
    if names and not set(names) & {RECIPE_NAME, _LOCK_NAME}:
        shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        raise OutputError(f"{out} holds other files: {shown}", hint="choose an empty or a new folder as --out")


@contextmanager
def _locked(out: Path, ranks: Ranks) -> Iterator[None]:
    """Hold the folder, so that no second process writes into it."""
    if not ranks.is_main:
        yield
        return
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
        file = (out / _LOCK_NAME).open("w")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            hint = "wait for it, or choose another --out"
            raise OutputError(f"another process is training in {out}", hint=hint) from error
        yield


def _open_model(recipe: Recipe, start: Start, ranks: Ranks) -> LocalPolicy:
    settings = recipe.model
    policy = open_policy(
        settings.name if start.checkpoint is None else str(start.checkpoint),
        device=ranks.device or settings.device,
        dtype=settings.dtype,
        attention=settings.attention,
        chat=settings.chat,
        tokens_per_batch=settings.tokens_per_batch,
        revision=settings.revision if start.checkpoint is None else None,
    )
    policy.name = settings.name
    policy.model.requires_grad_(True)
    if settings.gradient_checkpointing:
        # The second name is that of transformers before 5.2x.
        enable = getattr(policy.model, "activation_checkpointing_enable", policy.model.gradient_checkpointing_enable)
        enable()
        silence_dropout(policy.model)
    return policy


def _seed(recipe: Recipe, start: Start, ranks: Ranks) -> None:
    """Random generators as the checkpoint has them, or fresh ones, each process's its own."""
    saved = None if start.checkpoint is None else read_rng(start.checkpoint, ranks.rank)
    if saved is not None:
        set_rng_state(saved)
        return
    seed = seed_of(recipe.seed, "process", ranks.rank)
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def _prepare_folder(found: Inspection, out: Path, start: Start, records: Records, state: State) -> None:
    """The recipe as it is now, and the records up to where the run starts."""
    Checkpoints(out, found.recipe.checkpoint.keep).clean()
    records.write_recipe(recipe_text(found.recipe))
    if start.history is not None:
        for name in (METRICS_NAME, EVAL_NAME):
            if (start.history / name).exists():
                with writing(out / name):
                    shutil.copyfile(start.history / name, out / name)
        if (start.history / VALIDATION_FOLDER).is_dir():
            with writing(out / VALIDATION_FOLDER):
                shutil.copytree(start.history / VALIDATION_FOLDER, out / VALIDATION_FOLDER, dirs_exist_ok=True)
    records.cut(-1 if start.checkpoint is None else state.step)
