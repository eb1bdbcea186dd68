"""verl's own dataset class loads an export, and its own loader finds our reward function."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("verl", reason="verl lives in an environment of its own: make test-integrations")

import numpy as np
from omegaconf import OmegaConf
from tokenizers import Tokenizer, models, pre_tokenizers
from torch.utils.data import DataLoader
from transformers import PreTrainedTokenizerFast
from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn

import semifactual.integrations.verl_reward
from semifactual.pipeline.variants import open_variants
from semifactual.publish.export import export

SOURCE = "builtin:word_problems?n=6"


def byte_tokenizer() -> PreTrainedTokenizerFast:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = Tokenizer(models.BPE({character: n for n, character in enumerate(alphabet)}, []))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="!", pad_token="!")
    tokenizer.chat_template = "{% for turn in messages %}{{ turn.role }}: {{ turn.content }}\n{% endfor %}"
    return tokenizer


def test_verls_dataset_loads_an_export(tmp_path: Path) -> None:
    file = tmp_path / "train.parquet"
    export(SOURCE, "verl", file)
    config = OmegaConf.create(
        {"max_prompt_length": 2048, "cache_dir": str(tmp_path / "cache"), "return_raw_chat": True}
    )
    dataset = RLHFDataset(str(file), byte_tokenizer(), config)
    problems = list(open_variants(SOURCE).problems())
    assert len(dataset) == len(problems) == 6  # none was filtered out as unreadable or too long
    for number, problem in enumerate(problems):
        row = dataset[number]
        assert row["data_source"] == "semifactual/builtin:word_problems"
        assert row["reward_model"] == {"style": "rule", "ground_truth": problem.answer}
        assert row["raw_prompt"][0]["content"].startswith(problem.text)
        assert row["index"] == number
        assert len(row["extra_info"]["semifactuals"]) == len(problem.semifactuals)
        assert problem.semifactuals[0][1] in row["extra_info"]["semifactuals"][0]


def test_verls_loader_batches_it(tmp_path: Path) -> None:
    file = tmp_path / "train.parquet"
    export(SOURCE, "verl", file)
    config = OmegaConf.create({"max_prompt_length": 2048, "cache_dir": str(tmp_path / "cache")})
    dataset = RLHFDataset(str(file), byte_tokenizer(), config)
    (batch,) = DataLoader(dataset, batch_size=6, collate_fn=collate_fn)
    assert isinstance(batch["extra_info"], np.ndarray) and len(batch["extra_info"]) == 6
    assert {len(info["semifactuals"]) for info in batch["extra_info"]} == {4}


@pytest.mark.parametrize("named", ["path", "module"])
def test_verls_loader_finds_the_reward(named: str) -> None:
    from verl.trainer.ppo.reward import get_custom_reward_fn

    module = semifactual.integrations.verl_reward
    where = str(module.__file__) if named == "path" else f"pkg://{module.__name__}"
    wanted = {"path": where, "name": "compute_score", "reward_kwargs": {}}
    config = OmegaConf.create({"reward": {"custom_reward_function": wanted}})
    compute_score = get_custom_reward_fn(config)
    answer = compute_score(
        data_source="semifactual/x", solution_str=r"\boxed{7.0}", ground_truth="7", extra_info={"index": 0}
    )
    assert answer == {"score": 1.0, "acc": 1.0, "timed_out": 0.0}
