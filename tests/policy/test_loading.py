"""A policy opens by name, and whatever is wrong with the name or the files is said in one sentence."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertLMHeadModel, T5Config

from semifactual.errors import ConfigError
from semifactual.policy import loading
from semifactual.policy.loading import open_policy
from semifactual.policy.policy import Request, Sampling
from tests.policy.models import CHAT_TEMPLATE, byte_tokenizer, tiny_model


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "good"
    tiny_model("qwen3").save_pretrained(folder)
    byte_tokenizer(chat_template=CHAT_TEMPLATE).save_pretrained(folder)
    return folder


@pytest.fixture
def folder(good: Path, tmp_path: Path) -> Path:
    """A copy of a good folder, to be spoiled."""
    return Path(shutil.copytree(good, tmp_path / "model"))


def test_a_folder_opens_and_generates(good: Path) -> None:
    policy = open_policy(str(good), device="cpu", tokens_per_batch=50)
    assert (policy.name, policy.device, policy.tokens_per_batch) == (str(good), torch.device("cpu"), 50)
    assert policy.describe() | {"name": "", "context": 0} == {
        "name": "",
        "architecture": "Qwen3ForCausalLM",
        "parameters": 34_752,
        "dtype": "float32",
        "device": "cpu",
        "attention": "sdpa",
        "chat": True,
        "context": 0,
    }
    assert not policy.model.training and not any(p.requires_grad for p in policy.model.parameters())
    prompt = policy.encode_prompt("the cat")
    [[response]] = policy.generate([Request(prompt, (1,))], Sampling(max_new_tokens=3))
    assert len(policy.token_texts(response.token_ids)) == len(response.token_ids)


def test_options_are_obeyed(good: Path) -> None:
    policy = open_policy(str(good), device="cpu", dtype="bfloat16", attention="eager", chat="never")
    described = policy.describe()
    assert (described["dtype"], described["attention"], described["chat"]) == ("bfloat16", "eager", False)


def test_a_device_without_float64_is_not_chosen(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Apple's GPUs have none, and tokens are drawn in it."""
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert open_policy(str(good)).device == torch.device("cpu")


def test_the_builtin_model_opens() -> None:
    assert open_policy("builtin:tiny", device="cpu").describe()["parameters"] <= 2_000_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": "nowhere"}, "there is no device 'nowhere'"),
        ({"device": "xpu:99"}, "device 'xpu:99' cannot be used here"),
        ({"dtype": "int8"}, "no dtype 'int8'"),
        ({"attention": "full"}, "no attention 'full'"),
        ({"attention": "flash_attention_2"}, "attention 'flash_attention_2' cannot be used with"),
        ({"chat": "sometimes"}, "chat is 'sometimes'"),
    ],
)
def test_wrong_options(good: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        open_policy(str(good), **{"device": "cpu", **options})


@pytest.mark.parametrize(
    "name", ["./nothing", "/nothing/here", "../nothing", "~/nothing", "a/b/c", "tests/nothing", "nothing/", "", " "]
)
def test_a_path_that_leads_nowhere_is_never_looked_up(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading.AutoConfig, "from_pretrained", lambda *_, **__: pytest.fail("it was looked up"))
    with pytest.raises(ConfigError, match=r"there is no folder|is empty"):
        open_policy(name, device="cpu")


def test_names_of_other_kinds(good: Path) -> None:
    with pytest.raises(ConfigError, match="not supported yet here"):
        open_policy("openai:gpt@http://localhost:1")
    with pytest.raises(ConfigError, match="no builtin model 'builtin:huge'"):
        open_policy("builtin:huge")
    with pytest.raises(ConfigError, match=r"config\.json is a file"):
        open_policy(str(good / "config.json"))


def test_only_a_hub_id_may_leave_this_machine(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {}

    def refuse(path: str, **options: Any) -> Any:
        asked[path] = (options["local_files_only"], options["trust_remote_code"], options.get("revision"))
        raise OSError("no network\nand many more lines")

    monkeypatch.setattr(loading.AutoConfig, "from_pretrained", refuse)
    with pytest.raises(ConfigError, match=r"as a Hub id it cannot be used: its configuration .* \(no network\)$"):
        open_policy("owner/model", device="cpu", revision="v1")
    with pytest.raises(ConfigError, match="cannot be used: its configuration"):
        open_policy(str(good), device="cpu")
    assert asked == {"owner/model": (False, False, "v1"), str(good): (True, False, None)}


def rewrite_config(folder: Path, **fields: Any) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **fields}))


def without_a_layer(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    kept = {name: value for name, value in weights.items() if "layers.1" not in name}
    save_file(kept, folder / "model.safetensors", {"format": "pt"})


def without_tokenizer(folder: Path) -> None:
    for file in folder.glob("*token*"):
        file.unlink()


def bert(folder: Path) -> None:
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    BertLMHeadModel(BertConfig(**sizes, vocab_size=300)).save_pretrained(folder)


def truncated(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1000])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "config.json").write_text("{"), "its configuration cannot be read"),
        (lambda folder: (folder / "config.json").unlink(), "its configuration cannot be read"),
        (lambda folder: rewrite_config(folder, model_type="wonder"), "its configuration cannot be read"),
        (lambda folder: (folder / "tokenizer.json").write_text("{"), "its tokenizer cannot be read"),
        (without_tokenizer, "has no tokenizer"),
        (lambda folder: (folder / "model.safetensors").unlink(), "its weights cannot be read"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"x" * 1000), "its weights cannot be read"),
        (truncated, "its weights cannot be read"),
        (without_a_layer, r"lack 11 weights of a Qwen3ForCausalLM, .*: model\.layers\.1"),
        (lambda folder: rewrite_config(folder, intermediate_size=64), "lack 6 weights of a Qwen3ForCausalLM"),
        (lambda folder: rewrite_config(folder, hidden_size=2**16, intermediate_size=2**22), "fit into the memory"),
        (lambda folder: tiny_model(vocab_size=100).save_pretrained(folder), "268 tokens and its model only 100"),
        (lambda folder: T5Config().save_pretrained(folder), "is no causal language model: it is made for t5"),
        (bert, "reads ahead"),
    ],
)
def test_folders_that_cannot_be_used(folder: Path, spoil: Callable[[Path], object], message: str) -> None:
    spoil(folder)
    with pytest.raises(ConfigError, match=message) as caught:
        open_policy(str(folder), device="cpu")
    assert "\n" not in caught.value.message and caught.value.hint


def test_memory_that_runs_out_while_loading_is_said(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")

    monkeypatch.setattr(loading.AutoModelForCausalLM, "from_pretrained", fail)
    with pytest.raises(ConfigError, match="does not fit into the memory of cpu"):
        open_policy(str(good), device="cpu")
