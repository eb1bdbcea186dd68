"""A build against a real server: `transformers serve` with a model that was taught, just now, to write one reply."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from semifactual.pipeline.build import build
from semifactual.pipeline.config import BuildConfig
from semifactual.pipeline.records import read_parquet
from tests.llm.conftest import write_problems

for _needed in ("openai", "fastapi", "uvicorn", "torch", "tokenizers"):
    pytest.importorskip(_needed)

REPLY = '{"irrelevant_context": {"ending": "Velvet is velvet."}}'
CHAT = (  # as Qwen's models have it: the server takes replies apart by that
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIAL = ("<|im_start|>", "<|im_end|>")


def make_tokenizer() -> Any:
    """One token a byte, and the marks of a chat."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({character: n for n, character in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(mark, special=True) for mark in SPECIAL])
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|im_end|>")
    wrapped.chat_template = CHAT
    return wrapped


def taught_model(tokenizer: Any) -> Any:
    """A tiny Qwen3 that says `REPLY` behind any prompt: it sees only the last few bytes, so the prompt is no matter."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(0)
    torch.set_num_threads(1)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "head_dim": 16}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2}
    nearby = {"use_sliding_window": True, "sliding_window": 8, "layer_types": ["sliding_attention"] * 2}
    end = tokenizer.eos_token_id
    marks = {"vocab_size": len(tokenizer), "eos_token_id": end, "pad_token_id": end}
    config = Qwen3Config(max_position_embeddings=16384, **marks, **sizes, **heads, **nearby)
    model = Qwen3ForCausalLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    opening = len(tokenizer("<|im_start|>assistant\n")["input_ids"])
    said = tokenizer(f"<|im_start|>assistant\n{REPLY}<|im_end|>")["input_ids"]
    words = random.Random(0)
    for _ in range(300):
        prompts = [[words.randrange(256) for _ in range(24)] for _ in range(8)]
        rows = torch.tensor([prompt + said for prompt in prompts])
        labels = rows.clone()
        labels[:, : 24 + opening] = -100
        loss = model(input_ids=rows, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < 0.01:
            break
    return model


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "taught"
    tokenizer = make_tokenizer()
    model = taught_model(tokenizer)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def server(model_folder: Path) -> Iterator[str]:
    """The address of `transformers serve` with that model, on loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("transformers")), "serve", str(model_folder)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    log = (model_folder.parent / "server.log").open("wb")
    options = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    process = subprocess.Popen([*command, *options], env=environment, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 180
        while time.monotonic() < deadline:
            assert process.poll() is None, (model_folder.parent / "server.log").read_text()
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2).read()
                break
            except OSError:
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(30)
        log.close()


def test_a_real_server_rewrites_a_problem_set(
    server: str, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    config = BuildConfig(
        source=str(write_problems(tmp_path / "problems.jsonl", 6)),
        engine="llm",
        model=f"openai:{model_folder}@{server}",
        kinds=("irrelevant_context", "paraphrase"),
        repairs=1,
        reply_tokens=120,
        temperature=0.0,
        concurrency=2,
        workers=1,
        cache=tmp_path / "cache.sqlite",
    )
    report = build(config, tmp_path / "out")
    used = report.manifest["llm"]
    # The model writes the distractor that it was taught, and nothing else: no paraphrase ever comes.
    assert used["rewrites"] == {"accepted": 6, "rejected": 6, "failed": 0}
    assert used["problems"] == {"accepted": 0, "rejected": 6, "failed": 0}
    assert used["tokens"]["prompt"] > 0 and used["tokens"]["unreported_replies"] == 0
    rows = list(read_parquet(tmp_path / "out" / "data" / "train-00000-of-00001.parquet"))
    assert [[entry["kind"] for entry in row["semifactuals"]] for row in rows] == [["irrelevant_context"]] * 6
    assert all(row["semifactuals"][0]["text"].endswith("Velvet is velvet.") for row in rows)
    rejected = [json.loads(line) for line in (tmp_path / "out" / "rejected.jsonl").read_text().splitlines()]
    assert [len(line["history"]) for line in rejected] == [1] * 6
    again = build(config, tmp_path / "again")
    assert again.traffic is not None and again.traffic["requests"].get("sent", 0) == 0
