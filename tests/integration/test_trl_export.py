"""TRL's own trainer takes two GRPO steps on an export, with our reward."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("trl", reason="TRL lives in an environment of its own: make test-integrations")

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

from semifactual.integrations.rewards import trl_reward
from semifactual.publish.export import export
from semifactual.publish.prompting import Style
from semifactual.resources import tiny_model_path


@pytest.mark.parametrize("style", Style)
def test_two_grpo_steps_on_an_export(tmp_path: Path, style: Style) -> None:
    export("builtin:word_problems?steps=1..2&max=20&n=8", "trl", tmp_path / "train.parquet", style=style)
    rows = load_dataset("parquet", data_files=str(tmp_path / "train.parquet"), split="train")
    tokenizer = AutoTokenizer.from_pretrained(tiny_model_path())
    if style is Style.CHAT and not tokenizer.chat_template:
        tokenizer.chat_template = "{% for turn in messages %}{{ turn.content }}\n{% endfor %}"
    seen: list[list[str]] = []

    def reward(
        completions: list[str], answer: list[str], semifactuals: list[list[str]], **columns: object
    ) -> list[float]:
        """Ours; and the rewrites reach whoever wants them, one list a completion."""
        seen.extend(semifactuals)
        return trl_reward(completions, answer, **columns)

    config = GRPOConfig(
        output_dir=str(tmp_path / "run"),
        max_steps=2,
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=16,
        report_to=[],
        logging_steps=1,
        use_cpu=True,
        save_strategy="no",
    )
    model = AutoModelForCausalLM.from_pretrained(tiny_model_path())
    before = [parameter.detach().clone() for parameter in model.parameters()]
    trainer = GRPOTrainer(model, reward, args=config, train_dataset=rows, processing_class=tokenizer)
    trainer.train()
    assert trainer.state.global_step == 2
    rewards = [entry["reward"] for entry in trainer.state.log_history if "reward" in entry]
    assert len(rewards) == 2 and all(0 <= reward <= 1 for reward in rewards)
    assert len(seen) == 8 and all(len(texts) == 4 for texts in seen)
    assert seen[0] == seen[3] != seen[4]
    assert len(before) == len(list(trainer.model.parameters()))
