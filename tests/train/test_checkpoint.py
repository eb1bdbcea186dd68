from __future__ import annotations

import random
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from semifactual.errors import ConfigError, OutputError
from semifactual.train.checkpoint import (
    Checkpoints,
    State,
    load_optimizer,
    read_rng,
    read_state,
    rng_state,
    set_rng_state,
    write_checkpoint,
)
from semifactual.train.recipe import OptimRecipe
from semifactual.train.update import make_optimizer
from tests.policy.models import byte_tokenizer, tiny_model


def touched(folder: Path) -> None:
    (folder / "state.json").write_text("{}")


def trained(seed: int = 0) -> tuple[Any, torch.optim.AdamW]:
    """A model after two steps, the embedding of which never had a gradient in the first."""
    model = tiny_model("qwen3", seed=seed)
    optimizer = make_optimizer(OptimRecipe(lr=0.01), model)
    for step in range(2):
        model(torch.tensor([[2, 3, 4 + step]])).logits.square().mean().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return model, optimizer


def save(folder: Path, model: Any, optimizer: torch.optim.AdamW, state: State | None = None) -> None:
    write_checkpoint(
        folder,
        model=model,
        tokenizer=byte_tokenizer(),
        optimizer=optimizer,
        state=state or State(step=2, rollout=1, position=8, best_step=2, best_value=0.5),
        rng=[rng_state()],
        about={"settings": {"seed": 0}},
    )


def test_transformers_loads_it_and_every_bit_is_there(tmp_path: Path) -> None:
    model, optimizer = trained()
    save(tmp_path, model, optimizer)
    assert (tmp_path / "model.safetensors").is_file()
    loaded = AutoModelForCausalLM.from_pretrained(tmp_path)
    for name, value in model.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], value), name
    assert AutoTokenizer.from_pretrained(tmp_path)("a b")["input_ids"] == byte_tokenizer()("a b")["input_ids"]


def test_the_optimiser_comes_back_bit_for_bit(tmp_path: Path) -> None:
    model, optimizer = trained()
    save(tmp_path, model, optimizer)
    other = tiny_model("qwen3", seed=1)
    fresh = make_optimizer(OptimRecipe(), other)
    load_optimizer(tmp_path, other, fresh)
    for before, after in zip(model.parameters(), other.parameters(), strict=True):
        assert optimizer.state[before].keys() == fresh.state[after].keys()
        for name, value in optimizer.state[before].items():
            assert torch.equal(value, fresh.state[after][name])


def test_moments_of_another_model_are_refused(tmp_path: Path) -> None:
    model, optimizer = trained()
    save(tmp_path, model, optimizer)
    other = tiny_model("qwen3", num_hidden_layers=1)
    with pytest.raises(ConfigError, match="belongs to another model"):
        load_optimizer(tmp_path, other, make_optimizer(OptimRecipe(), other))


def test_the_state_comes_back(tmp_path: Path) -> None:
    state = State(step=6, rollout=3, position=40, best_step=4, best_value=0.25)
    save(tmp_path, *trained(), state)
    assert read_state(tmp_path) == (state, {"schema": 1, "settings": {"seed": 0}})


@pytest.mark.parametrize("content", [None, "{", "[]", '{"step": 1}'])
def test_a_folder_that_is_no_checkpoint(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "state.json").write_text(content)
    with pytest.raises(ConfigError, match="no checkpoint of a training run"):
        read_state(tmp_path)


def test_random_generators_come_back(tmp_path: Path) -> None:
    def draw() -> list[float]:
        return [random.random(), np.random.rand(), torch.rand(1).item(), random.gauss(0, 1)]

    draw()
    save(tmp_path, *trained())
    first = draw()
    saved = read_rng(tmp_path, 0)
    assert saved is not None and read_rng(tmp_path, 1) is None
    set_rng_state(saved)
    assert draw() == first


def test_the_last_few_and_the_best_stay(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, keep=2)
    for step, best in ((2, None), (4, 4), (6, 4), (8, 4), (10, 4)):
        checkpoints.save(step, touched, best)
    assert checkpoints.steps() == [4, 8, 10]
    assert sorted(path.name for path in checkpoints.folder.iterdir()) == ["step-10", "step-4", "step-8"]


def test_a_checkpoint_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, keep=2)
    checkpoints.save(2, touched, None)

    def interrupted(folder: Path) -> None:
        touched(folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        checkpoints.save(4, interrupted, None)
    assert [path.name for path in checkpoints.folder.iterdir()] == ["step-2"]


def test_what_a_dead_process_left_is_removed(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, keep=2)
    for name in ("step-2", ".step-4.tmp", ".step-0.old"):
        (checkpoints.folder / name).mkdir(parents=True)
        touched(checkpoints.folder / name)
    assert checkpoints.steps() == [2]
    checkpoints.clean()
    assert [path.name for path in checkpoints.folder.iterdir()] == ["step-2"]


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """As on a full disk, the system refuses files from this size on."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("size", [100, 3_000, 60_000, 200_000])
def test_a_disk_that_refuses_is_one_sentence_and_leaves_what_was_there(tmp_path: Path, size: int) -> None:
    checkpoints = Checkpoints(tmp_path, keep=1)
    checkpoints.save(2, touched, None)
    model, optimizer = trained()
    with room_for(size), pytest.raises(OutputError, match="cannot write"):
        checkpoints.save(4, lambda folder: save(folder, model, optimizer), None)
    assert [path.name for path in checkpoints.folder.iterdir()] == ["step-2"]
    checkpoints.save(4, lambda folder: save(folder, model, optimizer), None)
    assert checkpoints.steps() == [4]
