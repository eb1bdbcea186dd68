"""Tiny random models of four families, and tiny tokenizers, made in memory: nothing is downloaded.

`tiny_model("qwen3")` is dense; "qwen3_next" and "olmo_hybrid" mix linear and full attention; "mamba2" has no attention
at all. "gpt2" has learned positions, "gemma2" a soft cap on its logits, sliding windows and scaled embeddings,
"cohere" scaled logits.
"""

from __future__ import annotations

from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

FAMILIES = ("qwen3", "qwen3_next", "olmo_hybrid", "mamba2")
"""One name a kind of architecture that must work; tests loop over them."""

OTHERS = ("gpt2", "gemma2", "cohere")
"""Families whose head or positions are unusual."""

VOCABULARY = 300
EOS = 1

_DENSE = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
}
_LINEAR = {
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 2,
    "linear_conv_kernel_dim": 4,
    "layer_types": ["linear_attention", "full_attention"],
}
_OPTIONS: dict[str, dict[str, Any]] = {
    "qwen3": _DENSE,
    "qwen3_next": {
        **_DENSE,
        **_LINEAR,
        "num_experts": 4,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 16,
        "shared_expert_intermediate_size": 16,
    },
    "olmo_hybrid": {**_DENSE, **_LINEAR},
    "mamba2": {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_heads": 4,
        "head_dim": 16,
        "expand": 2,
        "state_size": 8,
        "n_groups": 2,
        "chunk_size": 8,
    },
    "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 256},
    "gemma2": {**_DENSE, "sliding_window": 8, "final_logit_softcapping": 3.0, "layer_types": None},
    "cohere": {**_DENSE, "logit_scale": 0.25},
}


def tiny_model(family: str = "qwen3", *, seed: int = 0, dtype: torch.dtype = torch.float32, **options: Any) -> Any:
    """A random causal language model in evaluation mode; `options` replace fields of its config."""
    special = {"bos_token_id": 0, "eos_token_id": EOS, "pad_token_id": 0}
    merged = {"vocab_size": VOCABULARY, **special, **_OPTIONS[family], **options}
    config = CONFIG_MAPPING[family](**{name: value for name, value in merged.items() if value is not None})
    torch.manual_seed(seed)
    model = AutoModelForCausalLM.from_config(config, dtype=dtype, attn_implementation=merged.get("attention"))
    with torch.no_grad():
        for parameter in model.parameters():
            # Fresh weights are so small that every distribution is nearly flat, and mistakes would drown in it.
            if parameter.dim() > 1:
                parameter.mul_(4)
    return model.eval()


def byte_tokenizer(*, chat_template: str | None = None, bos: bool = False) -> PreTrainedTokenizerFast:
    """Byte-level BPE: every byte is a token, a few English merges; no text becomes unknown. 300 ids at most."""
    special = ["<s>", "</s>", "<|user|>", "<|assistant|>"]
    vocabulary = {token: index for index, token in enumerate(special)}
    for byte in sorted(pre_tokenizers.ByteLevel.alphabet()):
        vocabulary[byte] = len(vocabulary)
    merges = [("Ġ", "t"), ("h", "e"), ("Ġt", "he"), ("a", "n"), ("Ġ", "a"), ("i", "n"), ("o", "x"), ("e", "d")]
    for left, right in merges:
        vocabulary[left + right] = len(vocabulary)
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    if bos:
        tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    return _wrap(tokenizer, special, chat_template)


def piece_tokenizer(*, chat_template: str | None = None) -> PreTrainedTokenizerFast:
    """As SentencePiece models are converted: a dummy space before the text, byte fallback, a BOS token added."""
    special = ["<s>", "</s>", "<unk>", "<|user|>", "<|assistant|>"]
    vocabulary = {token: index for index, token in enumerate(special)}
    for byte in range(256):
        vocabulary[f"<0x{byte:02X}>"] = len(vocabulary)
    for piece in ("▁", "t", "h", "e", "he", "the", "▁the", "c", "a", "▁c", "1", "2", "=", "▁="):
        vocabulary[piece] = len(vocabulary)
    merges = [("h", "e"), ("t", "he"), ("▁", "the"), ("▁", "c"), ("▁", "=")]
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, unk_token="<unk>", byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    return _wrap(tokenizer, special, chat_template)


CHAT_TEMPLATE = (
    "{{ bos_token }}{% for turn in messages %}<|user|>{{ turn['content'] }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
"""A chat template that writes the BOS token itself, as most do."""


def _wrap(tokenizer: Tokenizer, special: list[str], chat_template: str | None) -> PreTrainedTokenizerFast:
    tokenizer.add_special_tokens(special)
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", clean_up_tokenization_spaces=False
    )
    if chat_template is not None:
        wrapped.chat_template = chat_template
    return wrapped
