"""The way from text to token ids, and back across the border of prompt and response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from semifactual.errors import ConfigError
from semifactual.policy.policy import TokenIds

Chat = Literal["auto", "always", "never"]
"""Whether a prompt is set into the tokenizer's chat template: ``auto`` does so where it has one."""

_ANCHORS = ("\n", "x", "0", ".", "=")
"""Texts to put before a response while it is encoded; the first that does not merge with it is taken."""


class PromptEncoder:
    """A tokenizer, and the decisions that make its ids what the model expects."""

    def __init__(self, tokenizer: Any, chat: Chat = "auto") -> None:
        """Decide once whether prompts are chats.

        Raises:
            ConfigError: `chat` is "always" and the tokenizer has no chat template, or `chat` is no known word.
        """
        if chat not in ("auto", "always", "never"):
            raise ConfigError(f"chat is {chat!r}", hint="it can be auto, always or never")
        has_template = bool(getattr(tokenizer, "chat_template", None))
        if chat == "always" and not has_template:
            raise ConfigError("the tokenizer has no chat template", hint="use chat = auto or never")
        self.tokenizer = tokenizer
        self.chat = has_template and chat != "never"
        """Whether prompts are set into the chat template."""
        self._invents_space = self._plain("a") != self._plain("a", after="x")
        self._texts: dict[int, str] = {}

    def encode_prompt(self, text: str) -> TokenIds:
        """The token ids of a rendered prompt, behind which a response may start.

        A chat template writes the special tokens itself. Otherwise the tokenizer adds those that open a text, one BOS
        where the text itself starts with it, and none that close it.

        Raises:
            ConfigError: the prompt has no token at all.
        """
        if self.chat:
            turns = [{"role": "user", "content": text}]
            text = self.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
            ids = self._ids(text)
        else:
            ids = self._open(text)
        if not ids:
            raise ConfigError("a prompt has no tokens, so there is nothing that a response could follow")
        return tuple(ids)

    def encode_response(self, text: str) -> TokenIds:
        """The token ids of a response as it stands behind a prompt: nothing added at either end."""
        if not self._invents_space:
            return tuple(self._ids(text))
        for anchor in _ANCHORS:
            alone, together = self._ids(anchor), self._ids(anchor + text)
            if together[: len(alone)] == alone:
                return tuple(together[len(alone) :])
        return tuple(self._ids(text))

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text of a response, without special tokens, with the space that it may start with."""
        special = set(self.tokenizer.all_special_ids)
        return self._text([token for token in token_ids if token not in special])

    def token_texts(self, token_ids: Sequence[int]) -> list[str]:
        """The text of each token alone, special ones too; bytes that are no whole character show as U+FFFD."""
        for token in set(token_ids) - self._texts.keys():
            self._texts[token] = self._text([token])
        return [self._texts[token] for token in token_ids]

    def _open(self, text: str) -> list[int]:
        ids, plain = list(self.tokenizer(text)["input_ids"]), self._ids(text)
        closing = len(ids) - len(plain)
        # What the tokenizer adds behind the text would tell the model that it is over.
        while closing > 0 and ids[len(ids) - len(plain) :] != plain and ids[-1] in self.tokenizer.all_special_ids:
            ids.pop()
            closing -= 1
        bos = self.tokenizer.bos_token_id
        return ids[1:] if bos is not None and ids[:2] == [bos, bos] else ids

    def _ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _plain(self, text: str, after: str = "") -> list[int]:
        """Ids of a text that stands behind another one."""
        return self._ids(after + text)[len(self._ids(after)) if after else 0 :]

    def _text(self, token_ids: Sequence[int]) -> str:
        """Decoded behind an anchor, since a decoder may drop a space at the very start."""
        anchor = self._ids("x")
        options = {"skip_special_tokens": False, "clean_up_tokenization_spaces": False}
        whole: str = self.tokenizer.decode([*anchor, *token_ids], **options)
        return whole[len(self.tokenizer.decode(anchor, **options)) :]


def stop_ids(model: Any, tokenizer: Any) -> frozenset[int]:
    """Every token that ends a response: those of the generation config, of the config and of the tokenizer."""
    found: set[int] = set()
    configs = [getattr(model, "generation_config", None), model.config.get_text_config(), tokenizer]
    for holder in configs:
        value = getattr(holder, "eos_token_id", None)
        found |= set(value) if isinstance(value, (list, tuple)) else {value} if isinstance(value, int) else set()
    return frozenset(found)
